package figure_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/examples/telescope/figure"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A figure keeps its images until it or its album is closed.
func TestFigure(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var album figure.Album
	start := torch.NumLiveTensors()
	one, two := album.New(), album.New()
	torch.Scope(func() {
		ramp := torch.Arange(0, 8, 1, torch.Float32).DivScalar(7).View(2, 4).T() // not contiguous
		one.Show("ramp", ramp)
		one.Show("ramp again", ramp)
		two.Show("another", ramp)
		ramp.Zero_()
	})
	assert.EqualValues(t, 3, torch.NumLiveTensors()-start)
	path := filepath.Join(t.TempDir(), "one.png")
	require.NoError(t, one.Save(path))
	img := tilestest.PNG(t, path)
	gray := func(x, y int) uint32 { v, _, _, _ := img.At(x, y).RGBA(); return v >> 8 }
	assert.Less(t, gray(30, 60), gray(200, 230), "0 is black, and 1 is white")
	one.Close()
	assert.EqualValues(t, 1, torch.NumLiveTensors()-start)
	album.Close()
	assert.EqualValues(t, 0, torch.NumLiveTensors()-start)
}
