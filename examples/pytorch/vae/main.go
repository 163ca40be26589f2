// Command vae trains a variational autoencoder on MNIST digits. It encodes an image as
// twenty numbers and decodes the numbers to an image. From random numbers it generates
// new images. reference.py is the same program in Python. With the same seed both print
// the same losses.
//
//	go run ./pytorch/vae -epochs 2                    # on generated images
//	go run ./pytorch/vae -epochs 2 -samples vae.png   # reconstructed and generated images
//	go run ./pytorch/vae -data "$(../scripts/get_fashion_mnist.sh)" -epochs 1
package main

import (
	"flag"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type config struct {
	frame.Flags
	images        digits.Flags
	epochs, batch int
	lr            float64
}

func defaults() config {
	return config{Flags: frame.Defaults(), images: digits.Defaults(), epochs: 10, batch: 128, lr: 1e-3}
}

func main() {
	c := defaults()
	c.Register()
	c.images.Register()
	flag.Lookup("samples").Usage = "draw test images, their reconstructions, and new images into this PNG file"
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch-size", c.batch, "images per step")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	c.Main("vae", c.train)
}

const pixels, hidden, numbers = 28 * 28, 400, 20

// vae has layers with the same names as in PyTorch's program.
type vae struct {
	nn.Base
	fc1, fc21, fc22, fc3, fc4 *nn.Linear
}

func newVAE() *vae {
	m := &vae{}
	m.Init(m)
	m.fc1 = nn.NewLinear(pixels, hidden)
	m.fc21 = nn.NewLinear(hidden, numbers)
	m.fc22 = nn.NewLinear(hidden, numbers)
	m.fc3 = nn.NewLinear(numbers, hidden)
	m.fc4 = nn.NewLinear(hidden, pixels)
	return m
}

// encode maps images (N, 1, 28, 28) to the means and log variances of their latent numbers,
// (N, 20) each.
func (m *vae) encode(x *torch.Tensor) (mu, logvar *torch.Tensor) {
	h := m.fc1.Forward(x.View(-1, pixels)).ReLU_()
	return m.fc21.Forward(h), m.fc22.Forward(h)
}

// draw decodes latent numbers (N, 20) to images (N, 784).
func (m *vae) draw(z *torch.Tensor) *torch.Tensor {
	return m.Call(z, func(z *torch.Tensor) *torch.Tensor {
		return m.fc4.Forward(m.fc3.Forward(z).ReLU_()).Sigmoid()
	})
}

// forward encodes each image, draws latent numbers with the encoded mean and variance, and
// decodes them.
func (m *vae) forward(x *torch.Tensor) (drawn, mu, logvar *torch.Tensor) {
	mu, logvar = m.encode(x)
	std := logvar.MulScalar(0.5).Exp()
	return m.draw(mu.Add(torch.RandnLike(std).Mul(std))), mu, logvar
}

// loss returns the reconstruction loss plus the KL divergence of the latent numbers from a
// normal distribution, summed over the batch (Kingma and Welling,
// https://arxiv.org/abs/1312.6114, appendix B).
func (m *vae) loss(x *torch.Tensor) *torch.Tensor {
	drawn, mu, logvar := m.forward(x)
	lacking := F.BinaryCrossEntropy(drawn, x.View(-1, pixels), F.ReductionSum)
	told := logvar.AddScalar(1).Sub(mu.PowScalar(2)).Sub(logvar.Exp()).Sum().MulScalar(-0.5)
	return lacking.Add(told)
}

func (c *config) train(t *frame.Training) error {
	sets, err := c.images.Open()
	if err != nil {
		return err
	}
	defer sets.Close()
	model := newVAE()
	defer model.Close()
	model.To(sets.Device)
	opt := optim.NewAdam(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	common := []data.LoaderOption{
		data.BatchSize(c.batch), data.Transform(data.Normalize(0, 1)),
		data.Device(sets.Device),
	}
	tests := data.NewLoader(sets.Test, common...)
	loader := data.NewLoader(sets.Train, append(common, data.Shuffle(true))...)
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		total, seen := 0.0, 0.0
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := model.loss(batch.Input)
			loss.Backward()
			opt.Step()
			total += loss.Item()
			seen += float64(batch.Input.Size(0))
			t.Add(loss.Item() / float64(batch.Input.Size(0)))
			bar.Step()
			if t.Ended() {
				break
			}
		}
		bar.End()
		if t.Err() == nil {
			fmt.Fprintf(t.Out, "epoch %d: loss %.4f, test loss %.4f\n", epoch, total/seen,
				test(model, tests)/float64(sets.Test.Len()))
		}
	}
	return picture(c.images.Samples, model, sets)
}

// test returns the sum of the losses of all test images.
func test(model *vae, tests *data.Loader) (loss float64) {
	torch.NoGrad(func() {
		for batch := range tests.All() {
			loss += model.loss(batch.Input).Item()
		}
	})
	return loss
}

// picture draws a PNG file that shows test images with their reconstructions, and images
// generated from random numbers. If path is "", it does nothing.
func picture(path string, model *vae, sets *digits.Sets) error {
	if path == "" {
		return nil
	}
	var row []*plot.Plot
	torch.NoGrad(func() {
		for batch := range data.NewLoader(sets.Test, data.BatchSize(32), data.DropLast(true),
			data.Transform(data.Normalize(0, 1)), data.Device(sets.Device)).All() {
			drawn, _, _ := model.forward(batch.Input)
			pairs := torch.Cat([]*torch.Tensor{batch.Input.View(4, 8, pixels), drawn.View(4, 8, pixels)}, 1)
			row = append(row,
				tiles.Picture("images, and what it makes of them",
					tiles.Grid(pairs.View(-1, 1, 28, 28).To(torch.CPU), 8)))
			break
		}
		drawn := model.draw(torch.Randn(torch.Shape{64, numbers}, sets.Device))
		row = append(row, tiles.Picture("new images", tiles.Grid(drawn.View(-1, 1, 28, 28).To(torch.CPU), 8)))
	})
	return tiles.Save(path, 8*vg.Inch, 4.2*vg.Inch, row)
}
