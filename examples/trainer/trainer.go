package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/profiler"
)

// trainer contains the model, the progress and the measurements of a training run.
type trainer struct {
	config
	model *nn.Sequential
	opt   *optim.AdamW
	sched *schedule.SequentialLR
	dev   torch.Device
	// scaler scales losses for float16, the dtype of -amp on CUDA. Otherwise it does
	// nothing.
	scaler *amp.GradScaler
	train  *data.Loader
	valid  *data.Loader
	book   *account.Book
	log    *twin.Log
	best   nn.StateDict      // copies of the best weights
	prof   *profiler.Profile // nil without -profile
	graphs
	metrics
	place

	losses []float64 // loss of each batch since this process started
	norms  *history  // norm of the gradients in each of the last steps
	// For each step in norms: the number of batches from the start of this process to the
	// end of the step.
	ends *history
	left int64 // growth of native memory in the last validation, in bytes
}

// place is the progress of a training run. Checkpoints contain it.
type place struct {
	Epoch, Batch, Step int     // number of finished epochs, of batches in this epoch, and of steps in all
	BestLoss           float64 // lowest validation loss so far
	BestEpoch          int     // 0: none yet
	Sum                float64 // sum of the losses of this epoch's batches
}

func newModel() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2d(1, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(32*5*5, 64), nn.NewReLU(), nn.NewLinear(64, 10),
	)
}

// train makes the model and loaders, trains, and frees everything.
func train(ctx context.Context, c config, watch func(t *trainer)) (err error) {
	t := &trainer{config: c, book: account.Open(), norms: newHistory(1000), ends: newHistory(1000)}
	if err := t.loop(ctx, watch); err != nil {
		return err
	}
	bytes, tensors, _ := t.book.Close()
	if bytes != 0 || tensors != 0 {
		return fmt.Errorf("native memory leaked: %d bytes and %d tensors more than at the start", bytes, tensors)
	}
	return nil
}

func (t *trainer) loop(ctx context.Context, watch func(t *trainer)) (err error) {
	if t.dev, err = torch.ParseDevice(t.device); err != nil {
		return err
	}
	if t.batch < 1 || t.accumulate < 1 || t.epochs < 1 {
		return errors.New("-batch, -accumulate and -epochs must be at least 1")
	}
	if t.log, err = twin.Create(t.lossFile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.log.Close()) }()
	torch.SetNumThreads(t.threads)
	torch.ManualSeed(t.seed)
	images, tests, err := t.sets()
	if err != nil {
		return err
	}
	defer images.Close()
	defer tests.Close()
	loading := []data.LoaderOption{
		data.BatchSize(t.batch), data.Transform(data.Normalize(mean, std)),
		data.Device(t.dev),
	}
	t.train = data.NewLoader(images, append(loading, data.Shuffle(true), data.NumWorkers(t.workers))...)
	t.valid = data.NewLoader(tests, append(loading, data.BatchSize(256))...)
	t.model = newModel()
	defer t.model.Close()
	t.model.To(t.dev)
	t.opt = optim.NewAdamW(t.model.Parameters(), optim.LR(t.lr), optim.Fused(true))
	defer t.opt.Close()
	t.scaler = amp.NewGradScaler(amp.Device(t.dev), amp.Enabled(t.amp && t.dev.IsCUDA()))
	defer t.scaler.Close()
	steps := t.epochs * ((t.train.Len() + t.accumulate - 1) / t.accumulate)
	warmup := min(t.warmup, steps-1)
	t.sched = schedule.NewSequentialLR(t.opt, []schedule.Scheduler{
		schedule.NewLinearLR(t.opt, schedule.StartFactor(0.01), schedule.TotalIters(warmup)),
		schedule.NewCosineAnnealingLR(t.opt, steps-warmup),
	}, []int{warmup})
	defer t.graphs.Close()
	t.best = t.model.StateDict().Clone()
	defer func() {
		for _, n := range t.best {
			_ = n.Tensor.Close()
		}
	}()
	if t.resume {
		damaged, err := t.load()
		if err != nil {
			return err
		}
		for _, d := range damaged {
			fmt.Println("left out:", d)
		}
	}
	if err := t.metrics.open(t.out, t.resume, t.Step); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.metrics.Close()) }()

	if err := t.profiled(func() error { return t.run(ctx, watch) }); err != nil {
		return err
	}
	if t.BestEpoch > 0 {
		fmt.Printf("best: epoch %d, loss %.4f\n", t.BestEpoch, t.BestLoss)
		if err := t.model.LoadStateDict(t.best); err != nil {
			return err
		}
	}
	return t.draw()
}

