package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
)

// The leak reports in README.md and docs/leaks.md equal what the programs above them print.
// TestBlocksRun skips these reports, because it compiles the programs under other file
// names, and a report contains the name main.go.
func TestReports(t *testing.T) {
	blocks, err := docblocks.Read("../..")
	require.NoError(t, err)
	compared := 0
	for i, b := range blocks {
		_, ok := b.Mark("no output")
		if !ok || !slices.Contains([]string{"README.md", "docs/leaks.md"}, b.Page) || b.Lang != "text" {
			continue
		}
		dir := t.TempDir()
		file, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
		require.NoError(t, os.WriteFile(file, []byte(blocks[i-1].Source), 0o600))
		out, err := exec.Command("go", "build", "-o", binary, file).CombinedOutput()
		require.NoError(t, err, "%s", out)
		out, err = exec.Command(binary).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, b.Source, string(out), b.Place())
		compared++
	}
	assert.Equal(t, 3, compared)
}
