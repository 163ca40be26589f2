// Command imagenet trains a model of vision/models on ImageNet or any other directory of
// images, with SGD and momentum. reference.py is the same program in Python, for a
// ResNet-18. With the same seed both print the same losses.
//
//	go run ./pytorch/imagenet -data /data/imagenet          # train/CLASS/... and val/CLASS/...
//	go run ./pytorch/imagenet -data /data/imagenet -resume checkpoint.pth.tar
//	go run ./pytorch/imagenet -data /data/imagenet -pretrained resnet18-f37072fd.pth -evaluate
//	go run ./pytorch/imagenet -dummy -arch mobilenet_v2     # noise, to measure the speed
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/weights"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/vision/models"
)

type config struct {
	frame.Flags
	data, arch, device, pretrained, resume, saveDir, samples string
	dummy, evaluate                                          bool
	epochs, startEpoch, batch, workers, printFreq            int
	size, examples                                           int
	lr, momentum, weightDecay                                float64
}

// defaults returns the default flags of PyTorch's example.
func defaults() config {
	return config{
		Flags: frame.Defaults(), data: "imagenet", arch: "resnet18", device: "cpu", saveDir: ".",
		epochs: 90, batch: 256, workers: 4, printFreq: 10, size: 224, examples: 1281167,
		lr: 0.1, momentum: 0.9, weightDecay: 1e-4,
	}
}

func main() {
	c := defaults()
	c.Register()
	flag.StringVar(&c.data, "data", c.data, "folder with train and val, which have a folder of images for each class")
	flag.BoolVar(&c.dummy, "dummy", c.dummy, "train on images of noise")
	flag.IntVar(&c.examples, "examples", c.examples,
		"images of noise for training, and a 25th as many for the validation")
	flag.IntVar(&c.size, "image-size", c.size, "height and width of the part of an image that the model gets")
	flag.StringVar(&c.arch, "arch", c.arch, "model: resnet50, vit_b_16 or any other of models.ListModels")
	flag.StringVar(&c.pretrained, "pretrained", c.pretrained, "read the weights from this file of torchvision")
	flag.StringVar(&c.device, "device", c.device, "device of the model: cpu, cuda, cuda:1")
	flag.IntVar(&c.workers, "workers", c.workers, "goroutines that read images")
	flag.IntVar(&c.epochs, "epochs", c.epochs, "passes over the training images, including those before -start-epoch")
	flag.IntVar(&c.startEpoch, "start-epoch", c.startEpoch, "number of the first epoch; -resume sets it")
	flag.IntVar(&c.batch, "batch-size", c.batch, "images per step")
	flag.Float64Var(&c.lr, "lr", c.lr, "learning rate; it falls to a tenth after every 30 epochs")
	flag.Float64Var(&c.momentum, "momentum", c.momentum, "momentum of SGD")
	flag.Float64Var(&c.weightDecay, "weight-decay", c.weightDecay, "weight decay of SGD")
	flag.IntVar(&c.printFreq, "print-freq", c.printFreq, "steps between two lines of output; -quiet prints none")
	flag.StringVar(&c.saveDir, "save-dir", c.saveDir,
		`folder for checkpoint.pth.tar and model_best.pth.tar; "" saves nothing`)
	flag.StringVar(&c.resume, "resume", c.resume, "continue from this checkpoint")
	flag.BoolVar(&c.evaluate, "evaluate", c.evaluate, "only validate")
	flag.StringVar(&c.samples, "samples", c.samples, "draw validation images with the predictions into this PNG file")
	c.Main("imagenet", c.train)
}

// training contains the state of one run of the program.
type training struct {
	*frame.Training
	*config
	device torch.Device
	model  nn.Layer
	opt    *optim.SGD
	sched  *schedule.StepLR
	epoch  int     // number of finished epochs
	best   float64 // best validation accuracy so far, in percent
}

