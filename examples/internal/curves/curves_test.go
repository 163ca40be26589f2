package curves_test

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/curves"
)

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.png")
	x := []float64{1, 2, 3}
	require.NoError(t, curves.Save(path, "step",
		curves.Panel{Label: "loss", Lines: []curves.Line{{Y: []float64{3, 2, 1.5}}}},
		curves.Panel{Label: "memory", FromZero: true, Lines: []curves.Line{{"peak", x, []float64{9, 9, 9}}, {"left", x, []float64{4, 5, 5}}, {Label: "none"}}},
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

func TestSaveFails(t *testing.T) {
	line := curves.Line{Label: "l", X: []float64{1}, Y: []float64{1}}
	panel := curves.Panel{Label: "p", Lines: []curves.Line{line}}
	assert.ErrorIs(t, curves.Save(filepath.Join(t.TempDir(), "no", "out.png"), "x", panel), os.ErrNotExist)
	panel.Lines[0].X = []float64{1, 2}
	assert.ErrorContains(t, curves.Save(filepath.Join(t.TempDir(), "out.png"), "x", panel), `panel "p": line "l" has 2 x and 1 y values`)
}
