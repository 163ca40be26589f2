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
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of five steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.width, c.size, c.batch, c.Quiet = 1, 5, 0.125, 32, 4, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 5 --width 0.125 --image-size 32 --batch-size 4 \
//		--threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.save, c.output = filepath.Join(t.TempDir(), "model.pt"), filepath.Join(t.TempDir(), "drawn.png")
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})

	// The saved network draws the same image. The file that -samples names shows the
	// content and the style too.
	again := small()
	again.model, again.output, again.samples = c.save, filepath.Join(t.TempDir(), "again.png"),
		filepath.Join(t.TempDir(), "samples.png")
	require.NoError(t, run(t.Context(), again, io.Discard))
	torch.Scope(func() {
		drawn, err := data.ReadImage(again.output)
		require.NoError(t, err)
		first, err := data.ReadImage(c.output)
		require.NoError(t, err)
		assert.True(t, drawn.Equal(first))
		row, err := data.ReadImage(again.samples)
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{3, 32, 3*32 + 2*8}, row.Shape())
		assert.True(t, row.Narrow(2, 0, 32).Equal(madeUpContent(32).Narrow(1, 0, 32).Narrow(2, 0, 32)))
		assert.True(t, row.Narrow(2, 40, 32).Equal(madeUpStyle(32)))
		assert.True(t, row.Narrow(2, 80, 32).Equal(drawn))
	})
}

// Networks trained with PyTorch's example contain running statistics, which load ignores.
func TestLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "model.pt")
	model := newTransformer(0.125)
	defer model.Close()
	saved := model.StateDict()
	require.Equal(t, "res1.conv1.conv2d.weight", saved[12].Name)
	mean := torch.Zeros(torch.Shape{4})
	defer mean.Close()
	require.NoError(t, serialization.Save(append(saved, nn.NamedTensor{Name: "in1.running_mean", Tensor: mean}), path))
	require.NoError(t, load(model, path))
	require.NoError(t, serialization.Save(saved[1:], path))
	assert.ErrorContains(t, load(model, path), "conv1.conv2d.weight")
	assert.ErrorIs(t, load(model, path+"x"), os.ErrNotExist)
}

// A VGG-16 file has more layers than the program uses.
func TestVGG(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "vgg.pt")
	torch.Scope(func() {
		style := torch.Rand(torch.Shape{1, 3, 32, 32}).MulScalar(255)
		p, err := newPerception("", 1, style, torch.CPU)
		require.NoError(t, err)
		defer p.close()
		saved := nn.StateDict{
			{Name: "classifier.0.weight", Tensor: torch.Zeros(torch.Shape{9})},
			{Name: "features.24.bias", Tensor: torch.Zeros(torch.Shape{9})},
		}
		for _, s := range p.layers.StateDict() {
			saved = append(saved, nn.NamedTensor{Name: "features." + s.Name, Tensor: s.Tensor})
		}
		require.NoError(t, serialization.Save(saved, path))
		// The width is ignored, because the file has all channels.
		read, err := newPerception(path, 0.125, style, torch.CPU)
		require.NoError(t, err)
		defer read.close()
		for i := range p.style {
			assert.True(t, p.style[i].Equal(read.style[i]), "slice %d", i)
			assert.Equal(t, torch.Shape{1, 64 << i, 64 << i}, p.style[i].Shape())
		}
		assert.False(t, read.layers.Parameters()[0].RequiresGrad())
		require.NoError(t, serialization.Save(saved[:4], path))
		_, err = newPerception(path, 1, style, torch.CPU)
		assert.ErrorContains(t, err, "2.weight")
	})
}

// Images are reduced to the sizes given by the flags.
func TestSizes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		path := filepath.Join(t.TempDir(), "a.png")
		require.NoError(t, data.WritePNG(madeUpContent(32), path))
		c := config{style: path, styleSize: 24, content: path, contentScale: 2, data: path, size: 40}
		style, err := c.openStyle()
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1, 3, 24, 24}, style.Shape())
		content, err := c.openContent()
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1, 3, 48, 64}, content.Shape())
		assert.InDelta(t, F.AdaptiveAvgPool2d(style, []int64{1, 1}).Mean().Item(), content.Mean().Item(), 3)
		squares, err := c.squares()
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{6, 3, 40, 40}, squares.Shape())
		assert.True(t, squares.Index(4).Equal(madeUpContent(32).Narrow(1, 40, 40).Narrow(2, 40, 40)))
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
		"no style":   {func(c *config) { c.style = file }, torch.ErrFormat},
		"no weights": {func(c *config) { c.vgg = file }, torch.ErrFormat},
		"no model":   {func(c *config) { c.model, c.output = file+"x", file }, os.ErrNotExist},
		"no content": {func(c *config) { c.content, c.output, c.Steps = file, file, 0 }, torch.ErrFormat},
		"no device":  {func(c *config) { c.device = "tube" }, torch.ErrValue},
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no batch":   {func(c *config) { c.batch = 0 }, torch.ErrValue},
		"no rate":    {func(c *config) { c.lr = -1 }, torch.ErrValue},
		"no folder to save": {
			func(c *config) { c.save, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 0 },
			os.ErrNotExist,
		},
		"no folder to draw": {func(c *config) {
			c.output, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 0
		}, os.ErrNotExist},
		"no folder for more": {func(c *config) {
			c.samples, c.Steps = filepath.Join(t.TempDir(), "no", "x"), 0
		}, os.ErrNotExist},
	})
	frametest.Refused(t, small, run, map[string]func(*config){
		"-image-size must be at least 32":     func(c *config) { c.size = 16 },
		"to which the drawing is written":     func(c *config) { c.content = file },
		"no image of at least 32 x 32 pixels": func(c *config) { c.data = filepath.Join(t.TempDir(), "*.png") },
	})
}
