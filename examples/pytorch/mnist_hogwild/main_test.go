package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of twelve steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.images.Examples, c.batch, c.workers, c.Quiet = 1, 12, 256, 32, 1, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 12 --examples 256 --batch-size 32 --workers 1 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.save, c.images.Samples = filepath.Join(t.TempDir(), "model.pt"), filepath.Join(t.TempDir(), "samples.png")
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
	assert.FileExists(t, c.images.Samples)
	saved, err := serialization.LoadDict(c.save)
	require.NoError(t, err)
	defer serialization.Close(saved)
	model := newNet()
	defer model.Close()
	require.NoError(t, model.LoadStateDict(saved))
}

// Two workers together take the given number of steps, and the loss falls.
func TestWorkers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.workers, c.Steps, c.Losses, c.plot = 2, 40, filepath.Join(t.TempDir(), "losses"),
		filepath.Join(t.TempDir(), "out.png")
	require.NoError(t, run(t.Context(), c, io.Discard))
	losses := frametest.Golden(t, c.Losses)
	assert.InDelta(t, 40, len(losses), 1, "the other may be in the middle of a step")
	assert.FileExists(t, c.plot)
}

// Copies share weights, but not gradients.
func TestShare(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	model := newNet()
	defer model.Close()
	own := share(model)
	defer own.Close()
	torch.Scope(func() {
		loss := own.Forward(torch.Ones(torch.Shape{2, 1, 28, 28})).Sum()
		// Simulates another worker's update between the forward and the backward pass.
		model.GetParameter("conv1.weight").Data().Fill_(3)
		loss.Backward()
		assert.True(t, own.GetParameter("conv1.weight").EqScalar(3).All().ItemBool())
		assert.NotNil(t, own.GetParameter("fc2.bias").Grad())
		assert.Nil(t, model.GetParameter("fc2.bias").Grad())
	})
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no data":    {func(c *config) { c.images.Data = t.TempDir() }, os.ErrNotExist},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no batch":   {func(c *config) { c.batch = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.save, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1 }, os.ErrNotExist},
	})
	frametest.Refused(t, small, run, map[string]func(*config){
		"-workers must be at least 1": func(c *config) { c.workers = 0 },
	})
}