// run trains the remaining epochs.
func (t *trainer) run(ctx context.Context, watch func(t *trainer)) error {
	for t.Epoch < t.epochs && !t.done() {
		if ctx.Err() != nil {
			return t.interrupted()
		}
		if err := t.epoch(ctx, watch); err != nil {
			return err
		}
		if t.patience > 0 && t.Epoch-t.BestEpoch >= t.patience {
			fmt.Printf("no better validation in %d epochs: the end\n", t.patience)
			break
		}
	}
	return nil
}

func (t *trainer) done() bool { return t.Step == t.steps }

// epoch trains on the remaining batches of the current epoch, and then validates.
func (t *trainer) epoch(ctx context.Context, watch func(t *trainer)) error {
	if t.Batch == 0 {
		t.Sum = 0
	}
	bar := progress.New(t.train.Len()-t.Batch, fmt.Sprintf("epoch %d/%d", t.Epoch+1, t.epochs), t.quiet)
	defer bar.End()
	t.model.Train()
	for batch := range t.train.All() {
		bar.Step()
		var err error
		t.book.Step(func() { err = t.step(batch) }, batch.Input, batch.Target)
		if err != nil {
			return err
		}
		if !t.stepped() {
			continue // Ctrl-C takes effect only at the end of a step
		}
		if watch != nil {
			watch(t)
		}
		if t.Batch < t.train.Len() && (t.done() || ctx.Err() != nil) {
			break
		}
	}
	if ctx.Err() != nil && t.Batch < t.train.Len() {
		return t.interrupted()
	}
	loss := t.Sum / float64(t.Batch)
	t.Epoch, t.Batch = t.Epoch+1, 0
	return t.validated(loss)
}

// stepped reports whether the last batch completed a step.
func (t *trainer) stepped() bool { return t.Batch%t.accumulate == 0 || t.Batch == t.train.Len() }

// step computes a batch's gradients. After the last batch of a step it also runs the
// optimizer.
func (t *trainer) step(batch data.Batch) error {
	// Find the number of batches in this step. The last step of an epoch may have fewer.
	first := t.Batch - t.Batch%t.accumulate
	share := min(t.accumulate, t.train.Len()-first)
	value := t.backward(share, batch).Item()
	t.losses = append(t.losses, value)
	t.log.Add(value)
	t.Batch++
	t.Sum += value
	if !t.stepped() {
		return nil
	}
	t.scaler.Unscale_(t.opt)
	norm := nnutil.ClipGradNorm_(t.model.Parameters(), t.clip).Item()
	t.norms.add(norm)
	t.ends.add(float64(len(t.losses)))
	lr := t.opt.ParamGroups()[0].LR()
	t.scaler.Step(t.opt) // skips the optimizer's step if a gradient overflowed in float16
	t.scaler.Update()
	// With -graph, gradients must keep their addresses.
	t.opt.ZeroGrad(optim.SetToNone(!t.graph))
	t.sched.Step()
	t.Step++
	if t.prof != nil {
		if err := t.prof.Step(); err != nil {
			return err
		}
	}
	return t.metrics.add(record{Step: t.Step, Epoch: t.Epoch + 1, Loss: value, LR: lr, Norm: norm})
}

// autocast runs fn, a forward pass. With -amp it uses mixed precision: bfloat16 on the CPU,
// float16 on CUDA.
func (t *trainer) autocast(fn func()) { amp.Autocast(t.dev, 0, fn, amp.Enabled(t.amp)) }

// interrupted saves the state after Ctrl-C.
func (t *trainer) interrupted() error {
	if t.out == "" {
		return fmt.Errorf("%w after step %d; without -out nothing is saved", errInterrupted, t.Step)
	}
	if err := t.save(); err != nil {
		return err
	}
	return fmt.Errorf("%w: saved after step %d; continue with -out %s -resume", errInterrupted, t.Step, t.out)
}

// draw writes the plot to the file -plot.
func (t *trainer) draw() error {
	if t.plot == "" {
		return nil
	}
	return plot.Save(filepath.Clean(t.plot), "batch",
		plot.Panel{Label: "loss", Lines: []plot.Line{{Y: t.losses}}},
		plot.Panel{Label: "norm of the last gradients", Lines: []plot.Line{{X: t.ends.values(), Y: t.norms.values()}}},
		t.book.Curves())
}
