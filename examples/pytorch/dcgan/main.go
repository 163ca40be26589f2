// Command dcgan trains a generator against a discriminator. The generator turns noise into
// images, and the discriminator distinguishes these images from real ones. reference.py is
// the same program in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/dcgan -examples 256 -epochs 1 -ngf 8 -ndf 8   # on generated images
//	go run ./pytorch/dcgan -data "$(../scripts/get_fashion_mnist.sh)" -epochs 1 -ngf 16 -ndf 16 -samples out.png
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
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Height and width of an image, and number of images in the picture.
const size, samples = 64, 32

type config struct {
	frame.Flags
	images        digits.Flags
	epochs, batch int
	nz, ngf, ndf  int64
	lr, beta1     float64
	save          string
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), images: digits.Defaults(),
		epochs: 25, batch: 64, nz: 100, ngf: 64, ndf: 64, lr: 0.0002, beta1: 0.5,
	}
}

func main() {
	c := defaults()
	c.Register()
	c.images.Register()
	flag.Lookup("samples").Usage = "draw real images and the generator's into this PNG file"
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images")
	flag.IntVar(&c.batch, "batch-size", c.batch, "images per step")
	flag.Int64Var(&c.nz, "nz", c.nz, "noise values per image")
	flag.Int64Var(&c.ngf, "ngf", c.ngf, "channels before the generator's last layer")
	flag.Int64Var(&c.ndf, "ndf", c.ndf, "channels of the discriminator's first layer")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.beta1, "beta1", c.beta1, "beta1 of Adam")
	flag.StringVar(&c.save, "save", c.save, "save the generator in this file")
	c.Main("dcgan", c.train)
}

// newGenerator returns a network that maps noise (N, nz, 1, 1) to images (N, 1, 64, 64)
// with values from -1 to 1.
func newGenerator(nz, ngf int64) *nn.Sequential {
	g := nn.NewSequential(nn.NewConvTranspose2d(nz, 8*ngf, 4, nn.Bias(false)))
	for n := 8 * ngf; n > ngf; n /= 2 {
		g.Append(nn.NewBatchNorm2d(n)).Append(nn.NewReLU(nn.Inplace(true))).
			Append(nn.NewConvTranspose2d(n, n/2, 4, nn.Stride(2), nn.Padding(1), nn.Bias(false)))
	}
	g.Append(nn.NewBatchNorm2d(ngf)).Append(nn.NewReLU(nn.Inplace(true))).
		Append(nn.NewConvTranspose2d(ngf, 1, 4, nn.Stride(2), nn.Padding(1), nn.Bias(false))).Append(nn.NewTanh())
	nn.Apply(g, initial)
	return g
}

// newDiscriminator returns a network that maps images (N, 1, 64, 64) to the probability
// that they are real, (N, 1, 1, 1).
func newDiscriminator(ndf int64) *nn.Sequential {
	leaky := func() nn.Layer { return nn.NewLeakyReLU(0.2, nn.Inplace(true)) }
	d := nn.NewSequential(nn.NewConv2d(1, ndf, 4, nn.Stride(2), nn.Padding(1), nn.Bias(false)), leaky())
	for n := ndf; n < 8*ndf; n *= 2 {
		d.Append(nn.NewConv2d(n, 2*n, 4, nn.Stride(2), nn.Padding(1), nn.Bias(false))).
			Append(nn.NewBatchNorm2d(2 * n)).Append(leaky())
	}
	d.Append(nn.NewConv2d(8*ndf, 1, 4, nn.Bias(false))).Append(nn.NewSigmoid())
	nn.Apply(d, initial)
	return d
}

func initial(m nn.Module) {
	switch m := m.(type) {
	case *nn.Conv2d:
		nninit.Normal_(m.Weight, 0, 0.02)
	case *nn.ConvTranspose2d:
		nninit.Normal_(m.Weight, 0, 0.02)
	case *nn.BatchNorm2d:
		nninit.Normal_(m.Weight, 1, 0.02)
		nninit.Zeros_(m.Bias)
	}
}

