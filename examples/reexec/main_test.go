package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/internal/again"
)

const roleVariable = "GOTORCH_REEXEC_TEST"

func TestMain(m *testing.M) {
	dir := os.Getenv(roleVariable)
	if dir == "" {
		os.Exit(m.Run())
	}
	grow, _ := strconv.ParseInt(os.Getenv(roleVariable+"_GROW"), 10, 64)
	p, err := train(dir, 40, grow, dir+"/losses")
	if err == nil {
		var text []byte
		if text, err = json.Marshal(p); err == nil {
			err = os.WriteFile(dir+"/result", text, 0o600)
		}
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// lives runs the training in a separate process and returns its progress.
func lives(t *testing.T, grow int64) *progress {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	// Without these settings, the order in which MKL adds numbers depends on addresses and
	// threads on some processors.
	cmd.Env = append(os.Environ(), "MKL_CBWR=AUTO", "OMP_NUM_THREADS=1", roleVariable+"="+dir,
		roleVariable+"_GROW="+strconv.FormatInt(grow, 10))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(dir + "/result")
	require.NoError(t, err)
	p := new(progress)
	require.NoError(t, json.Unmarshal(text, p))
	numbers, err := os.ReadFile(dir + "/losses")
	require.NoError(t, err)
	assert.Len(t, regexp.MustCompile(`(?m)^\d`).FindAll(numbers, -1), len(p.Losses), "a line for each step")
	assert.Len(t, regexp.MustCompile(`(?m)^# peak_bytes=\d+$`).FindAll(numbers, -1), len(p.Lives))
	for _, l := range p.Lives {
		assert.Equal(t, cmd.Process.Pid, l.PID, "the process keeps its number")
	}
	return p
}

// A process whose memory grows restarts. After the restart it uses as little memory as at
// the start. The losses equal the losses of a training run without restarts.
func TestLives(t *testing.T) {
	if os.Getenv(again.Emulator) != "" {
		t.Skip("a program that replaces itself replaces its emulator too")
	}
	const grow = 64 << 20
	whole := lives(t, 0)
	require.Len(t, whole.Lives, 1)
	require.Len(t, whole.Losses, 40)
	leaked := whole.Lives[0].End - whole.Lives[0].Start
	require.Greater(t, leaked, int64(40*4<<20), "it does leak")

	p := lives(t, grow)
	require.Greater(t, len(p.Lives), 2)
	assert.Equal(t, whole.Losses, p.Losses, "bit for bit")
	first := p.Lives[0]
	for i, l := range p.Lives[1:] {
		before := p.Lives[i]
		assert.Equal(t, before.To, l.From, "it goes on with the next step")
		assert.Greater(t, before.End-before.Start, int64(grow))
		assert.Less(t, l.Start-first.Start, (before.End-first.Start)/2, "life %d: what leaked is gone", i+2)
	}
	p.print()
	require.Len(t, p.Resident, 40)
	path := filepath.Join(t.TempDir(), "resident.png")
	require.NoError(t, p.draw(path))
	tilestest.PNG(t, path)
}
