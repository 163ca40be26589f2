// Command super_resolution learns to enlarge images. Four convolutions process a small
// image, and the output channels of the last convolution become the additional pixels.
// reference.py is the same program in Python. With the same seed both print the same
// losses.
//
//	go run ./pytorch/super_resolution                                  # on generated images
//	go run ./pytorch/super_resolution -data '/data/pictures/*.png' -samples out.png
//	go run ./pytorch/super_resolution -upscale-factor 2 -save super.pt # Python's torch.load reads it
package main

import (
	"flag"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/tiles"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
)

type config struct {
	frame.Flags
	data, samples, save      string
	crop, factor             int64
	epochs, batch, testBatch int
	lr                       float64
}

func defaults() config {
	return config{Flags: frame.Defaults(), crop: 96, factor: 3, epochs: 2, batch: 64, testBatch: 10, lr: 0.01}
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data, "pattern of names of pictures; without it a picture is generated")
	flag.Int64Var(&c.crop, "crop", c.crop, "side of the squares into which pictures are cut, in pixels")
	flag.Int64Var(&c.factor, "upscale-factor", c.factor, "factor by which pictures are enlarged")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training squares")
	flag.IntVar(&c.batch, "batch-size", c.batch, "squares per step")
	flag.IntVar(&c.testBatch, "test-batch-size", c.testBatch, "squares per test batch")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.StringVar(&c.save, "save", c.save, "save the trained model in this file")
	flag.StringVar(&c.samples, "samples", c.samples,
		"draw test squares, small, enlarged and original, into this PNG file")
	c.Main("super_resolution", c.train)
}

// newNet returns the network. It maps images (N, 1, H, W) to (N, 1, factor H, factor W).
func newNet(factor int64) *nn.Sequential {
	conv1 := nn.NewConv2d(1, 64, 5, nn.Padding(2))
	conv2 := nn.NewConv2d(64, 64, 3, nn.Padding(1))
	conv3 := nn.NewConv2d(64, 32, 3, nn.Padding(1))
	conv4 := nn.NewConv2d(32, factor*factor, 3, nn.Padding(1))
	gain := nninit.Gain(nninit.CalculateGain(nninit.NonlinearityReLU, 0))
	for _, conv := range []*nn.Conv2d{conv1, conv2, conv3} {
		nninit.Orthogonal_(conv.Weight, gain)
	}
	nninit.Orthogonal_(conv4.Weight)
	return nn.NewSequential().
		Add("conv1", conv1).Add("relu1", nn.NewReLU()).
		Add("conv2", conv2).Add("relu2", nn.NewReLU()).
		Add("conv3", conv3).Add("relu3", nn.NewReLU()).
		Add("conv4", conv4).Add("pixel_shuffle", nn.NewPixelShuffle(factor))
}

func (c *config) train(t *frame.Training) error {
	learned, tested, err := c.open()
	if err != nil {
		return err
	}
	defer learned.Close()
	defer tested.Close()
	model := newNet(c.factor)
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	loader := data.NewLoader(learned, data.BatchSize(c.batch), data.Shuffle(true))
	tests := data.NewLoader(tested, data.BatchSize(c.testBatch))
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		var last float64
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			loss := torch.Tidy(func() *torch.Tensor { return F.MSELoss(model.Forward(batch.Input), batch.Target) })
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
			fmt.Fprintf(t.Out, "epoch %d: loss %.5f, %.2f dB\n", epoch, last, ratio(model, tests))
		}
	}
	if c.save != "" {
		if err := serialization.Save(model.StateDict(), c.save); err != nil {
			return err
		}
	}
	return c.draw(model, data.NewLoader(tested, data.BatchSize(4)))
}

// ratio returns the peak signal-to-noise ratio in decibels, averaged over the batches.
func ratio(model *nn.Sequential, tests *data.Loader) (db float64) {
	torch.NoGrad(func() {
		for batch := range tests.All() {
			db -= 10 * math.Log10(F.MSELoss(model.Forward(batch.Input), batch.Target).Item()) / float64(tests.Len())
		}
	})
	return db
}

// draw draws up to four test squares, one per row. Without -samples it does nothing.
func (c *config) draw(model *nn.Sequential, tests *data.Loader) error {
	var rows [][]*plot.Plot
	if c.samples == "" {
		return nil
	}
	torch.NoGrad(func() {
		for batch := range tests.All() {
			size := F.Sizes{c.crop, c.crop}
			columns := []*torch.Tensor{
				F.Interpolate(batch.Input, size, F.ModeNearest), F.Interpolate(batch.Input, size, F.ModeBicubic),
				model.Forward(batch.Input), batch.Target,
			}
			for i := range batch.Input.Size(0) {
				var row []*plot.Plot
				for k, title := range []string{"small", "bicubic", "the network's", "as it was"} {
					row = append(row, tiles.Picture(title, tiles.Gray(columns[k].Index(i, 0))))
				}
				rows = append(rows, row)
			}
			break
		}
	})
	return tiles.Save(c.samples, 8*vg.Inch, vg.Length(len(rows))*2.1*vg.Inch, rows...)
}
