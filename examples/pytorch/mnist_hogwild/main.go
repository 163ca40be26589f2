// Command mnist_hogwild trains one CNN in several goroutines, which update the same weights
// without a lock (Hogwild). reference.py is the same program in Python, with processes.
// With one worker and the same seed both print the same losses.
//
//	go run ./pytorch/mnist_hogwild -epochs 2                 # on generated images
//	go run ./pytorch/mnist_hogwild -epochs 2 -plot out.png   # the losses of the workers
//	go run ./pytorch/mnist_hogwild -data "$(../scripts/get_fashion_mnist.sh)" -workers 4
package main

import (
	"errors"
	"flag"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

type config struct {
	frame.Flags
	images                            digits.Flags
	epochs, batch, testBatch, workers int
	lr, momentum                      float64
	save, plot                        string
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), images: digits.Defaults(),
		epochs: 10, batch: 64, testBatch: 1000, workers: 2, lr: 0.01, momentum: 0.5,
	}
}

func main() {
	c := defaults()
	c.Register()
	c.images.Register()
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes of each worker over the training images")
	flag.IntVar(&c.batch, "batch-size", c.batch, "images per step")
	flag.IntVar(&c.testBatch, "test-batch-size", c.testBatch, "images per test batch")
	flag.IntVar(&c.workers, "workers", c.workers, "goroutines that train")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.momentum, "momentum", c.momentum, "momentum of SGD")
	flag.StringVar(&c.save, "save", c.save, "save the trained model in this file")
	flag.StringVar(&c.plot, "plot", c.plot, "draw the workers' losses into this PNG file")
	c.Main("mnist_hogwild", c.train)
}

// newNet returns the network. It maps images (N, 1, 28, 28) to log probabilities (N, 10).
func newNet() *nn.Sequential {
	return nn.NewSequential().
		Add("conv1", nn.NewConv2d(1, 10, 5)).
		Add("pool1", nn.NewMaxPool2d(2)).
		Add("relu1", nn.NewReLU()).
		Add("conv2", nn.NewConv2d(10, 20, 5)).
		Add("conv2_drop", nn.NewDropout2d(0.5)).
		Add("pool2", nn.NewMaxPool2d(2)).
		Add("relu2", nn.NewReLU()).
		Add("flatten", nn.NewFlatten()).
		Add("fc1", nn.NewLinear(320, 50)).
		Add("relu3", nn.NewReLU()).
		Add("dropout", nn.NewDropout(0.5)).
		Add("fc2", nn.NewLinear(50, 10)).
		Add("softmax", nn.NewLogSoftmax(1))
}

// share returns a copy of model whose weights use the same memory. The copy has its own
// gradients and version counters.
func share(model *nn.Sequential) *nn.Sequential {
	own := nn.DeepCopy(model).(*nn.Sequential)
	torch.Scope(func() {
		for i, p := range model.Parameters() {
			own.Parameters()[i].SetData(p.Data())
		}
	})
	return own
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
	if c.workers < 1 {
		return fmt.Errorf("-workers must be at least 1, got %d", c.workers)
	}
	bar := progress.New(c.workers*c.epochs*(sets.Train.Len()/max(c.batch, 1)), "training", c.Quiet)
	curves, errs := make([]plot.Line, c.workers), make([]error, c.workers)
	var all sync.WaitGroup
	for rank := range c.workers {
		all.Go(func() {
			g := torch.NewGenerator(torch.CPU).ManualSeed(c.Seed + uint64(rank))
			errs[rank] = torch.Try(func() {
				torch.WithGenerator(g, func() { curves[rank] = c.work(t, rank, model, sets, bar) })
			})
		})
	}
	all.Wait()
	bar.End()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if t.Err() == nil {
		fmt.Fprintln(t.Out, sets.Score(model, c.testBatch))
	}
	if c.save != "" {
		if err := serialization.Save(model.StateDict(), c.save); err != nil {
			return err
		}
	}
	model.Eval()
	err = sets.Draw(c.images.Samples, func(images *torch.Tensor) *torch.Tensor {
		return model.Forward(images).ArgMax(torch.Dim(1))
	})
	if err != nil || c.plot == "" {
		return err
	}
	return plot.Save(c.plot, "step of the worker", plot.Panel{Label: "loss", Lines: curves})
}

// work runs one worker. It returns the means of each group of ten consecutive losses.
func (c *config) work(t *frame.Training, rank int, shared *nn.Sequential, sets *digits.Sets,
	bar progress.Bar,
) plot.Line {
	model := share(shared)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(c.lr), optim.Momentum(c.momentum))
	defer opt.Close()
	curve := plot.Line{Label: fmt.Sprintf("worker %d", rank+1)}
	loader, steps, sum := sets.Loader(sets.Train, c.batch, data.Shuffle(true)), 0, 0.0
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := F.NLLLoss(model.Forward(batch.Input), batch.Target)
			loss.Backward()
			opt.Step()
			last := loss.Item()
			t.Add(last)
			bar.Step()
			sum, steps = sum+last, steps+1
			if steps%10 == 0 {
				curve.X, curve.Y, sum = append(curve.X, float64(steps)), append(curve.Y, sum/10), 0
			}
			if t.Ended() {
				break
			}
		}
	}
	return curve
}
