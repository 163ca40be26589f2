package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/distributed"
)

// trainer contains one process's model, data and progress.
type trainer struct {
	config
	g       *distributed.ProcessGroup
	model   *nn.Sequential
	net     *parallel.DistributedDataParallel // the model; averages the gradients of all processes
	opt     *optim.AdamW
	sampler *data.DistributedSampler
	train   *data.Loader
	valid   *data.Loader
	log     *twin.Log
	place
}

// place is the progress of a training run. Checkpoints contain it.
type place struct{ Epoch, Batch, Step int }

func newModel() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2d(1, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(32*5*5, 64), nn.NewReLU(), nn.NewLinear(64, 10),
	)
}

// train makes the model and loaders, trains, and frees everything.
func train(ctx context.Context, g *distributed.ProcessGroup, c config) (err error) {
	t := &trainer{config: c, g: g}
	if t.batch < 1 || t.accumulate < 1 || t.epochs < 1 {
		return errors.New("-batch, -accumulate and -epochs must be at least 1")
	}
	if g.Rank() > 0 {
		t.lossFile = ""
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
	t.load(images, tests)
	t.model = newModel()
	t.opt = optim.NewAdamW(t.model.Parameters(), optim.LR(t.lr), optim.Fused(true))
	defer t.opt.Close()
	defer t.model.Close()
	if err := t.restore(ctx); err != nil {
		return err
	}
	// All processes get rank 0's parameters. After -resume they are equal anyway.
	if t.net, err = parallel.NewDistributedDataParallel(ctx, t.model, g); err != nil {
		return err
	}
	defer t.net.Close()
	if err := t.hook(); err != nil {
		return err
	}
	for t.Epoch < t.epochs && !t.done() {
		if err := t.epoch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// load makes the loaders. Each process loads its part of the images.
func (t *trainer) load(images, tests *data.TensorDataset) {
	own := []data.DistributedOption{data.NumReplicas(t.g.Size()), data.Rank(t.g.Rank())}
	t.sampler = data.NewDistributedSampler(images, append(own, data.Seed(t.seed))...)
	normalized := data.Transform(data.Normalize(mean, std))
	t.train = data.NewLoader(images, data.BatchSize(t.batch), data.WithSampler(t.sampler), normalized)
	part := data.NewDistributedSampler(tests, append(own, data.Shuffle(false))...)
	t.valid = data.NewLoader(tests, data.BatchSize(256), data.WithSampler(part), normalized)
}

// hook registers the function that compresses gradients before they are sent, if -compress
// is set.
func (t *trainer) hook() error {
	switch t.compress {
	case "":
		return nil
	case "fp16":
		return t.net.RegisterCommHook(parallel.FP16CompressHook)
	case "bf16":
		return t.net.RegisterCommHook(parallel.BF16CompressHook)
	}
	return fmt.Errorf("-compress %s: expected fp16 or bf16", t.compress)
}

func (t *trainer) done() bool { return t.Step == t.steps }

// epoch trains on the remaining batches of the current epoch, and then validates.
func (t *trainer) epoch(ctx context.Context) error {
	t.sampler.SetEpoch(t.Epoch)
	bar := progress.New(t.train.Len()-t.Batch, fmt.Sprintf("epoch %d/%d", t.Epoch+1, t.epochs),
		t.quiet || t.g.Rank() > 0)
	defer bar.End()
	var sum float64
	from, seen := t.Batch, 0
	for batch := range t.train.All() {
		if seen++; seen <= from {
			continue // this batch was processed before the checkpoint was written
		}
		bar.Step()
		loss, err := t.batchStep(batch)
		if err != nil {
			return t.failed(ctx, err)
		}
		sum += loss
		if !t.stepped() {
			continue // Ctrl-C takes effect only at the end of a step
		}
		if err := t.saved(ctx); err != nil {
			return err
		}
		if t.done() {
			break
		}
	}
	trained := "" // empty if the training was saved after the last batch
	if t.Batch > from {
		loss, err := t.mean(ctx, sum, float64(t.Batch-from))
		if err != nil {
			return t.failed(ctx, err)
		}
		trained = fmt.Sprintf("loss %.4f, ", loss)
	}
	if !t.done() {
		t.Epoch, t.Batch = t.Epoch+1, 0
	}
	return t.validated(ctx, trained)
}

// stepped reports whether the last batch completed a step.
func (t *trainer) stepped() bool { return t.Batch%t.accumulate == 0 || t.Batch == t.train.Len() }

// batchStep computes a batch's gradients. After the last batch of a step it also runs the
// optimizer. Failures of the network or of other processes are returned as errors.
func (t *trainer) batchStep(batch data.Batch) (value float64, err error) {
	first := t.Batch - t.Batch%t.accumulate
	share := min(t.accumulate, t.train.Len()-first)
	last := t.Batch == first+share-1
	pass := func() {
		loss := F.CrossEntropy(t.net.Forward(batch.Input), batch.Target)
		loss.DivScalar(share).Backward()
		value = loss.Item()
	}
	err = torch.Try(func() {
		if last {
			pass() // averages the accumulated gradients
		} else {
			t.net.NoSync(pass)
		}
	})
	if err != nil {
		return 0, err
	}
	t.log.Add(value)
	t.Batch++
	if last {
		t.opt.Step()
		t.opt.ZeroGrad()
		t.Step++
	}
	return value, nil
}

// mean sums both arguments over all processes and returns the quotient.
func (t *trainer) mean(ctx context.Context, sum, n float64) (mean float64, err error) {
	torch.Scope(func() {
		x := torch.FromSlice([]float64{sum, n})
		if err = t.g.AllReduce(ctx, x); err == nil {
			v := x.Float64s()
			mean = v[0] / v[1]
		}
	})
	return mean, err
}

// validated measures the accuracy on the test images, then saves. Each process evaluates a
// part of the images.
func (t *trainer) validated(ctx context.Context, trained string) error {
	right, n := 0.0, 0.0
	t.model.Eval()
	torch.NoGrad(func() {
		for batch := range t.valid.All() {
			right += t.model.Forward(batch.Input).ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().Item()
			n += float64(batch.Target.Size(0))
		}
	})
	t.model.Train()
	accuracy, err := t.mean(ctx, right, n)
	if err != nil {
		return t.failed(ctx, err)
	}
	if t.g.Rank() > 0 {
		return nil
	}
	fmt.Printf("step %d: %saccuracy %.4f\n", t.Step, trained, accuracy)
	return t.save()
}