// train runs the program.
func (c *config) train(f *frame.Training) error {
	if err := c.check(); err != nil {
		return err
	}
	t := &training{Training: f, config: c, epoch: c.startEpoch}
	var err error
	if t.device, err = torch.ParseDevice(c.device); err != nil {
		return err
	}
	images, err := c.open()
	if err != nil {
		return err
	}
	if t.model, err = models.GetModel(c.arch); err != nil {
		return err
	}
	defer t.model.Close()
	if err := weights.Load(c.pretrained, t.model); err != nil {
		return err
	}
	t.model.To(t.device)
	t.opt = optim.NewSGD(t.model.Parameters(), optim.LR(c.lr), optim.Momentum(c.momentum),
		optim.WeightDecay(c.weightDecay))
	defer t.opt.Close()
	t.sched = schedule.NewStepLR(t.opt, 30, schedule.Gamma(0.1))
	if err := t.load(); err != nil {
		return err
	}
	tests := t.loader(images.tested)
	if c.evaluate {
		t.validate(tests)
		return t.draw(images)
	}
	if err := t.learn(t.loader(images.learned, data.Shuffle(true)), tests); err != nil {
		return err
	}
	return t.draw(images)
}

// check returns an error for invalid flag values that no other function rejects.
func (c *config) check() error {
	switch {
	case c.epochs < 0 || c.startEpoch < 0:
		return errors.New("-epochs and -start-epoch must be at least 0")
	case c.printFreq < 1:
		return errors.New("-print-freq must be at least 1")
	case c.dummy && c.examples < 25:
		return fmt.Errorf("-examples must be at least 25, got %d", c.examples)
	case c.saveDir == "" || c.evaluate:
		return nil
	}
	return os.MkdirAll(c.saveDir, 0o750)
}

// loader returns a loader for set whose batches are on the model's device.
func (t *training) loader(set data.Dataset, opts ...data.LoaderOption) *data.Loader {
	return data.NewLoader(set, append([]data.LoaderOption{
		data.BatchSize(t.batch), data.NumWorkers(t.workers), data.Device(t.device),
	}, opts...)...)
}

// learn trains the model, and writes a checkpoint after each epoch.
func (t *training) learn(loader, tests *data.Loader) error {
	for t.epoch < t.epochs && !t.Ended() {
		t.pass(loader)
		top1 := t.validate(tests)
		if t.Err() == nil { // if the epoch was interrupted, the last checkpoint stays
			t.sched.Step()
			t.epoch++
			if err := t.save(top1); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass trains once on each image.
func (t *training) pass(loader *data.Loader) {
	shown := t.meters(fmt.Sprintf("Epoch: [%d]", t.epoch), loader.Len())
	t.model.Train()
	for batch := range loader.AllContext(t) {
		shown.loaded()
		out := t.model.Forward(batch.Input)
		loss := F.CrossEntropy(out, batch.Target)
		shown.score(loss, out, batch.Target)
		t.opt.ZeroGrad()
		loss.Backward()
		t.opt.Step()
		t.Add(loss.Item())
		shown.stepped(batch.Index)
		if t.Ended() {
			break
		}
	}
}

// validate returns the accuracy on the validation images in percent.
func (t *training) validate(loader *data.Loader) float64 {
	shown := t.meters("Test: ", loader.Len())
	t.model.Eval()
	torch.NoGrad(func() {
		for batch := range loader.AllContext(t) {
			shown.loaded()
			out := t.model.Forward(batch.Input)
			shown.score(F.CrossEntropy(out, batch.Target), out, batch.Target)
			shown.stepped(batch.Index)
		}
	})
	if t.Err() == nil {
		fmt.Fprintf(t.Out, " * Loss %.4f Acc@1 %.3f Acc@5 %.3f\n", shown.loss.mean(), shown.top1.mean(),
			shown.top5.mean())
	}
	return shown.top1.mean()
}
