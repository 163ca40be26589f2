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

// small returns the settings of a training run of ten steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.Quiet, c.examples, c.batch = 1, 10, true, 200, 32
	c.size.embed, c.size.proj, c.size.hidden, c.size.layers = 16, 24, 16, 2
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 10 --examples 200 --batch-size 32 --d-embed 16 --d-proj 24 --d-hidden 16 \
//	    --n-layers 2 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
}

// write writes lines to a new file.
func write(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return path
}

const (
	follows = `{"gold_label": "entailment", "sentence1": "A Dog runs.", "sentence2": "a dog"}`
	open    = `{"gold_label": "-", "sentence1": "x", "sentence2": "y"}`
)

// Tests training on SNLI's files, word vectors, saving and resuming, and the smaller
// network.
func TestFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.data, c.dev = write(t, follows, open, follows), write(t, follows, open)
	c.save, c.Steps, c.devEvery, c.logEvery = filepath.Join(t.TempDir(), "model.pt"), 3, 2, 1
	c.vectors = write(t, "dog"+strings.Repeat(" 0.5", 16), "whale"+strings.Repeat(" 1", 16))
	c.size.oneWay, c.size.plain, c.size.layers = true, true, 1
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Regexp(t, `^2 pairs, 1 for validation, 6 words
0 s, epoch 1, step 1: loss 0.0000, accuracy 1.0000
0 s, epoch 2, step 2: loss 0.0000, accuracy 1.0000; validation 0.0000, 1.0000
0 s, epoch 3, step 3: loss 0.0000, accuracy 1.0000; validation 0.0000, 1.0000
all closed`, out.String())
	c.resume, c.save = c.save, ""
	require.NoError(t, run(t.Context(), c, io.Discard))

	torch.Scope(func() {
		c.preserveCase = true
		text, err := c.read()
		require.NoError(t, err)
		assert.Equal(t, []string{"<unk>", "<pad>", "A", "Dog", "runs", ".", "a", "dog"}, text.words.Words)
		m := newClassifier(c.size, 8, 1)
		defer m.Close()
		require.NoError(t, m.know(c.vectors, text.words))
		assert.Equal(t, float32(0.5), m.embed.Weight.Index(7, 15).Float32s()[0])
		assert.True(t, m.fixed)
	})
}

func TestMadeUp(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	kinds := map[string]int{}
	for _, p := range madeUp(300) {
		kinds[p.Label]++
	}
	assert.Len(t, kinds, 3)
	assert.Greater(t, kinds["entailment"], 70)
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	missing := filepath.Join(t.TempDir(), "no", "file")
	for want, change := range map[string]func(c *config){
		"no such file":      func(c *config) { c.data = missing },
		"file: no such":     func(c *config) { c.dev = missing },
		"no such":           func(c *config) { c.vectors = missing },
		"no/file":           func(c *config) { c.resume = missing },
		"file:2: ":          func(c *config) { c.data = write(t, follows, "{") },
		"file:1: expected":  func(c *config) { c.data = write(t, `{"a": 1}`) },
		"at least one pair": func(c *config) { c.data = write(t, open) },
		"-log-every":        func(c *config) { c.logEvery = 0 },
		"and 16 numbers":    func(c *config) { c.vectors = write(t, "a 1 2") },
		"invalid syntax":    func(c *config) { c.vectors = write(t, "man"+strings.Repeat(" x", 16)) },
		"SetNumThreads":     func(c *config) { c.Threads = 0 },
		"data.NewLoader":    func(c *config) { c.batch = 0 },
		"no/file.":          func(c *config) { c.save, c.Steps = missing, 1 },
	} {
		c := small()
		change(&c)
		err := run(t.Context(), c, io.Discard)
		require.Error(t, err, want)
		if want != "no/file." {
			assert.ErrorContains(t, err, want)
		}
	}
}
