package main

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/png"
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

// small returns the settings of a training run of eight steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.crop, c.batch, c.lr, c.Quiet = 1, 8, 24, 8, 0.001, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 8 --crop 24 --batch-size 8 --lr 0.001 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.save, c.samples = filepath.Join(t.TempDir(), "model.pt"), filepath.Join(t.TempDir(), "samples.png")
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
	assert.FileExists(t, c.samples)
	saved, err := serialization.LoadDict(c.save)
	require.NoError(t, err)
	defer serialization.Close(saved)
	model := newNet(c.factor)
	defer model.Close()
	require.NoError(t, model.LoadStateDict(saved))
}

// An image of one color is cut into squares. One in eight squares goes to the test set.
func TestPictures(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	picture := image.NewRGBA(image.Rect(0, 0, 50, 25))
	for i := range 50 * 25 {
		picture.SetRGBA(i%50, i/50, color.RGBA{R: 255, G: 51, A: 255})
	}
	path := filepath.Join(t.TempDir(), "a.png")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, errors.Join(png.Encode(f, picture), f.Close()))
	c := config{data: path, crop: 12, factor: 3}
	learned, tested, err := c.open()
	require.NoError(t, err)
	defer learned.Close()
	defer tested.Close()
	assert.Equal(t, []int{7, 1}, []int{learned.Len(), tested.Len()})
	torch.Scope(func() {
		pair := tested.Get(0)
		assert.Equal(t, torch.Shape{1, 4, 4}, pair.Input.Shape())
		assert.Equal(t, torch.Shape{1, 12, 12}, pair.Target.Shape())
		assert.InDelta(t, 0.299+0.587/5, pair.Target.Mean().Item(), 1e-6)
		assert.InDelta(t, 0.299+0.587/5, pair.Input.Min().Item(), 1e-6)
	})
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	file := filepath.Join(t.TempDir(), "x.png")
	require.NoError(t, os.WriteFile(file, []byte("no picture"), 0o600))
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no picture": {func(c *config) { c.data = file }, torch.ErrFormat},
		"no pattern": {func(c *config) { c.data = "[" }, filepath.ErrBadPattern},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no batch":   {func(c *config) { c.batch = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.save, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 1 }, os.ErrNotExist},
	})
	frametest.Refused(t, small, run, map[string]func(*config){
		"multiple of -upscale-factor": func(c *config) { c.crop = 25 },
		"0 squares of 24 pixels":      func(c *config) { c.data = filepath.Join(t.TempDir(), "*.png") },
	})
}
