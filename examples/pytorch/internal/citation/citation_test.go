package citation_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/citation"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// folder creates a directory with Cora's two files, and returns flags that name it.
func folder(t *testing.T, content, cites string) citation.Flags {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cora.content"), []byte(content), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cora.cites"), []byte(cites), 0o600))
	return citation.Flags{Data: dir}
}

const papers = "31336\t0\t1\t1\tNeural\n1061127\t0\t0\t0\tGenetic\nx7\t1\t0\t0\tNeural\n"

func TestFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		g, err := folder(t, papers, "31336 x7\nx7 1061127\n").Open()
		require.NoError(t, err)
		assert.Equal(t, []float32{0, 0.5, 0.5, 0, 0, 0, 1, 0, 0}, g.Features.Float32s())
		assert.Equal(t, []int64{1, 0, 1}, g.Labels.Int64s())
		assert.Equal(t, []int64{0, 2, 2, 1}, g.Edges.Int64s())
		assert.Equal(t, int64(2), g.Subjects)
	})
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for want, f := range map[string]citation.Flags{
		"no such file": {Data: t.TempDir()},
		"-papers":      {Papers: 9},
		"cora.content:1: unexpected number of fields: 1": folder(t, "a", ""),
		"cora.content:2: unexpected number of fields: 5": folder(t, "a 1 x\nb 0 1 0 x", ""),
		`0 or 1 for each word, got "2"`:                  folder(t, "a 2 x", ""),
		"cora.cites:1: unexpected number of fields: 1":   folder(t, papers, "x7"),
		`cites:2: paper "x8" is not in`:                  folder(t, papers, "x7 x7\nx7 x8"),
		": the file has no citations":                    folder(t, papers, ""),
		`:4: duplicate paper "31336"`:                    folder(t, papers+papers, "x7 x7"),
	} {
		_, err := f.Open()
		assert.ErrorContains(t, err, want)
	}
}

// Generated papers are split in the same proportions as Cora's. Most citations are
// between papers about the same subject.
func TestMadeUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		g, err := citation.Flags{Papers: 500}.Open()
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{500, 1433}, g.Features.Shape())
		assert.InDelta(t, 1, g.Features.Sum(torch.Dim(1)).Min().Item(), 1e-5)
		from, to := g.Labels.IndexSelect(0, g.Edges.Select(0, 0)), g.Labels.IndexSelect(0, g.Edges.Select(0, 1))
		assert.InDelta(t, 0.8+0.2/7, from.Eq(to).To(torch.Float32).Mean().Item(), 0.05)
		test, validation, learned := g.Split(1000, 500)
		assert.Equal(t, []int64{184, 92, 224}, []int64{test.Numel(), validation.Numel(), learned.Numel()})
		path := filepath.Join(t.TempDir(), "papers.png")
		var v citation.Views
		v.Add("papers", g, g.Features.Narrow(1, 0, 20))
		require.NoError(t, v.Save(path))
		assert.FileExists(t, path)
	})
}
