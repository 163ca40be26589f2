// Command siamese_network learns whether two images show the same digit. Both go through
// one ResNet-18, and a small network compares the features. reference.py is the same
// program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/siamese_network -epochs 1                   # on generated images
//	go run ./pytorch/siamese_network -epochs 1 -samples out.png  # pairs with the model's predictions
//	go run ./pytorch/siamese_network -data "$(../scripts/get_fashion_mnist.sh)" -epochs 1
package main

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

type config struct {
	frame.Flags
	images                   digits.Flags
	epochs, batch, testBatch int
	lr, gamma                float64
	save                     string
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), images: digits.Defaults(),
		epochs: 14, batch: 64, testBatch: 1000, lr: 1, gamma: 0.7,
	}
}

func main() {
	c := defaults()
	c.Register()
	c.images.Register()
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes; each has as many pairs as there are training images")
	flag.IntVar(&c.batch, "batch-size", c.batch, "pairs per step")
	flag.IntVar(&c.testBatch, "test-batch-size", c.testBatch, "pairs per test batch")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.gamma, "gamma", c.gamma, "factor of the learning rate after each epoch")
	flag.StringVar(&c.save, "save", c.save, "save the trained model in this file")
	c.Main("siamese_network", c.train)
}

func (c *config) train(t *frame.Training) error {
	sets, err := c.images.Open()
	if err != nil {
		return err
	}
	defer sets.Close()
	pairs, err := newPairs(sets.Train)
	if err != nil {
		return err
	}
	tests, err := newPairs(sets.Test)
	if err != nil {
		return err
	}
	model := newSiamese()
	defer model.Close()
	model.To(sets.Device)
	opt := optim.NewAdadelta(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	sched := schedule.NewStepLR(opt, 1, schedule.Gamma(c.gamma))
	loader := data.NewLoader(pairs, data.BatchSize(c.batch), data.Device(sets.Device))
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		var last float64
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := F.BinaryCrossEntropy(model.Forward(batch.Input, batch.Extra[0]), batch.Target)
			loss.Backward()
			opt.Step()
			last = loss.Item()
			t.Add(last)
			bar.Step()
			if t.Ended() {
				break
			}
		}
		bar.End()
		if t.Err() == nil {
			loss, share := test(model, data.NewLoader(tests, data.BatchSize(c.testBatch), data.Device(sets.Device)),
				tests.Len())
			fmt.Fprintf(t.Out, "epoch %d: loss %.4f, test loss %.4f, accuracy %.1f%%\n", epoch, last, loss, 100*share)
		}
		sched.Step()
	}
	if c.save != "" {
		if err := serialization.Save(model.StateDict(), c.save); err != nil {
			return err
		}
	}
	return draw(c.images.Samples, model, data.NewLoader(tests, data.BatchSize(12), data.Device(sets.Device)))
}

// test returns the mean loss and the accuracy for n pairs.
func test(model *siamese, pairs *data.Loader, n int) (loss, share float64) {
	model.Eval()
	defer model.Train()
	torch.NoGrad(func() {
		for batch := range pairs.All() {
			same := model.Forward(batch.Input, batch.Extra[0])
			loss += F.BinaryCrossEntropy(same, batch.Target, F.ReductionSum).Item() / float64(n)
			share += same.GtScalar(0.5).Eq(batch.Target).Sum().Item() / float64(n)
		}
	})
	return loss, share
}
