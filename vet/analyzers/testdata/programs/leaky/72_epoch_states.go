// Command epoch_states trains for many epochs, and at the end restores the weights of the
// best epoch.
//
// Leaky: a slice keeps a copy of the model's state dict for every epoch, although only
// the best is used. Each epoch leaves one copy of all parameters (about 50 KB), which is
// never closed.
package main

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type epochResult struct {
	number int
	loss   float64
	state  nn.StateDict
}

func split() (train, valid *data.TensorDataset) {
	x := torch.Randn(torch.Shape{160, 12})
	y := x.Square().Sum(torch.Dim(1)).GtScalar(12).Long()
	return data.NewTensorDataset(x.Narrow(0, 0, 128), y.Narrow(0, 0, 128)),
		data.NewTensorDataset(x.Narrow(0, 128, 32), y.Narrow(0, 128, 32))
}

func validate(model nn.Layer, loader *data.Loader) (total float64) {
	model.Eval()
	torch.NoGrad(func() {
		for batch := range loader.All() {
			total += F.CrossEntropy(model.Forward(batch.Input), batch.Target).Item()
		}
	})
	model.Train()
	return total / float64(loader.Len())
}

func main() {
	torch.ManualSeed(12)
	train, valid := split()
	defer train.Close()
	defer valid.Close()
	model := nn.NewSequential(nn.NewLinear(12, 100), nn.NewReLU(), nn.NewDropout(0.2), nn.NewLinear(100, 100),
		nn.NewReLU(), nn.NewLinear(100, 2))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	sched := schedule.NewExponentialLR(opt, 0.98)
	loader := data.NewLoader(train, data.BatchSize(32), data.Shuffle(true))
	tests := data.NewLoader(valid, data.BatchSize(32))

	var results []epochResult
	for epoch := range 60 {
		for batch := range loader.All() {
			opt.ZeroGrad()
			F.CrossEntropy(model.Forward(batch.Input), batch.Target).Backward()
			opt.Step()
		}
		sched.Step()
		results = append(results, epochResult{epoch, validate(model, tests), model.StateDict().Clone()}) // want leak
	}
	best := results[0]
	for _, r := range results {
		if r.loss < best.loss {
			best = r
		}
	}
	if err := model.LoadStateDict(best.state); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("best epoch %d: loss %.4f\n", best.number, best.loss)
}
