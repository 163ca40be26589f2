package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of only two steps. With more steps, L-BFGS
// would amplify the rounding differences between processors.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.waves, c.length, c.future, c.Quiet = 1, 2, 6, 12, 5, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 2 --waves 6 --length 12 --future 5 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.plot = filepath.Join(t.TempDir(), "waves.png")
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
	assert.FileExists(t, c.plot)
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.plot, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1 }, os.ErrNotExist},
	})
	frametest.Refused(t, small, run, map[string]func(*config){
		"-waves":  func(c *config) { c.waves = tested },
		"-length": func(c *config) { c.length = 1 },
		"-future": func(c *config) { c.future = -1 },
	})
}
