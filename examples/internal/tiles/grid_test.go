package tiles_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestGrid(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		images := torch.Arange(6).To(torch.Float32).Div(torch.ScalarTensor(5)).View(6, 1, 1, 1).Expand(6, 1, 2, 4)
		grid := tiles.Grid(images, 3)
		assert.Equal(t, image.Rect(0, 0, 12, 4), grid.Bounds())
		for i := range 6 {
			for _, at := range []image.Point{{0, 0}, {3, 1}} {
				assert.Equal(t, color.Gray{Y: uint8(51 * i)}, grid.At(i%3*4+at.X, i/3*2+at.Y), "image %d", i)
			}
		}
		assert.ErrorIs(t, torch.Try(func() { tiles.Grid(images, 4) }), torch.ErrShape)
	})
}
