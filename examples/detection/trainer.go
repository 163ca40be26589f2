package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/progress"
	"github.com/gotorch/gotorch/examples/internal/twin"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/data"
	images "github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/vision/datasets"
	"github.com/gotorch/gotorch/vision/metrics"
	"github.com/gotorch/gotorch/vision/models/detection"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// trainer contains the model, the progress and the measurements of a training run.
type trainer struct {
	config
	model *detection.SSD
	opt   *optim.AdamW
	sched *schedule.SequentialLR
	dev   torch.Device
	// scaler scales losses for float16, the dtype of -amp on CUDA. Otherwise it does
	// nothing.
	scaler       *amp.GradScaler
	train, valid *data.Loader
	book         *account.Book
	log          *twin.Log

	losses      []float64 // loss of each step
	ends        []float64 // for each epoch, the number of steps before its validation
	precision   []float64 // AP of each epoch
	last        metrics.Result
	norms       *history // norms of the gradients in the last steps
	alive, left int64    // native bytes in use before the first validation, and after the last one how many more
}

func newModel() *detection.SSD {
	// The default normalization has a low momentum, which suits long trainings.
	model := detection.NewSSDLite320MobileNetV3Large(detection.NumClasses(len(classes)),
		detection.NormLayer(func(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }))
	model.Transform.FixedSize = [2]int64{size, size} // instead of 320 x 320 pixels
	return model
}

// train makes the model and loaders, trains, and frees everything.
func train(ctx context.Context, c config, watch func(t *trainer)) error {
	t := &trainer{config: c, book: account.Open(), norms: newHistory(100)}
	if err := t.run(ctx, watch); err != nil {
		return err
	}
	bytes, tensors, _ := t.book.Close()
	fmt.Printf("all closed: %d bytes and %d tensors more than at the start\n", bytes, tensors)
	if bytes != 0 || tensors != 0 {
		return errors.New("native memory leaked")
	}
	return nil
}

func (t *trainer) run(ctx context.Context, watch func(t *trainer)) (err error) {
	if t.dev, err = torch.ParseDevice(t.device); err != nil {
		return err
	}
	if t.batch < 2 || t.epochs < 1 || t.images < t.batch || t.tests < 1 {
		// The last feature maps have one pixel, so that batch normalization needs two images.
		return errors.New("-epochs and -tests must be at least 1, -batch at least 2 and -images at least -batch")
	}
	if t.log, err = twin.Create(t.lossFile); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.log.Close()) }()
	torch.SetNumThreads(t.threads)
	torch.ManualSeed(t.seed)
	convert := tv.NewImageOnly(images.NewToDType(torch.Float32, images.WithScale(true)))
	augment := tv.NewCompose(tv.NewRandomHorizontalFlip(), convert)
	loading := []data.LoaderOption{data.BatchSize(t.batch), data.CollateFn(datasets.Collate)}
	t.train = data.NewLoader(shapes{1, t.images, augment},
		append(loading, data.Shuffle(true), data.DropLast(true), data.NumWorkers(t.workers))...)
	t.valid = data.NewLoader(shapes{2, t.tests, convert}, loading...)
	t.model = newModel()
	defer t.model.Close()
	t.model.To(t.dev)
	t.opt = optim.NewAdamW(t.model.Parameters(), optim.LR(t.lr), optim.Fused(true))
	defer t.opt.Close()
	t.scaler = amp.NewGradScaler(amp.Device(t.dev), amp.Enabled(t.amp && t.dev.IsCUDA()))
	defer t.scaler.Close()
	steps := t.epochs * t.train.Len()
	warmup := min(t.warmup, steps-1)
	t.sched = schedule.NewSequentialLR(t.opt, []schedule.Scheduler{
		schedule.NewLinearLR(t.opt, schedule.StartFactor(0.01), schedule.TotalIters(warmup)),
		schedule.NewCosineAnnealingLR(t.opt, steps-warmup),
	}, []int{warmup})

	for epoch := 1; epoch <= t.epochs && !t.done(); epoch++ {
		if err := t.epoch(ctx, epoch); err != nil {
			return err
		}
		if watch != nil {
			watch(t)
		}
	}
	if len(t.precision) > 0 {
		fmt.Println(t.last)
	}
	if err := t.drawFound(); err != nil {
		return err
	}
	return t.drawCurves()
}

