package tiles

import (
	"image"

	"github.com/gotorch/gotorch/torch"
)

// Grid arranges gray images (N, 1, H, W) in one image, with the given number of columns.
// It panics with torch.ErrShape if N is not a multiple of columns.
func Grid(images *torch.Tensor, columns int64) image.Image {
	var grid image.Image
	torch.Scope(func() {
		h, w := images.Size(2), images.Size(3)
		grid = Gray(images.Reshape(-1, columns, h, w).Permute(0, 2, 1, 3).Reshape(-1, columns*w))
	})
	return grid
}
