// Package figure draws tensors as images side by side. Like pyplot, an Album keeps its
// open figures, and a figure keeps its images until it is closed.
package figure

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
)

// Album contains the open figures. The zero value is ready to use.
type Album struct{ open []*Figure }

// New opens a figure.
func (a *Album) New() *Figure {
	f := &Figure{album: a}
	a.open = append(a.open, f)
	return f
}

// Close closes all open figures, as plt.close("all") does.
func (a *Album) Close() {
	for len(a.open) > 0 {
		a.open[0].Close()
	}
}

// Figure is a row of images.
type Figure struct {
	album    *Album
	titles   []string
	pictures []*torch.Tensor
}

// Show adds an image of shape (H, W), in which 0 is black and 1 is white. The figure
// keeps a copy of the image.
func (f *Figure) Show(title string, picture *torch.Tensor) {
	kept := torch.Disown(picture.Detach().Clone())
	f.titles, f.pictures = append(f.titles, title), append(f.pictures, kept)
}

// Save draws the figure into a PNG file.
func (f *Figure) Save(path string) error {
	row := make([]*plot.Plot, len(f.pictures))
	for i, picture := range f.pictures {
		row[i] = tiles.Picture(f.titles[i], tiles.Gray(picture))
	}
	const side = 3 * vg.Inch
	return tiles.Save(path, vg.Length(len(row))*side, 1.06*side, row)
}

// Close frees the figure's images and removes the figure from its album.
func (f *Figure) Close() {
	for _, t := range f.pictures {
		_ = t.Close()
	}
	f.pictures = nil
	f.album.open = slices.DeleteFunc(f.album.open, func(other *Figure) bool { return other == f })
}
