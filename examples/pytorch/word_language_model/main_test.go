package main

import (
	"context"
	"io"
	"math"
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

// small returns the settings of the short training run that testdata/make_losses.py
// records.
func small() config {
	c := defaults()
	c.data, c.lr, c.emsize, c.nhid = "../../gpt/testdata/text.txt", 2, 16, 16
	c.batch, c.bptt, c.Steps, c.Threads, c.generate, c.Quiet = 8, 6, 10, 1, 0, true
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// The losses of each model equal reference.py's, which testdata/make_losses.py recorded.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, model := range []string{"RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"} {
		c := small()
		c.model, c.Losses = model, filepath.Join(t.TempDir(), "losses")
		require.NoError(t, run(t.Context(), c, io.Discard))
		want, got := frametest.Golden(t, "testdata/"+model+".txt"), frametest.Golden(t, c.Losses)
		require.Len(t, want, 10)
		require.Len(t, got, 10)
		for i, w := range want {
			assert.InEpsilon(t, w, got[i], 1e-4, "%s: step %d", model, i)
		}
	}
}

func TestOutput(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.every, c.generate, c.Steps, c.epochs = 4, 25, -1, 2
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Regexp(t, `^\d+ words, \d+ different
(epoch 1, \d+/\d+ steps: lr 2.00, [\d.]+ ms a step, loss [\d.]+, perplexity [\d.]+
)+epoch 1: [\d.]+ s, validation loss [\d.]+, perplexity [\d.]+
(?s:.*)epoch 2: [\d.]+ s, validation loss [\d.]+, perplexity [\d.]+
test: loss [\d.]+, perplexity [\d.]+
(\S+ ){19}\S+
(\S+ ){4}\S+
all closed: 0 bytes and 0 tensors more than at the start; the peak was \d+ bytes
$`, out.String())
}

// Saved weights can be loaded, and an epoch without improvement reduces the learning rate.
func TestSavedAndLoaded(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, model := range []string{"GRU", "Transformer"} {
		c := small()
		c.model, c.save, c.tied, c.adamW, c.lr = model, filepath.Join(t.TempDir(), "model.pt"), true, true, 1e-3
		var trained, read strings.Builder
		require.NoError(t, run(t.Context(), c, &trained))
		c.load, c.save, c.generate = c.save, "", 12
		require.NoError(t, run(t.Context(), c, &read))
		_, want, _ := strings.Cut(trained.String(), "test: ")
		want, _, _ = strings.Cut(want, "\n")
		assert.Contains(t, read.String(), "test: "+want+"\n")
	}
}

// If no epoch has a finite validation loss, the model keeps the weights of the last epoch.
func TestNoBest(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.lr, c.epochs, c.Steps = math.Inf(1), 2, -1
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Contains(t, out.String(), "test: loss NaN")
}

// The data may be a directory with three texts, like WikiText-2.
func TestFolder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	folder := t.TempDir()
	for i, name := range []string{"train.txt", "valid.txt", "test.txt"} {
		require.NoError(t,
			os.WriteFile(filepath.Join(folder, name), []byte(strings.Repeat("go gopher go\n"+name, 5-i)), 0o600))
	}
	var text *corpus
	torch.Scope(func() {
		var err error
		text, err = readCorpus(t.Context(), folder)
		require.NoError(t, err)
		assert.Equal(t, []int64{0, 1, 0, 2, 7, 1, 0, 2, 7, 1, 0, 2, 8, 2}, text.test.Int64s())
	})
	assert.Equal(t,
		[]string{
			"go", "gopher", "<eos>", "train.txtgo", "train.txt", "valid.txtgo", "valid.txt", "test.txtgo",
			"test.txt",
		}, text.words.Words)
	frametest.Refused(t, small, run, map[string]func(*config){
		"the text is too short: 18 words for 10 columns": func(c *config) { c.data = folder },
	})
	require.NoError(t, os.Remove(filepath.Join(folder, "valid.txt")))
	c := small()
	c.data = folder
	assert.ErrorIs(t, run(t.Context(), c, io.Discard), os.ErrNotExist)
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := small()
	require.NoError(t, run(ctx, c, io.Discard))
	c.data = ""
	assert.ErrorIs(t, run(ctx, c, io.Discard), context.Canceled)
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for want, change := range map[string]func(c *config){
		"no such file":      func(c *config) { c.data = filepath.Join(t.TempDir(), "missing") },
		"missing.pt":        func(c *config) { c.load = filepath.Join(t.TempDir(), "missing.pt") },
		"-bptt":             func(c *config) { c.bptt = 0 },
		"-nlayers":          func(c *config) { c.nlayers = 0 },
		"multiple of":       func(c *config) { c.model, c.nhead = "Transformer", 3 },
		"-nhid must equal":  func(c *config) { c.tied, c.nhid = true, 8 },
		"-temperature":      func(c *config) { c.temperature = 0 },
		`got "MLP"`:         func(c *config) { c.model = "MLP" },
		"too short":         func(c *config) { c.batch = 1 << 20 },
		"SetNumThreads":     func(c *config) { c.Threads = 0 },
		"NewDropout":        func(c *config) { c.dropout = 2 },
		"is a directory":    func(c *config) { c.Losses = t.TempDir() },
		"no such directory": func(c *config) { c.save = filepath.Join(t.TempDir(), "no", "model.pt") },
	} {
		c := small()
		c.Steps = 1
		change(&c)
		err := run(t.Context(), c, io.Discard)
		require.Error(t, err, want)
		if want != "no such directory" {
			assert.ErrorContains(t, err, want)
		}
	}
	c := small()
	c.Threads = 0
	assert.ErrorIs(t, run(t.Context(), c, io.Discard), torch.ErrValue)
}
