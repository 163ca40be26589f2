package digits

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Score is the result of a model on the test images. The model must return log
// probabilities.
type Score struct {
	Loss           float64 // mean loss
	Correct, Count int64
}

// String returns the score in one line.
func (s Score) String() string {
	return fmt.Sprintf("test loss %.4f, accuracy %d/%d (%.1f%%)", s.Loss, s.Correct, s.Count,
		100*float64(s.Correct)/float64(s.Count))
}

// Score runs the model on all test images. It leaves the model in training mode.
func (s *Sets) Score(model nn.Layer, batch int) Score {
	score := Score{Count: int64(s.Test.Len())}
	model.Eval()
	defer model.Train()
	torch.NoGrad(func() {
		for b := range s.Loader(s.Test, batch).All() {
			out := model.Forward(b.Input)
			score.Loss += F.NLLLoss(out, b.Target, F.ReductionSum).Item() / float64(score.Count)
			score.Correct += out.ArgMax(torch.Dim(1)).Eq(b.Target).Sum().ItemInt()
		}
	})
	return score
}

// Draw draws a PNG file that shows the first test images with the model's predictions,
// which the function guess returns. If path is "", it does nothing. It uses no random
// numbers.
func (s *Sets) Draw(path string, guess func(images *torch.Tensor) *torch.Tensor) error {
	const rows, columns = 4, 6
	grid := make([][]*plot.Plot, rows)
	if path == "" {
		return nil
	}
	torch.NoGrad(func() {
		for b := range s.Loader(s.Test, min(rows*columns, s.Test.Len()),
			data.Generator(torch.NewGenerator(torch.CPU))).All() {
			guesses, classes := guess(b.Input).Int64s(), b.Target.Int64s()
			for i, picture := range b.Input.MulScalar(Std).AddScalar(Mean).To(torch.CPU).Squeeze(1).Unbind() {
				title := fmt.Sprint(guesses[i])
				if guesses[i] != classes[i] {
					title += fmt.Sprintf(", is %d", classes[i])
				}
				grid[i/columns] = append(grid[i/columns], tiles.Picture(title, tiles.Gray(picture)))
			}
			break
		}
	})
	return tiles.Save(path, columns*1.3*vg.Inch, rows*1.5*vg.Inch, grid...)
}
