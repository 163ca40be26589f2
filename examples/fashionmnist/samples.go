package main

import (
	"fmt"
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// classes are the names of the labels.
var classes = []string{"T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"}

// seen is a test image with its true class and the model's prediction.
type seen struct {
	picture      image.Image
	class, guess int64
	sure         float64 // the probability that the model assigns to its guess
}

// title returns the model's prediction, and the true class if the prediction is wrong.
func (s seen) title() string {
	what := fmt.Sprintf("%s, %.0f %%", classes[s.guess], 100*s.sure)
	if s.guess == s.class {
		return what
	}
	return what + "\nbut it is a " + classes[s.class]
}

// look lets the model classify the first n test images.
func (s *session) look(n int) (found []seen) {
	loader := data.NewLoader(s.tests,
		append(s.loading, data.BatchSize(n), data.Shuffle(false), data.Generator(torch.NewGenerator(torch.CPU)))...)
	s.model.Eval()
	torch.NoGrad(func() {
		for batch := range loader.All() {
			sure, guess := s.model.Forward(batch.Input).Softmax(1).MaxDim(1)
			pictures := batch.Input.MulScalar(std).AddScalar(mean).To(torch.CPU)
			for i, g := range guess.To(torch.CPU).Int64s() {
				at := int64(i)
				found = append(found, seen{
					tiles.Gray(pictures.Select(0, at).Squeeze(0)), batch.Target.Select(0, at).ItemInt(),
					g, sure.Select(0, at).Item(),
				})
			}
			break
		}
	})
	s.model.Train()
	return found
}

// drawSamples draws test images with the model's predictions.
func (s *session) drawSamples(path string) error {
	const rows, columns = 4, 6
	found := s.look(rows * columns)
	grid := make([][]*plot.Plot, rows)
	for i := range grid {
		for _, f := range found[i*columns : (i+1)*columns] {
			grid[i] = append(grid[i], tiles.Picture(f.title(), f.picture))
		}
	}
	return tiles.Save(path, columns*1.6*vg.Inch, rows*1.9*vg.Inch, grid...)
}
