// Command fashionmnist trains a small CNN on Fashion-MNIST and accounts for every byte of
// native memory. reference.py is the same program in Python. With the same seed both
// print the same losses.
//
//	make demo                                  # one epoch
//	make demo ARGS="-epochs 5 -plot out.png"   # five epochs, and a plot of loss and memory
//	make demo ARGS="-samples out.png"          # test images with the model's predictions
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const mean, std = 0.2860, 0.3530 // of the pixels of the training images, scaled to 0..1

type config struct {
	data, device, lossFile        string
	plot, samples                 string
	epochs, batch, steps, threads int
	seed                          uint64
	bench                         bool
}

func main() {
	var c config
	flag.StringVar(&c.data, "data", "", "folder with the four files of Fashion-MNIST")
	flag.IntVar(&c.epochs, "epochs", 1, "passes over the training images")
	flag.IntVar(&c.batch, "batch", 64, "images per step")
	flag.IntVar(&c.steps, "steps", -1, "stop after this number of steps; -1: after the epochs")
	flag.Uint64Var(&c.seed, "seed", 0, "seed of the random generator")
	flag.IntVar(&c.threads, "threads", torch.NumThreads(), "threads for one operator")
	flag.StringVar(&c.device, "device", "cpu", "device of the model: cpu, cuda, cuda:1")
	flag.StringVar(&c.plot, "plot", "", "draw loss, accuracy and memory over steps into this PNG file")
	flag.StringVar(&c.samples, "samples", "", "draw test images with the model's predictions into this PNG file")
	flag.StringVar(&c.lossFile, "losses", "", "write seconds and loss of each step to this file")
	flag.BoolVar(&c.bench, "bench", false, "no progress bar; print the time of an epoch and the peak of memory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the program
	if err := (&session{config: c, book: account.Open()}).run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fashionmnist:", err)
		os.Exit(1)
	}
}

// run trains the model. At the end it checks that all native memory is free.
func (s *session) run(ctx context.Context) (err error) {
	if wrong := torch.Try(func() { err = s.train(ctx) }); wrong != nil || err != nil {
		return errors.Join(wrong, err)
	}
	bytes, tensors, peak := s.book.Close()
	fmt.Printf("all closed: %d bytes and %d tensors more than at the start\n", bytes, tensors)
	if bytes != 0 || tensors != 0 {
		return errors.New("native memory leaked")
	}
	if s.bench {
		fmt.Printf("bench epoch_s=%.4f peak_bytes=%d\n", s.took, peak)
	}
	return nil
}

// session is a training run and its measurements.
type session struct {
	config
	images, tests *data.TensorDataset
	loading       []data.LoaderOption
	model         *nn.Sequential
	opt           *optim.AdamW
	book          *account.Book
	log           *twin.Log
	took          float64   // duration of the last epoch in seconds
	losses        []float64 // of each step
	// For each evaluation: the number of steps before it, and the accuracy.
	tested, accuracy []float64
}

