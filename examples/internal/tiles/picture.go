package tiles

import (
	"image"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"github.com/gotorch/gotorch/torch"
)

// Picture returns a plot that shows only an image and a title. The title may have several
// lines.
func Picture(title string, img image.Image) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.HideAxes()
	size := img.Bounds().Size()
	p.Add(plotter.NewImage(img, 0, 0, float64(size.X), float64(size.Y)))
	return p
}

// Gray converts a tensor of shape (H, W) to a Go image. 0 is black, and 1 is white.
func Gray(picture *torch.Tensor) image.Image {
	img := image.NewGray(image.Rect(0, 0, int(picture.Size(1)), int(picture.Size(0))))
	torch.Scope(func() {
		for i, v := range picture.Contiguous().Float32s() {
			img.SetGray(i%img.Stride, i/img.Stride, color.Gray{Y: uint8(255*min(max(v, 0), 1) + 0.5)})
		}
	})
	return img
}
