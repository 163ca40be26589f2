// Command mnist trains a CNN with dropout on MNIST digits, with Adadelta and a learning
// rate that decreases from epoch to epoch. reference.py is the same program in Python.
// With the same seed both print the same losses.
//
//	go run ./pytorch/mnist -epochs 2           # on generated images
//	go run ./pytorch/mnist -data "$(../scripts/get_fashion_mnist.sh)" -epochs 1
//	go run ./pytorch/mnist -save mnist_cnn.pt  # Python's torch.load reads it
package main

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
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
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch-size", c.batch, "images per step")
	flag.IntVar(&c.testBatch, "test-batch-size", c.testBatch, "images per test batch")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.gamma, "gamma", c.gamma, "factor of the learning rate after each epoch")
	flag.StringVar(&c.save, "save", c.save, "save the trained model in this file")
	c.Main("mnist", c.train)
}

// newNet returns the network. It maps images (N, 1, 28, 28) to log probabilities (N, 10).
// nn.Sequential frees the result of each layer as soon as the next layer has used it.
func newNet() *nn.Sequential {
	return nn.NewSequential().
		Add("conv1", nn.NewConv2d(1, 32, 3)).
		Add("relu1", nn.NewReLU()).
		Add("conv2", nn.NewConv2d(32, 64, 3)).
		Add("relu2", nn.NewReLU()).
		Add("pool", nn.NewMaxPool2d(2)).
		Add("dropout1", nn.NewDropout(0.25)).
		Add("flatten", nn.NewFlatten()).
		Add("fc1", nn.NewLinear(9216, 128)).
		Add("relu3", nn.NewReLU()).
		Add("dropout2", nn.NewDropout(0.5)).
		Add("fc2", nn.NewLinear(128, 10)).
		Add("softmax", nn.NewLogSoftmax(1))
}

func (c *config) train(t *frame.Training) error {
	sets, err := c.images.Open()
	if err != nil {
		return err
	}
	defer sets.Close()
	model := newNet()
	defer model.Close()
	model.To(sets.Device)
	opt := optim.NewAdadelta(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	sched := schedule.NewStepLR(opt, 1, schedule.Gamma(c.gamma))
	loader := sets.Loader(sets.Train, c.batch, data.Shuffle(true))
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		var last float64
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := F.NLLLoss(model.Forward(batch.Input), batch.Target)
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
			fmt.Fprintf(t.Out, "epoch %d: loss %.4f, %v\n", epoch, last, sets.Score(model, c.testBatch))
		}
		sched.Step()
	}
	if c.save != "" {
		if err := serialization.Save(model.StateDict(), c.save); err != nil {
			return err
		}
	}
	model.Eval()
	return sets.Draw(c.images.Samples, func(images *torch.Tensor) *torch.Tensor {
		return model.Forward(images).ArgMax(torch.Dim(1))
	})
}
