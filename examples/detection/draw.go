package main

import (
	"fmt"
	"image"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// colors are those of the boxes, by label.
var colors = []color.Color{
	color.Black, color.RGBA{255, 60, 60, 255}, color.RGBA{70, 255, 70, 255}, color.RGBA{80, 160, 255, 255},
}

// box is an object that the model has found.
type box struct {
	label                    int64
	score                    float64
	left, top, right, bottom float64
}

// find returns the objects in the first n images for validation that have a score of at
// least a half, and the images.
func (t *trainer) find(n int) (pictures []image.Image, found [][]box) {
	t.model.Eval()
	defer t.model.Train()
	torch.NoGrad(func() {
		torch.Scope(func() {
			set := t.valid.Dataset()
			for i := range min(n, t.tests) {
				s := set.Get(i).Value.(tv.Sample)
				input, _ := t.inputs([]tv.Sample{s})
				d := t.model.Detect(input)[0]
				boxes := d.Boxes.To(torch.CPU, torch.Float64).Float64s()
				scores, labels := d.Scores.To(torch.CPU, torch.Float64).Float64s(), d.Labels.To(torch.CPU).Int64s()
				var list []box
				for k, score := range scores {
					if b := boxes[4*k:]; score >= 0.5 {
						list = append(list, box{labels[k], score, b[0], b[1], b[2], b[3]})
					}
				}
				pictures, found = append(pictures, toImage(s.Image)), append(found, list)
			}
		})
	})
	return pictures, found
}

// toImage converts a tensor of shape (3, H, W) with values from 0 to 1.
func toImage(t *torch.Tensor) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, int(t.Size(2)), int(t.Size(1))))
	copy(img.Pix, torch.Cat([]*torch.Tensor{t, torch.OnesLike(t.Narrow(0, 0, 1))}).MulScalar(255).Permute(1, 2, 0).
		Contiguous().To(torch.Uint8).Uint8s())
	return img
}

// drawFound draws images for validation, with the boxes that the model finds in them.
func (t *trainer) drawFound() error {
	if t.found == "" {
		return nil
	}
	const rows, columns = 2, 4
	pictures, found := t.find(rows * columns)
	grid := make([][]*plot.Plot, rows)
	for i := range rows * columns {
		p := plot.New()
		p.HideAxes()
		if i < len(pictures) {
			p = tiles.Picture("", pictures[i])
			for _, b := range found[i] {
				b.draw(p)
			}
		}
		grid[i/columns] = append(grid[i/columns], p)
	}
	return tiles.Save(t.found, columns*2.15*vg.Inch, rows*2*vg.Inch, grid...)
}

// draw adds the outline of a box, its class and its score. In a plot, y points upwards.
func (b box) draw(p *plot.Plot) {
	top, bottom := size-b.top, size-b.bottom
	outline := &plotter.Line{
		XYs: plotter.XYs{
			{X: b.left, Y: bottom},
			{X: b.left, Y: top},
			{X: b.right, Y: top},
			{X: b.right, Y: bottom},
			{X: b.left, Y: bottom},
		},
		LineStyle: plotter.DefaultLineStyle,
	}
	outline.Color, outline.Width = colors[b.label], vg.Points(1.5)
	style := p.X.Tick.Label
	style.Color, style.Font.Size = colors[b.label], vg.Points(9)
	style.XAlign, style.YAlign = text.XLeft, text.YBottom
	p.Add(outline, &plotter.Labels{
		XYs:       plotter.XYs{{X: b.left, Y: top + 1}},
		Labels:    []string{fmt.Sprintf("%s %.0f %%", classes[b.label], 100*b.score)},
		TextStyle: []text.Style{style},
	})
}
