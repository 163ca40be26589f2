// Command mnist_forward_forward trains two layers on MNIST digits without a backward pass
// through the network. Each layer learns separately to be active for images with the
// right label written into them, and inactive for images with a wrong label. reference.py
// is the same program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/mnist_forward_forward -epochs 100   # on generated images
//	go run ./pytorch/mnist_forward_forward -data "$(../scripts/get_fashion_mnist.sh)"
package main

import (
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

const classes = 10

type config struct {
	frame.Flags
	images                      digits.Flags
	epochs, trainSize, testSize int
	lr, threshold               float64
	save                        string
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), images: digits.Defaults(),
		epochs: 1000, trainSize: 50000, testSize: 10000, lr: 0.03, threshold: 2,
	}
}

func main() {
	c := defaults()
	c.Register()
	c.images.Register()
	flag.IntVar(&c.epochs, "epochs", c.epochs, "steps per layer, each with all images")
	flag.IntVar(&c.trainSize, "train-size", c.trainSize, "maximum number of training images")
	flag.IntVar(&c.testSize, "test-size", c.testSize, "maximum number of test images")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.threshold, "threshold", c.threshold, "goodness between right labels and wrong ones")
	flag.StringVar(&c.save, "save", c.save, "save the trained model in this file")
	c.Main("mnist_forward_forward", c.train)
}

// first returns the first n images of a set as rows (n, 784), and their labels. If the set
// is smaller, it returns all of them.
func first(set *data.TensorDataset, n int, dev torch.Device) (x, y *torch.Tensor) {
	n = min(n, set.Len())
	x, y = set.Tensors()[0].Narrow(0, 0, int64(n)), set.Tensors()[1].Narrow(0, 0, int64(n))
	e := data.Normalize(digits.Mean, digits.Std)(data.Example{Input: x.To(dev), Target: y.To(dev)})
	return e.Input.Flatten(1), e.Target
}

// overlay writes labels into the first pixels of a copy of the images. label is a tensor
// with a label for each image, or one number for all images.
func overlay(x *torch.Tensor, label any) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		out := x.Clone()
		out.Narrow(1, 0, classes).Zero_()
		return out.SetIndex(x.Max(), torch.Arange(x.Size(0), x.Device()), label)
	})
}

// wrong returns a different label for each label in y.
func wrong(y *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		other := torch.RandInt(0, classes-1, y.Shape()).To(y.Device())
		return other.Add(other.Ge(y))
	})
}

// layer is a linear layer on normalized inputs, with its optimizer.
type layer struct {
	*nn.Linear
	opt *optim.Adam
}

func (l layer) forward(x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		length := x.Norm(torch.Dim(1), torch.KeepDim(true)).AddScalar(1e-4)
		return l.Forward(x.Div(length)).ReLU_()
	})
}

// goodness returns the mean squared activation of a layer for each image.
func goodness(h *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return h.PowScalar(2).Mean(torch.Dim(1)) })
}

// loss is small if the goodness is above the threshold for right labels, and below it for
// wrong ones.
func (l layer) loss(right, wrong *torch.Tensor, threshold float64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		g, b := goodness(l.forward(right)), goodness(l.forward(wrong))
		return torch.Cat([]*torch.Tensor{g.Neg().AddScalar(threshold), b.SubScalar(threshold)}).Exp().Log1p().Mean()
	})
}

// predict returns the label with the largest goodness for each image, summed over all
// layers.
func predict(layers []layer, x *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		var all []*torch.Tensor
		for label := range classes {
			all = append(all, torch.Tidy(func() *torch.Tensor {
				h, sum := overlay(x, label), torch.Zeros(torch.Shape{x.Size(0)}, x.Device())
				for _, l := range layers {
					excited := l.forward(h)
					_ = h.Close()
					h = excited
					sum.Add_(goodness(h))
				}
				return sum
			}))
		}
		return torch.Stack(all, 1).ArgMax(torch.Dim(1))
	})
}

// failed returns the fraction of images whose predicted label is wrong.
func failed(layers []layer, x, y *torch.Tensor) (share float64) {
	torch.Scope(func() { share = 1 - predict(layers, x).Eq(y).To(torch.Float32).Mean().Item() })
	return share
}

func (c *config) train(t *frame.Training) error {
	sets, err := c.images.Open()
	if err != nil {
		return err
	}
	defer sets.Close()
	net := nn.NewModuleList(nn.NewLinear(784, 500), nn.NewLinear(500, 500))
	defer net.Close()
	net.To(sets.Device)
	x, y := first(sets.Train, c.trainSize, sets.Device)
	right, bad := overlay(x, y), overlay(x, wrong(y))
	var layers []layer
	for i, m := range net.Values() {
		l := layer{m.(*nn.Linear), optim.NewAdam(m.Parameters(), optim.LR(c.lr))}
		defer l.opt.Close()
		layers = append(layers, l)
		bar := progress.New(c.epochs, fmt.Sprintf("layer %d", i), c.Quiet)
		var last float64
		for n := 0; n < c.epochs && !t.Ended(); n++ {
			torch.Scope(func() {
				loss := l.loss(right, bad, c.threshold)
				l.opt.ZeroGrad()
				loss.Backward()
				l.opt.Step()
				last = loss.Item()
			})
			t.Add(last)
			bar.Step()
		}
		bar.End()
		fmt.Fprintf(t.Out, "layer %d: loss %.4f\n", i, last)
		torch.NoGrad(func() {
			r, b := l.forward(right), l.forward(bad)
			_, _ = right.Close(), bad.Close()
			right, bad = r, b
		})
	}
	if t.Err() == nil {
		torch.NoGrad(func() {
			fmt.Fprintf(t.Out, "train error: %.4f\n", failed(layers, x, y))
			x, y := first(sets.Test, c.testSize, sets.Device)
			fmt.Fprintf(t.Out, "test error: %.4f\n", failed(layers, x, y))
		})
	}
	if c.save != "" {
		if err := serialization.Save(net.StateDict(), c.save); err != nil {
			return err
		}
	}
	return sets.Draw(c.images.Samples, func(images *torch.Tensor) *torch.Tensor {
		return predict(layers, images.Flatten(1))
	})
}