func (s *session) train(ctx context.Context) (err error) {
	dev, err := torch.ParseDevice(s.device)
	if err != nil {
		return err
	}
	if s.log, err = twin.Create(s.lossFile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.log.Close()) }()
	torch.SetNumThreads(s.threads)
	torch.ManualSeed(s.seed)
	if s.images, err = data.MNIST(s.data); err != nil {
		return err
	}
	defer s.images.Close()
	if s.tests, err = data.MNIST(s.data, data.Train(false)); err != nil {
		return err
	}
	defer s.tests.Close()
	s.loading = []data.LoaderOption{
		data.BatchSize(s.batch), data.Shuffle(true),
		data.Transform(data.Normalize(mean, std)), data.Device(dev),
	}
	s.model = nn.NewSequential(
		nn.NewConv2d(1, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(32, 64, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(64*5*5, 128), nn.NewReLU(), nn.NewLinear(128, 10),
	)
	defer s.model.Close()
	s.model.To(dev)
	s.opt = optim.NewAdamW(s.model.Parameters(), optim.LR(1e-3), optim.Fused(true))
	defer s.opt.Close()
	for epoch := 1; epoch <= s.epochs && !s.ended(ctx); epoch++ {
		start := time.Now()
		loss := s.epoch(ctx, fmt.Sprintf("epoch %d/%d", epoch, s.epochs))
		s.took = time.Since(start).Seconds()
		if ctx.Err() != nil {
			fmt.Printf("interrupted after %d steps: loss %.4f\n", len(s.losses), loss)
			break
		}
		fmt.Printf("epoch %d: loss %.4f, accuracy %.4f, %.1f s\n", epoch, loss, s.evaluate(s.tests, nil), s.took)
	}
	s.book.Report(os.Stdout, s.holders)
	if s.samples != "" {
		if err := s.drawSamples(s.samples); err != nil {
			return err
		}
	}
	if s.plot == "" {
		return nil
	}
	return plot.Save(s.plot, "step",
		plot.Panel{Label: "loss", Lines: []plot.Line{{Y: s.losses}}},
		plot.Panel{Label: "accuracy", Lines: []plot.Line{{X: s.tested, Y: s.accuracy}}},
		s.book.Curves())
}

func (s *session) ended(ctx context.Context) bool {
	return ctx.Err() != nil || len(s.losses) == s.steps
}

// epoch trains on each image once and returns the mean loss.
func (s *session) epoch(ctx context.Context, title string) (average float64) {
	loader := data.NewLoader(s.images, s.loading...)
	bar := progress.New(loader.Len(), title, s.bench)
	defer bar.End()
	for batch := range loader.AllContext(ctx) {
		s.book.Step(func() {
			loss := F.CrossEntropy(s.model.Forward(batch.Input), batch.Target)
			s.opt.ZeroGrad()
			loss.Backward()
			s.opt.Step()
			s.losses = append(s.losses, loss.Item())
			s.log.Add(s.losses[len(s.losses)-1])
		}, batch.Input, batch.Target)
		average += (s.losses[len(s.losses)-1] - average) / float64(batch.Index+1)
		// The evaluation has its own generator, so that a plot does not change the
		// losses.
		if s.plot != "" && len(s.losses)%100 == 0 {
			g := torch.NewGenerator(torch.CPU)
			s.evaluate(data.RandomSplit(s.tests, []int{1000, s.tests.Len() - 1000}, data.Generator(g))[0], g)
		}
		bar.Step()
		if s.ended(ctx) {
			break
		}
	}
	return average
}

// evaluate returns the accuracy on a data set, and records it for the plot.
func (s *session) evaluate(set data.Dataset, g *torch.Generator) float64 {
	opts := append(slices.Clone(s.loading), data.Shuffle(false), data.Generator(g))
	correct := int64(0)
	s.model.Eval()
	torch.NoGrad(func() {
		for batch := range data.NewLoader(set, opts...).All() {
			correct += s.model.Forward(batch.Input).ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
		}
	})
	s.model.Train()
	share := float64(correct) / float64(set.Len())
	s.tested, s.accuracy = append(s.tested, float64(len(s.losses))), append(s.accuracy, share)
	return share
}

// holders lists the groups of tensors that are live between two steps.
func (s *session) holders() []account.Part {
	var gradients, state []*torch.Tensor
	for _, p := range s.model.Parameters() {
		gradients = append(gradients, p.Grad())
		state = slices.AppendSeq(state, maps.Values(s.opt.State(p)))
	}
	return []account.Part{
		{Name: "data set", Tensors: append(s.images.Tensors(), s.tests.Tensors()...)},
		{Name: "parameters", Tensors: s.model.Parameters()},
		{Name: "gradients", Tensors: gradients},
		{Name: "optimizer state", Tensors: state},
	}
}
