package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/gpt/nanogpt"
	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run that takes at most a second.
func small() config {
	c := defaults
	c.text, c.steps, c.batch, c.warmup, c.every, c.sample = "testdata/text.txt", 20, 4, 5, 10, 30
	c.size = nanogpt.Config{Block: 32, Layers: 2, Heads: 2, Width: 32}
	return c
}

// The losses equal reference.py's. Other processors round sums differently, and Adam
// amplifies the differences in each step. In the first twenty steps the relative
// differences are at most a hundred times the dtype's eps.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/losses.json")
	require.NoError(t, err)
	var golden struct{ Losses map[string][]float64 }
	require.NoError(t, json.Unmarshal(text, &golden))
	learned, err := small().read(t.Context())
	require.NoError(t, err)
	for dtype, eps := range map[string]float64{
		"float32": 1.0 / (1 << 23), "bfloat16": 1.0 / (1 << 8),
		"float16": 1.0 / (1 << 11),
	} {
		t.Run(dtype, func(t *testing.T) {
			c := small()
			c.bench, c.dtype = true, dtype
			s := &training{config: c, book: account.Open()}
			require.NoError(t, s.train(t.Context(), learned, io.Discard))
			require.Len(t, s.losses, len(golden.Losses[dtype]))
			// A loss is the mean over 128 characters, so rounding errors partly cancel.
			assert.InDeltaSlice(t, golden.Losses[dtype], s.losses, min(100*eps*golden.Losses[dtype][0], 0.05))
		})
	}
}

func TestOutput(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.plot, c.lossFile = filepath.Join(t.TempDir(), "loss.png"), filepath.Join(t.TempDir(), "losses")
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Regexp(t, `^5\d\d\d characters, \d\d different, 2\d\d\d\d parameters
step 10: loss [34]\.\d{4}
(  \| .*
)+step 20: loss [34]\.\d{4}
(  \| .*
)+all closed: 0 bytes and 0 tensors more than at the start
$`, out.String())
	assert.Equal(t, 2, strings.Count(out.String(), "  | Package "))
	losses, err := os.ReadFile(c.lossFile)
	require.NoError(t, err)
	assert.Equal(t, 21, strings.Count(string(losses), "\n"))
	tilestest.PNG(t, c.plot)
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := small()
	c.bench = true
	var out strings.Builder
	require.NoError(t, run(ctx, c, &out))
	assert.NotContains(t, out.String(), "step")
	c.text = ""
	assert.ErrorIs(t, run(ctx, c, &out), context.Canceled)
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for want, change := range map[string]func(c *config){
		"no such file":         func(c *config) { c.text = filepath.Join(t.TempDir(), "missing") },
		"-steps":               func(c *config) { c.steps = 0 },
		"a multiple of -heads": func(c *config) { c.size.Heads = 3 },
		"longer than -block":   func(c *config) { c.size.Block = 1 << 20 },
		"-prompt":              func(c *config) { c.prompt = "" },
		"does not occur in":    func(c *config) { c.prompt = "日本" },
		`got "int8"`:           func(c *config) { c.dtype = "int8" },
		"abacus":               func(c *config) { c.device = "abacus" },
		"SetNumThreads":        func(c *config) { c.threads = 0 },
		"NewDropout":           func(c *config) { c.size.Dropout = 2 },
		"is a directory":       func(c *config) { c.lossFile = t.TempDir() },
	} {
		c := small()
		change(&c)
		var out strings.Builder
		require.ErrorContains(t, run(t.Context(), c, &out), want)
		assert.Empty(t, out.String(), "%s: it is found before the training", want)
	}
}
