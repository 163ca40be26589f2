// Command confusion evaluates a model again and again during training. It computes a
// confusion matrix, and finds the ten examples with the worst predictions.
//
// Clean: the matrix is one tensor, which is updated in place. The hard examples are at
// most ten clones, not views of their batches. An example is closed when it is dropped.
package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const classes, hardest = 5, 10

type mistake struct {
	loss  float64
	input *torch.Tensor
}

type report struct {
	matrix   *torch.Tensor // (classes, classes): true, guessed
	mistakes []mistake     // worst first
}

func newReport() *report {
	return &report{matrix: torch.Disown(torch.Zeros(torch.Shape{classes * classes}, torch.Int64))}
}

func (r *report) add(x, logits, y *torch.Tensor) {
	guess := logits.ArgMax(torch.Dim(1))
	r.matrix.Add_(y.MulScalar(classes).Add(guess).BinCount(torch.MinLength(classes * classes)))
	for i, loss := range F.CrossEntropy(logits, y, F.ReductionNone).Float32s() {
		if len(r.mistakes) == hardest && float64(loss) <= r.mistakes[hardest-1].loss {
			continue
		}
		r.mistakes = append(r.mistakes, mistake{float64(loss), torch.Disown(x.Index(i).Clone())})
		slices.SortFunc(r.mistakes, func(a, b mistake) int { return cmp.Compare(b.loss, a.loss) })
		for len(r.mistakes) > hardest {
			last := len(r.mistakes) - 1
			_ = r.mistakes[last].input.Close()
			r.mistakes = slices.Delete(r.mistakes, last, last+1)
		}
	}
}

func (r *report) close() {
	_ = r.matrix.Close()
	for _, m := range r.mistakes {
		_ = m.input.Close()
	}
}

func main() {
	torch.ManualSeed(48)
	model := nn.NewSequential(nn.NewLinear(classes, 32), nn.NewReLU(), nn.NewLinear(32, classes))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	r := newReport()
	defer r.close()
	for step := range torch.ScopedRange(200) {
		x := torch.Randn(torch.Shape{16, classes})
		y := x.ArgMax(torch.Dim(1))
		opt.ZeroGrad()
		F.CrossEntropy(model.Forward(x), y).Backward()
		opt.Step()
		if step%4 == 3 {
			torch.NoGrad(func() { r.add(x, model.Forward(x), y) })
		}
	}
	torch.Scope(func() { fmt.Println(r.matrix.View(classes, classes)) })
	fmt.Printf("hardest: %.3f\n", r.mistakes[0].loss)
}
