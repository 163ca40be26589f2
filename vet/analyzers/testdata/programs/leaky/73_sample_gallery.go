// Command sample_gallery trains a denoiser and keeps one example of every batch, to show
// the examples with the worst losses later.
//
// Leaky: the kept example is a view of its batch, so the storage of the whole batch (16
// KiB instead of 256 bytes) stays allocated, and the gallery grows with every step.
// Nothing closes the examples in it.
package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const width = 64

type example struct {
	epoch, batch int
	loss         float64
	pixels       *torch.Tensor // (width)
}

type gallery struct{ examples []example }

// add keeps the first example of a batch.
func (g *gallery) add(epoch int, b data.Batch, loss float64) {
	first := torch.Disown(b.Input.Index(0))
	g.examples = append(g.examples, example{epoch, b.Index, loss, first}) // want leak
}

// worst returns n examples, from the batches with the highest losses.
func (g *gallery) worst(n int) []example {
	sorted := slices.SortedFunc(slices.Values(g.examples), func(a, b example) int { return cmp.Compare(b.loss, a.loss) })
	return sorted[:min(n, len(sorted))]
}

func main() {
	torch.ManualSeed(13)
	set := data.NewTensorDataset(torch.Randn(torch.Shape{512, width}).CumSum(1))
	defer set.Close()
	model := nn.NewSequential(nn.NewLinear(width, 16), nn.NewReLU(), nn.NewLinear(16, width))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	loader := data.NewLoader(set, data.BatchSize(64), data.Shuffle(true))

	var g gallery
	for epoch := range 30 {
		total := 0.0
		for batch := range loader.All() {
			noisy := batch.Input.Add(torch.RandnLike(batch.Input).MulScalar(0.3))
			loss := F.MSELoss(model.Forward(noisy), batch.Input)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			value := loss.Item()
			total += value
			g.add(epoch, batch, value)
		}
		if epoch%10 == 9 {
			fmt.Printf("epoch %d: loss %.4f\n", epoch+1, total/float64(loader.Len()))
		}
	}
	torch.Scope(func() {
		for _, e := range g.worst(3) {
			fmt.Printf("epoch %d, batch %d: loss %.4f, norm %.2f\n", e.epoch, e.batch, e.loss, e.pixels.Norm().Item())
		}
	})
}
