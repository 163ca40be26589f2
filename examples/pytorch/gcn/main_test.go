package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of ten steps.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.papers.Papers, c.every, c.Quiet, c.bias = 1, 10, 200, 5, true, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 10 --papers 200 --include-bias --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
}

// Without -include-bias the network learns the subjects too. Drawing the plot does not
// change the losses.
func TestOutput(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.Steps, c.epochs, c.bias = -1, 20, false
	var plain, drawn strings.Builder
	require.NoError(t, run(t.Context(), c, &plain))
	assert.Regexp(t,
		`(?m)^epoch 20: loss 1\.\d+, accuracy 0\.\d+; validation [12]\.\d+, 0\.\d+\n`+
			`test: loss [12]\.\d+, accuracy 0\.\d+$`, plain.String())
	c.plot = filepath.Join(t.TempDir(), "papers.png")
	require.NoError(t, run(t.Context(), c, &drawn))
	assert.FileExists(t, c.plot)
	assert.Equal(t, strings.Split(plain.String(), "all")[0], strings.Split(drawn.String(), "all")[0])
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no data":    {func(c *config) { c.papers.Data = t.TempDir() }, os.ErrNotExist},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no share":   {func(c *config) { c.dropout = 2 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.plot, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1 }, os.ErrNotExist},
		"no hidden":  {func(c *config) { c.hidden = -1 }, torch.ErrShape},
	})
}
