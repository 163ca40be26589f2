package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/digits"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of three steps.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.images.Examples, c.batch, c.Quiet = 1, 3, 256, 16, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 3 --examples 256 --batch-size 16 --threads 1 --losses testdata/losses.txt
//
// On a different processor the third loss differed by 1e-4, and a fourth by 5e-4. In its
// first steps Adadelta changes every weight by the same amount. So if a gradient is
// almost zero, rounding determines the direction of the change. On one machine all bits
// are the same, which `make bench MODE=twins` checks.
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
	model := newSiamese()
	defer model.Close()
	require.NoError(t, model.LoadStateDict(saved))
}

func TestPairs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := digits.Defaults()
	f.Examples = 400
	sets, err := f.Open()
	require.NoError(t, err)
	defer sets.Close()
	p, err := newPairs(sets.Train)
	require.NoError(t, err)
	assert.Equal(t, 400, p.Len())
	band := func(image *torch.Tensor) int64 { return image.Mean(torch.Dims{0, 2}).ArgMax(torch.Dim(0)).ItemInt() }
	torch.Scope(func() {
		for i := range 20 {
			e := p.Get(i)
			assert.Equal(t, float64(1-i%2), e.Target.Item())
			assert.False(t, e.Input.Equal(e.Extra[0]), "never an image twice")
			if i%2 == 0 {
				assert.InDelta(t, band(e.Input), band(e.Extra[0]), 5)
			}
		}
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
		"expected at least 2": func(c *config) { c.images.Examples = 20 },
	})
}
