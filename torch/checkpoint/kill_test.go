package checkpoint_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// If a training run is killed at random moments, only the steps after its last save are
// lost. After each kill, every checkpoint is good. In the end, the losses equal those of
// an uninterrupted run bit for bit.
func TestKilled(t *testing.T) {
	rounds := 10
	if thorough.Asked() {
		rounds = 100
	}
	dir := t.TempDir()
	g := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // moments
	saved, inWrite, temporary := 0, 0, 0
	for round := range rounds {
		last := round == rounds-1
		cmd := again.Command()
		cmd.Env = append(os.Environ(), roleVariable+"="+dir)
		if round%2 == 1 {
			cmd.Env = append(cmd.Env, roleVariable+"_ASYNC=1")
		}
		if last {
			cmd.Env = append(cmd.Env, roleVariable+"_END=1")
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := 1 + g.IntN(6)
		moment := time.Duration(g.IntN(3000)) * time.Microsecond
		from := bufio.NewScanner(out)
		word := ""
		killed := false
		var timer *time.Timer
		for from.Scan() {
			var n, skipped int
			switch line := from.Text(); {
			case strings.HasPrefix(line, "resumed"):
				_, err := fmt.Sscanf(line, "resumed %d %d", &n, &skipped)
				require.NoError(t, err)
				require.GreaterOrEqual(t, n, saved, "round %d: a saved checkpoint is missing", round)
				require.Zero(t, skipped, "round %d: a file is damaged", round)
				saved = n
			case strings.HasPrefix(line, "saved"):
				_, err := fmt.Sscanf(line, "saved %d", &n)
				require.NoError(t, err)
				saved = max(saved, n)
			}
			word = from.Text()
			if lines--; lines <= 0 && timer == nil && !last { // kill the process at a random moment
				timer = time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
				killed = true
			}
		}
		err = cmd.Wait()
		if !killed {
			require.NoError(t, err, "%s", stderr.String())
		}
		require.Empty(t, stderr.String())
		if word == "writing" {
			inWrite++
		}
		left, err := filepath.Glob(filepath.Join(dir, "*.pt.*"))
		require.NoError(t, err)
		temporary += len(left)
		all, err := checkpoint.List(dir)
		require.NoError(t, err)
		if saved > 0 {
			require.GreaterOrEqual(t, len(all), min(saved, 3), "round %d", round)
		}
		for _, info := range all {
			require.NoError(t, checkpoint.Verify(info.Path), "round %d", round)
		}
	}
	t.Logf("killed %d times during a write, which left %d temporary files", inWrite, temporary)
	left, err := filepath.Glob(filepath.Join(dir, "*.pt.*"))
	require.NoError(t, err)
	assert.Empty(t, left, "the last process must remove the temporary files")
	all, err := checkpoint.List(dir)
	require.NoError(t, err)
	// There may be more checkpoints than Keep says. A process that is killed between
	// renaming a file and removing old ones leaves one more, which the next save removes.
	assert.GreaterOrEqual(t, len(all), 3)

	want := undisturbed()
	text, err := os.ReadFile(filepath.Join(dir, "losses"))
	require.NoError(t, err)
	seen := map[int]uint64{}
	for line := range strings.Lines(string(text)) {
		var step int
		var bits uint64
		_, err := fmt.Sscan(line, &step, &bits)
		require.NoError(t, err)
		if old, ok := seen[step]; ok {
			require.Equal(t, old, bits, "step %d, again", step)
		}
		seen[step] = bits
	}
	require.Len(t, seen, len(want))
	compare(t, want, seen)
}
