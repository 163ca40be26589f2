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
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of six steps for each layer.
func small() config {
	c := defaults()
	c.Threads, c.images.Examples, c.epochs, c.Quiet = 1, 256, 6, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --epochs 6 --examples 256 --threads 1 --losses testdata/losses.txt
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
	model := nn.NewModuleList(nn.NewLinear(784, 500), nn.NewLinear(500, 500))
	defer model.Close()
	require.NoError(t, model.LoadStateDict(saved))
}

func TestOverlay(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(24, torch.Float32).View(2, 12)
		y := torch.FromSlice([]int64{9, 0})
		row := overlay(x, y).Float32s()
		assert.Equal(t, []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 23, 10, 11}, row[:12])
		assert.Equal(t, []float32{23, 0, 0, 0, 0, 0, 0, 0, 0, 0, 22, 23}, row[12:])
		assert.Equal(t, float32(23), overlay(x, 3).Float32s()[15])
		labels := torch.Arange(10).Repeat(50)
		other := wrong(labels)
		assert.False(t, other.Eq(labels).Any().ItemBool())
		assert.Equal(t, int64(9), other.Max().ItemInt())
		assert.Equal(t, int64(0), other.Min().ItemInt())
	})
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no data":    {func(c *config) { c.images.Data = t.TempDir() }, os.ErrNotExist},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.save, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1 }, os.ErrNotExist},
	})
}
