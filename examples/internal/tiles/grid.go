package tiles

import (
	"image"

	"github.com/gotorch/gotorch/torch"
)

// Grid is one picture of the gray images (N, 1, H, W), row after row, columns to a row. N is a
// multiple of columns; otherwise it panics with torch.ErrShape.
func Grid(images *torch.Tensor, columns int64) image.Image {
	var grid image.Image
	torch.Scope(func() {
		h, w := images.Size(2), images.Size(3)
		grid = Gray(images.Reshape(-1, columns, h, w).Permute(0, 2, 1, 3).Reshape(-1, columns*w))
	})
	return grid
}