func (t *trainer) done() bool { return len(t.losses) == t.steps }

// epoch trains on each image once, and then validates.
func (t *trainer) epoch(ctx context.Context, number int) error {
	bar := progress.New(t.train.Len(), fmt.Sprintf("epoch %d/%d", number, t.epochs), t.quiet)
	first := len(t.losses)
	for batch := range t.train.AllContext(ctx) {
		samples := batch.Value.([]tv.Sample)
		t.book.Step(func() { t.step(samples) }, tensorsOf(samples)...)
		bar.Step()
		if t.done() {
			break
		}
	}
	bar.End()
	if ctx.Err() != nil {
		return fmt.Errorf("%w after step %d", errInterrupted, len(t.losses))
	}
	if number == 1 {
		t.alive = memory.Requested(torch.CPU)
	}
	t.last = t.validate()
	t.left = memory.Requested(torch.CPU) - t.alive
	t.ends, t.precision = append(t.ends, float64(len(t.losses))), append(t.precision, t.last.AP)
	mean := 0.0
	for _, l := range t.losses[first:] {
		mean += l / float64(len(t.losses)-first)
	}
	fmt.Printf("epoch %d: loss %.4f, mAP %.3f, AP50 %.3f, memory %.1f MB %+d bytes\n", number, mean, t.last.AP,
		t.last.AP50, 1e-6*float64(t.alive), t.left)
	return nil
}

// step trains on a batch.
func (t *trainer) step(samples []tv.Sample) {
	pictures, targets := t.inputs(samples)
	var loss *torch.Tensor
	// With -amp, the forward pass uses bfloat16 on the CPU and float16 on CUDA.
	amp.Autocast(t.dev, 0, func() { loss = t.model.Losses(pictures, targets).Sum() }, amp.Enabled(t.amp))
	t.scaler.Scale(loss).Backward()
	t.scaler.Unscale_(t.opt)
	t.norms.add(nnutil.ClipGradNorm_(t.model.Parameters(), t.clip).Item())
	t.scaler.Step(t.opt) // skips the optimizer's step if a gradient overflowed in float16
	t.scaler.Update()
	t.opt.ZeroGrad()
	t.sched.Step()
	t.losses = append(t.losses, loss.Item())
	t.log.Add(t.losses[len(t.losses)-1])
}

// inputs returns the images and targets of a batch, on the device of the model.
func (t *trainer) inputs(samples []tv.Sample) (pictures []*torch.Tensor, targets []detection.Target) {
	for _, s := range samples {
		pictures = append(pictures, s.Image.To(t.dev))
		targets = append(targets, detection.Target{Boxes: s.Boxes.Tensor.To(t.dev), Labels: s.Labels.To(t.dev)})
	}
	return pictures, targets
}

func tensorsOf(samples []tv.Sample) (list []*torch.Tensor) {
	for _, s := range samples {
		list = append(list, s.Image, s.Boxes.Tensor, s.Labels)
	}
	return list
}

// drawCurves writes the plot to the file -plot.
func (t *trainer) drawCurves() error {
	if t.plot == "" {
		return nil
	}
	norms := t.norms.values()
	steps := make([]float64, len(norms))
	for i := range steps {
		steps[i] = float64(len(t.losses) - len(norms) + i + 1)
	}
	return plot.Save(filepath.Clean(t.plot), "step",
		plot.Panel{Label: "loss", Lines: []plot.Line{{Y: t.losses}}},
		plot.Panel{Label: "mAP", FromZero: true, Lines: []plot.Line{{X: t.ends, Y: t.precision}}},
		plot.Panel{Label: "norm of the last gradients", Lines: []plot.Line{{X: steps, Y: norms}}},
		t.book.Curves())
}
