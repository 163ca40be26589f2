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
	"github.com/gotorch/gotorch/torchtest"
)

// small returns the settings of a training run of ten steps, which ends in the second
// epoch.
func small() config {
	c := defaults()
	c.Threads, c.Steps, c.Quiet, c.examples, c.batch, c.show = 1, 10, true, 100, 16, 0
	c.size = size{encoders: 1, decoders: 2, heads: 2, embed: 16, forward: 32, dropout: 0.1}
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// testdata/losses.txt was written by
//
//	python reference.py --steps 10 --examples 100 --batch 16 --enc-layers 1 --attn-heads 2 \
//	    --embed-size 16 --dim-feedforward 32 --show 0 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	frametest.Compare(t, func(file string) error {
		c.Losses = file
		return run(t.Context(), c, io.Discard)
	})
}

// The model learns the sentences of a file and is saved. The saved model translates them.
func TestFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.data = filepath.Join(t.TempDir(), "pairs.tsv")
	require.NoError(t, os.WriteFile(c.data, []byte(strings.Repeat("guten Tag!\tgood day!\nja\tyes\n", 10)), 0o600))
	c.save, c.Steps, c.epochs, c.lr, c.show, c.size.dropout = filepath.Join(t.TempDir(), "model.pt"), -1, 20, 0.02, 2, 0
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Contains(t, out.String(), "18 pairs, 2 for validation, 8 and 8 words\nepoch 1: ")
	assert.Contains(t, out.String(), "guten Tag!: good day ! (good day!)\nja: yes (yes)\n")
	c.load, c.save, c.show, c.translate = c.save, "", 0, "ja"
	out.Reset()
	require.NoError(t, run(t.Context(), c, &out))
	assert.Regexp(t, `words\nja: yes\nall closed`, out.String())
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]pair{
		0:    {"null", "zero"},
		1:    {"eins", "one"},
		19:   {"neunzehn", "nineteen"},
		21:   {"ein und zwanzig", "twenty one"},
		30:   {"dreißig", "thirty"},
		101:  {"ein hundert eins", "one hundred one"},
		1017: {"ein tausend siebzehn", "one thousand seventeen"},
		654321: {
			"sechs hundert vier und fünfzig tausend drei hundert ein und zwanzig",
			"six hundred fifty four thousand three hundred twenty one",
		},
		101000: {"ein hundert ein tausend", "one hundred one thousand"},
	} {
		assert.Equal(t, want, pair{german(n), english(n)})
	}
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for want, change := range map[string]func(c *config){
		"no such file":   func(c *config) { c.data = filepath.Join(t.TempDir(), "missing") },
		"model.pt":       func(c *config) { c.load = filepath.Join(t.TempDir(), "model.pt") },
		"main.go:1: ":    func(c *config) { c.data = "main.go" },
		"-examples":      func(c *config) { c.examples = 1 },
		"a multiple of":  func(c *config) { c.size.heads = 3 },
		"NewDropout":     func(c *config) { c.size.dropout = 2 },
		"SetNumThreads":  func(c *config) { c.Threads = 0 },
		"data.NewLoader": func(c *config) { c.batch = 0 },
		"no/model":       func(c *config) { c.save, c.Steps = filepath.Join(t.TempDir(), "no", "model"), 1 },
	} {
		c := small()
		change(&c)
		assert.Error(t, run(t.Context(), c, io.Discard), want)
		if want != "no/model" {
			assert.ErrorContains(t, run(t.Context(), c, io.Discard), want)
		}
	}
}
