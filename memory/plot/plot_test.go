package plot_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/torch"
)

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.png")
	x := []float64{1, 2, 3}
	require.NoError(t, plot.Save(path, "step",
		plot.Panel{Label: "loss", Lines: []plot.Line{{Y: []float64{3, 2, 1.5}}}},
		plot.Panel{Label: "memory", FromZero: true, Lines: []plot.Line{
			{"peak", x, []float64{9, 9, 9}},
			{"left", x, []float64{4, 5, 5}},
			{Label: "none"},
		}},
	))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dy(), 500)
	colours := map[[4]uint32]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, a := img.At(x, y).RGBA()
			colours[[4]uint32{r, g, b, a}]++
		}
	}
	assert.Greater(t, len(colours), 3, "something is drawn")
}

// An image without values is still saved.
func TestSaveWithoutValues(t *testing.T) {
	for name, panels := range map[string][]plot.Panel{
		"samples":       plot.Samples(nil),
		"steps":         {plot.Steps(nil)},
		"no lines":      {{Label: "nothing"}},
		"from zero":     {{FromZero: true}},
		"an empty line": {{Lines: []plot.Line{{}}}},
		"a label":       {{Lines: []plot.Line{{Label: "none"}}}},
		"one value":     {{Lines: []plot.Line{{Label: "flat", Y: []float64{3}}}}},
		"one of two":    {{Label: "loss", Lines: []plot.Line{{Y: []float64{2, 1}}}}, {Label: "nothing"}},
		"no panels":     nil,
	} {
		path := filepath.Join(t.TempDir(), "out.png")
		require.NoError(t, plot.Save(path, "step", panels...), name)
		f, err := os.Open(path)
		require.NoError(t, err, name)
		_, err = png.Decode(f)
		require.NoError(t, err, name)
		require.NoError(t, f.Close())
	}
}

func TestSaveFails(t *testing.T) {
	line := plot.Line{Label: "l", X: []float64{1}, Y: []float64{1}}
	panel := plot.Panel{Label: "p", Lines: []plot.Line{line}}
	assert.ErrorIs(t, plot.Save(filepath.Join(t.TempDir(), "no", "out.png"), "x", panel), os.ErrNotExist)
	panel.Lines[0].X = []float64{1, 2}
	assert.ErrorContains(t, plot.Save(filepath.Join(t.TempDir(), "out.png"), "x", panel),
		`panel "p": line "l" has 2 x and 1 y values`)
	assert.ErrorContains(t, plot.Save(filepath.Join(t.TempDir(), "out.doc"), "x"), "doc")
}

func TestSaveFormats(t *testing.T) {
	for ext, magic := range map[string]string{"png": "\x89PNG", "svg": "<?xml", "pdf": "%PDF"} {
		path := filepath.Join(t.TempDir(), "out."+ext)
		require.NoError(t, plot.Save(path, "step", plot.Panel{Label: "loss", Lines: []plot.Line{{Y: []float64{2, 1}}}}))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, magic, string(text[:len(magic)]), ext)
	}
}

func TestMemoryPanels(t *testing.T) {
	p := plot.Steps([]memory.StepUsage{
		{Usage: memory.Usage{Peak: 8 << 20, End: 2 << 20}, Step: 0, Steps: 1, Reserved: 10 << 20},
		{Usage: memory.Usage{Peak: 6 << 20, End: 3 << 20}, Step: 1, Steps: 4, Reserved: 12 << 20},
	})
	require.Len(t, p.Lines, 3)
	for _, l := range p.Lines {
		assert.Equal(t, []float64{1, 5}, l.X)
	}
	assert.Equal(t, []float64{8, 6}, p.Lines[0].Y)
	assert.Equal(t, []float64{2, 3}, p.Lines[1].Y)
	assert.Equal(t, []float64{10, 12}, p.Lines[2].Y)

	now := time.Now()
	panels := plot.Samples([]memory.Sample{
		{Time: now, Native: 1 << 20, Tensors: 3, Resident: 5 << 20, GoHeap: 2 << 20},
		{Time: now.Add(3 * time.Second / 2), Native: 2 << 20, Tensors: 4, Resident: 6 << 20, GoHeap: 3 << 20},
	})
	require.Len(t, panels, 2)
	assert.Equal(t, []float64{0, 1.5}, panels[0].Lines[0].X)
	assert.Equal(t, []float64{5, 6}, panels[0].Lines[0].Y)
	assert.Equal(t, []float64{1, 2}, panels[0].Lines[1].Y)
	assert.Equal(t, []float64{2, 3}, panels[0].Lines[2].Y)
	assert.Equal(t, []float64{3, 4}, panels[1].Lines[0].Y)
	assert.Len(t, plot.Samples(nil), 2, "no samples are no error")
}

func TestWrite(t *testing.T) {
	panel := plot.Panel{Label: "loss", Lines: []plot.Line{{Y: []float64{3, 2, 1.5}}}}
	path := filepath.Join(t.TempDir(), "out.svg")
	require.NoError(t, plot.Save(path, "step", panel))
	saved, err := os.ReadFile(path)
	require.NoError(t, err)
	var written bytes.Buffer
	require.NoError(t, plot.Write(&written, "svg", "step", panel))
	assert.Equal(t, string(saved), written.String())
	assert.Contains(t, written.String(), "<svg")

	assert.ErrorContains(t, plot.Write(&written, "bmp", "step", panel), "bmp")
	err = plot.Write(nil, "svg", "step", panel)
	require.EqualError(t, err, "torch: plot.Write: argument w: a nil writer")
	require.ErrorIs(t, err, torch.ErrNil)
	panel.Lines[0].X = []float64{1}
	assert.ErrorContains(t, plot.Write(&written, "svg", "step", panel), `panel "loss"`)
}

func TestWriteSnapshot(t *testing.T) {
	var page bytes.Buffer
	require.NoError(t, plot.WriteSnapshot(&page, "a <name>", &memory.SnapshotData{}))
	assert.Contains(t, page.String(), "a &lt;name&gt;")
	assert.Contains(t, page.String(), "</html>")
	assert.ErrorContains(t, plot.WriteSnapshot(&page, "none", nil), "nil")
	err := plot.WriteSnapshot(nil, "none", &memory.SnapshotData{})
	require.EqualError(t, err, "torch: plot.WriteSnapshot: argument w: a nil writer")
	require.ErrorIs(t, err, torch.ErrNil)
}
