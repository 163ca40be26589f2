package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/models"
)

// small returns the settings of a training run with two epochs: one of three steps and one
// of one step.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.Quiet = 1, 4, true
	c.data, c.size, c.batch, c.workers, c.epochs, c.lr, c.saveDir = "testdata/pictures", 64, 8, 0, 2, 0.0001, ""
	return c
}

// tiny returns the settings for one step of a small model on noise.
func tiny() config {
	c := small()
	c.dummy, c.examples, c.arch, c.size, c.Steps = true, 25, "squeezenet1_1", 32, 1
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --data testdata/pictures --image-size 64 --batch-size 8 --lr 0.0001 --workers 0 \
//	  --epochs 2 --steps 4 --save-dir "" --threads 1 --losses testdata/losses.txt
//
// On a different processor these losses differ by at most 3e-5, and the loss of the next
// step by 2e-4, because batch normalization amplifies rounding in batches of eight
// images. On one machine all bits are the same, which `make bench MODE=twins` checks.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.samples = filepath.Join(t.TempDir(), "samples.png")
	var out strings.Builder
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, &out)
	})
	assert.FileExists(t, c.samples)
	assert.Equal(t, 2, strings.Count(out.String(), " * Loss"), "validated after each epoch")
}

// result runs the program and returns the last line printed by a validation.
func result(t *testing.T, c config) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	_, line, found := strings.Cut(out.String(), " * ")
	require.True(t, found, out.String())
	line, _, _ = strings.Cut(line, "\n")
	return line
}

func TestResumed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := tiny()
	c.workers, c.saveDir = 2, filepath.Join(t.TempDir(), "new")
	trained := result(t, c)
	checkpoint := filepath.Join(c.saveDir, "checkpoint.pth.tar")

	c.resume, c.evaluate, c.Steps = checkpoint, true, -1
	c.Seed++ // with another seed the initial weights differ; the checkpoint replaces them
	assert.Equal(t, trained, result(t, c))

	c.evaluate = false
	var out strings.Builder
	c.Quiet = false
	require.NoError(t, run(t.Context(), c, &out))
	assert.Contains(t, out.String(), "1 epochs are over")
	assert.Contains(t, out.String(), "Epoch: [1][1/4]\tTime ")
	assert.NotContains(t, out.String(), "Epoch: [2]")

	c.pretrained = checkpoint
	assert.Error(t, run(t.Context(), c, io.Discard), "a checkpoint is no file of weights")
	c.pretrained, c.arch = "", "alexnet"
	assert.ErrorContains(t, run(t.Context(), c, io.Discard), checkpoint)
}

func TestMeters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	m := (&training{Training: &frame.Training{}, config: &c}).meters("Test: ", 100)
	torch.Scope(func() {
		out := torch.FromSlice([]float32{6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1, 6, 5, 4, 3, 2, 1}, 4, 6)
		m.score(torch.Full(torch.Shape{}, 2.0), out, torch.FromSlice([]int64{0, 4, 5, 1}, 4))
	})
	m.loss.add(1, 12)
	assert.Equal(t, "Loss 1.0000e+00 (1.2500e+00)", m.loss.String())
	assert.Equal(t, "Acc@1  25.00 ( 25.00)", m.top1.String())
	assert.Equal(t, "Acc@5  75.00 ( 75.00)", m.top5.String())
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	c := tiny()
	c.Steps, c.saveDir = -1, t.TempDir()
	require.NoError(t, run(ctx, c, &out))
	assert.Contains(t, out.String(), "interrupted after 0 steps")
	assert.NoFileExists(t, filepath.Join(c.saveDir, "checkpoint.pth.tar"))
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte("no weights"), 0o600))
	frametest.Mistakes(t, tiny, run, map[string]frametest.Mistake[config]{
		"no data":       {func(c *config) { c.dummy, c.data = false, t.TempDir() }, os.ErrNotExist},
		"no model":      {func(c *config) { c.arch = "resnet17" }, torch.ErrValue},
		"no device":     {func(c *config) { c.device = "abacus" }, torch.ErrValue},
		"no threads":    {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no batch":      {func(c *config) { c.batch = 0 }, torch.ErrValue},
		"no rate":       {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no size":       {func(c *config) { c.dummy, c.size = false, 0 }, torch.ErrValue},
		"no checkpoint": {func(c *config) { c.resume = file + "x" }, os.ErrNotExist},
		"no weights":    {func(c *config) { c.pretrained = file + "x" }, os.ErrNotExist},
		"no folder":     {func(c *config) { c.saveDir = filepath.Join(file, "x") }, syscall.ENOTDIR},
	})
	frametest.Refused(t, tiny, run, map[string]func(*config){
		"-examples":                 func(c *config) { c.examples = 24 },
		"-epochs and -start-epoch":  func(c *config) { c.startEpoch = -1 },
		"-print-freq":               func(c *config) { c.printFreq = 0 },
		"not written by torch.save": func(c *config) { c.resume = file },
		`no model ""`:               func(c *config) { c.arch = "" },
	})
}

func TestBest(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := tiny()
	c.saveDir = t.TempDir()
	model, err := models.GetModel(c.arch)
	require.NoError(t, err)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters())
	defer opt.Close()
	run := &training{config: &c, model: model, opt: opt, sched: schedule.NewStepLR(opt, 30)}
	for epoch, top1 := range []float64{0, 20, 10} {
		run.epoch = epoch
		require.NoError(t, run.save(top1))
	}
	for name, epoch := range map[string]int64{"checkpoint.pth.tar": 2, "model_best.pth.tar": 1} {
		saved, err := serialization.LoadDict(filepath.Join(c.saveDir, name))
		require.NoError(t, err)
		got, _ := saved.Get("epoch")
		assert.Equal(t, epoch, got, name)
		serialization.Close(saved)
	}
}