// resized scales an image from bytes to numbers from -1 to 1, and from 28 x 28 to 64 x 64
// pixels.
func resized(e data.Example) data.Example {
	e.Input = F.Interpolate(data.Normalize(0.5, 0.5)(e).Input, F.Size(size), F.ModeBilinear)
	return e
}

func (c *config) train(t *frame.Training) error {
	if min(c.nz, c.ngf, c.ndf) < 1 {
		return fmt.Errorf("-nz, -ngf and -ndf must be at least 1, got %d, %d and %d", c.nz, c.ngf, c.ndf)
	}
	sets, err := c.images.Open()
	if err != nil {
		return err
	}
	defer sets.Close()
	_ = sets.Test.Close() // the test images are not used
	netG, netD := newGenerator(c.nz, c.ngf), newDiscriminator(c.ndf)
	defer netG.Close()
	defer netD.Close()
	netG.To(sets.Device)
	netD.To(sets.Device)
	noise := func(n int64) *torch.Tensor { return torch.Randn(torch.Shape{n, c.nz, 1, 1}, sets.Device) }
	fixed := noise(samples)
	optD := optim.NewAdam(netD.Parameters(), optim.LR(c.lr), optim.Betas(c.beta1, 0.999))
	defer optD.Close()
	optG := optim.NewAdam(netG.Parameters(), optim.LR(c.lr), optim.Betas(c.beta1, 0.999))
	defer optG.Close()
	loader := data.NewLoader(sets.Train, data.BatchSize(c.batch), data.Shuffle(true), data.Transform(resized),
		data.Device(sets.Device))
	// judge runs the discriminator and a backward pass on images. real is the target: 1 for
	// real images, 0 for generated ones.
	judge := func(images *torch.Tensor, real float64) *torch.Tensor {
		said := netD.Forward(images).View(-1)
		loss := F.BinaryCrossEntropy(said, torch.FullLike(said, real))
		loss.Backward()
		return loss
	}
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		var lossD, lossG float64
		for batch := range loader.AllContext(t) {
			netD.ZeroGrad()
			lossReal := judge(batch.Input, 1)
			drawn := netG.Forward(noise(batch.Input.Size(0)))
			lossD = lossReal.Add(judge(drawn.Detach(), 0)).Item()
			optD.Step()

			netG.ZeroGrad()
			lossG = judge(drawn, 1).Item() // the generator is better if its images pass as real
			optG.Step()
			t.Add(lossD + lossG)
			bar.Step()
			if t.Ended() {
				break
			}
		}
		bar.End()
		fmt.Fprintf(t.Out, "epoch %d: discriminator's loss %.4f, generator's loss %.4f\n", epoch, lossD, lossG)
	}
	if c.save != "" {
		if err := serialization.Save(netG.StateDict(), c.save); err != nil {
			return err
		}
	}
	return c.draw(sets, netG, fixed)
}

// draw draws real and generated images side by side. Without -samples it does nothing.
func (c *config) draw(sets *digits.Sets, netG *nn.Sequential, noise *torch.Tensor) error {
	if c.images.Samples == "" {
		return nil
	}
	var row []*plot.Plot
	add := func(title string, images *torch.Tensor) {
		row = append(row, tiles.Picture(title, tiles.Grid(images.MulScalar(0.5).AddScalar(0.5).To(torch.CPU), 8)))
	}
	torch.NoGrad(func() {
		for batch := range data.NewLoader(sets.Train, data.BatchSize(samples), data.DropLast(true),
			data.Transform(resized)).All() {
			add("real", batch.Input)
			break
		}
		add("the generator's", netG.Forward(noise))
	})
	return tiles.Save(c.images.Samples, 8*vg.Inch, 4.2*vg.Inch, row)
}
