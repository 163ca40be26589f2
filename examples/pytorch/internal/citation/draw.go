package citation

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

// Views contains scatter plots of the papers. Each paper is a point in the color of its
// subject.
type Views struct{ row []*plot.Plot }

// Add adds a plot of a model's outputs for the papers, (N, C). Each output is projected
// onto the first two principal components of all outputs.
func (v *Views) Add(title string, g *Graph, said *torch.Tensor) {
	p := plot.New()
	p.Title.Text = title
	p.HideAxes()
	torch.Scope(func() {
		x := said.Sub(said.Mean(torch.Dim(0)))
		_, axes := linalg.Eigh(x.T().Mm(x))
		at := x.Mm(axes.Narrow(1, axes.Size(1)-2, 2)).Float32s()
		of := make([]plotter.XYs, g.Subjects)
		for i, k := range g.Labels.Int64s() {
			of[k] = append(of[k], plotter.XY{X: float64(at[2*i+1]), Y: float64(at[2*i])})
		}
		for k, points := range of {
			p.Add(&plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{
				Color: plotutil.Color(k), Radius: vg.Points(1.5), Shape: draw.CircleGlyph{},
			}})
		}
	})
	v.row = append(v.row, p)
}

// Save draws the plots side by side into a PNG file.
func (v *Views) Save(path string) error {
	return tiles.Save(path, vg.Length(len(v.row))*10*vg.Centimeter, 10*vg.Centimeter, v.row)
}
