// Command fast_neural_style trains a network that redraws images in the style of a
// different image. The losses compare VGG-16's features of the redrawn image with the
// features of the original image and of the style image. reference.py is the same program
// in Python. With the same seed both print the same losses.
//
//	go run ./pytorch/fast_neural_style -width 0.25 -image-size 64  # on a generated image and style
//	go run ./pytorch/fast_neural_style -data '/data/*.png' -style-image style.png -vgg vgg16.pth -save style.pt
//	go run ./pytorch/fast_neural_style -model style.pt -content-image cat.png -output-image drawn.png
package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/weights"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type config struct {
	frame.Flags
	data, style, vgg, device              string
	epochs, batch                         int
	size, styleSize                       int64
	width, contentWeight, styleWeight, lr float64
	model, content, output, samples, save string
	contentScale                          float64
}

func defaults() config {
	return config{
		Flags: frame.Defaults(), device: "cpu", epochs: 2, batch: 4, size: 256,
		width: 1, contentWeight: 1e5, styleWeight: 1e10, lr: 1e-3, contentScale: 1,
	}
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data, "pattern of names of pictures to learn from; without it one is generated")
	flag.StringVar(&c.style, "style-image", c.style, "picture with the style to learn; without it one is generated")
	flag.Int64Var(&c.styleSize, "style-size", c.styleSize,
		"side of the style's picture after resizing, in pixels; 0: do not resize")
	flag.StringVar(&c.vgg, "vgg", c.vgg, "torchvision's file of VGG-16; without it VGG's weights are random")
	flag.StringVar(&c.device, "device", c.device, "device of the networks: cpu, cuda, cuda:1")
	flag.Int64Var(&c.size, "image-size", c.size, "side of the squares into which pictures are cut, in pixels")
	flag.Float64Var(&c.width, "width", c.width,
		"factor of the number of channels; a VGG from a file always has all")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the squares")
	flag.IntVar(&c.batch, "batch-size", c.batch, "squares per step")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate")
	flag.Float64Var(&c.contentWeight, "content-weight", c.contentWeight, "factor of the content loss")
	flag.Float64Var(&c.styleWeight, "style-weight", c.styleWeight, "factor of the style loss")
	flag.StringVar(&c.save, "save", c.save, "save the trained network in this file")
	flag.StringVar(&c.model, "model", c.model, "file of a trained network; skips the training")
	flag.StringVar(&c.content, "content-image", c.content, "picture to redraw; without it the first square")
	flag.Float64Var(&c.contentScale, "content-scale", c.contentScale,
		"factor by which -content-image is reduced first")
	flag.StringVar(&c.output, "output-image", c.output, "redraw -content-image into this PNG file")
	flag.StringVar(&c.samples, "samples", c.samples, "draw content, style and result into this PNG file")
	c.Main("fast_neural_style", c.train)
}

// channels returns n, a layer's number of channels, multiplied by width.
func channels(n int64, width float64) int64 { return int64(float64(n) * width) }

func (c *config) check() error {
	if c.size < 32 || channels(32, c.width) < 1 || c.styleSize < 0 || c.contentScale <= 0 {
		return fmt.Errorf("-image-size must be at least 32, -width 1/32, -style-size 0, -content-scale more than "+
			"0; got %d, %g, %d and %g",
			c.size, c.width, c.styleSize, c.contentScale)
	}
	if (c.model != "" || c.content != "") && c.output == "" && c.samples == "" {
		return errors.New("-model and -content-image need -output-image or -samples, to which the drawing is written")
	}
	return nil
}

func (c *config) train(t *frame.Training) error {
	if err := c.check(); err != nil {
		return err
	}
	device, err := torch.ParseDevice(c.device)
	if err != nil {
		return err
	}
	model := newTransformer(c.width)
	defer model.Close()
	model.To(device)
	if c.model != "" {
		err = load(model, c.model)
	} else {
		err = c.learn(t, model, device)
	}
	if err != nil {
		return err
	}
	return c.redraw(model, device)
}

func (c *config) learn(t *frame.Training, model *nn.Sequential, device torch.Device) error {
	style, err := c.openStyle()
	if err != nil {
		return err
	}
	seen, err := newPerception(c.vgg, c.width, style, device)
	if err != nil {
		return err
	}
	defer seen.close()
	_ = style.Close()
	squares, err := c.squares()
	if err != nil {
		return err
	}
	set := data.NewTensorDataset(squares)
	defer set.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(c.lr))
	defer opt.Close()
	loader := data.NewLoader(set, data.BatchSize(c.batch), data.Shuffle(true), data.Device(device))
	for epoch := 1; epoch <= c.epochs && !t.Ended(); epoch++ {
		bar := progress.New(loader.Len(), fmt.Sprintf("epoch %d/%d", epoch, c.epochs), c.Quiet)
		var contents, styles, steps float64
		for batch := range loader.AllContext(t) {
			opt.ZeroGrad()
			content, style := seen.losses(model, batch.Input.To(torch.Float32))
			content, style = content.MulScalar(c.contentWeight), style.MulScalar(c.styleWeight)
			loss := content.Add(style)
			loss.Backward()
			opt.Step()
			contents, styles, steps = contents+content.Item(), styles+style.Item(), steps+1
			t.Add(loss.Item())
			bar.Step()
			if t.Ended() {
				break
			}
		}
		bar.End()
		if t.Err() == nil {
			fmt.Fprintf(t.Out, "epoch %d: content %.0f, style %.0f\n", epoch, contents/steps, styles/steps)
		}
	}
	return weights.Save(c.save, model)
}
