package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of twelve steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.images.Examples, c.batch, c.Quiet = 1, 12, 256, 32, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 12 --examples 256 --batch-size 32 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.images.Samples = filepath.Join(t.TempDir(), "samples.png")
	var out strings.Builder
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, &out)
	})
	assert.Contains(t, out.String(), "epoch 1: loss 529.9") // as Python prints
	assert.FileExists(t, c.images.Samples)
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no data":    {func(c *config) { c.images.Data = t.TempDir() }, os.ErrNotExist},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no batch":   {func(c *config) { c.batch = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder": {func(c *config) {
			c.images.Samples, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1
		}, os.ErrNotExist},
	})
}
