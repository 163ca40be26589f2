package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/account"
	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// dataFolder returns the directory to which scripts/get_fashion_mnist.sh downloads the
// data.
func dataFolder(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("training is left out of short runs")
	}
	script := filepath.Join("..", "..", "scripts", "get_fashion_mnist.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("Fashion-MNIST is not there: run scripts/get_fashion_mnist.sh")
	}
	return strings.TrimSpace(string(out))
}

func newSession(c config) *session {
	c.device, c.bench = "cpu", true
	return &session{config: c, book: account.Open()}
}

// The losses equal reference.py's.
//
// Different processors round the last digit of a sum differently, and training amplifies
// the difference. Adam changes a weight by the same amount even if its gradient is almost
// zero, and then the last digit determines the direction. The losses of two processors
// differ by about 1e-7 in the first steps, and the difference doubles about every four
// steps. It is below 1e-5 for twenty steps, and 1e-3 or more after a hundred. So the
// first twenty losses are compared within 1e-4, and the average of the last twenty within
// 1e-2.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	text, err := os.ReadFile("testdata/losses.json")
	require.NoError(t, err)
	var golden struct {
		Seed           uint64
		Threads, Batch int
		Steps          int
		Losses         []float64
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	require.Len(t, golden.Losses, 100)

	s := newSession(config{
		data: dataFolder(t), epochs: 1, batch: golden.Batch, seed: golden.Seed,
		threads: golden.Threads, steps: golden.Steps,
	})
	require.NoError(t, s.run(t.Context()))
	require.Len(t, s.losses, 100)
	assert.Greater(t, s.accuracy[0], 0.7)
	for i, want := range golden.Losses[:20] {
		require.InEpsilon(t, want, s.losses[i], 1e-4, "step %d", i)
	}
	assert.InEpsilon(t, average(golden.Losses[80:]), average(s.losses[80:]), 1e-2, "the last twenty steps")
}

func average(losses []float64) (sum float64) {
	for _, l := range losses {
		sum += l / float64(len(losses))
	}
	return sum
}

// Drawing does not change the training.
func TestTheSameWithAPlot(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := config{data: dataFolder(t), epochs: 1, batch: 32, threads: 2, steps: 101}
	next := func() []int64 { return torch.RandInt(0, 1<<31, torch.Shape{4}).Int64s() }
	plain := newSession(c)
	require.NoError(t, plain.run(t.Context()))
	drawn := next()

	c.plot, c.samples = filepath.Join(t.TempDir(), "out.png"), filepath.Join(t.TempDir(), "samples.png")
	plotted := newSession(c)
	require.NoError(t, plotted.run(t.Context()))
	assert.InDeltaSlice(t, plain.losses, plotted.losses, 1e-6)
	assert.Equal(t, []float64{100, 101}, plotted.tested)
	assert.Equal(t, drawn, next(), "the random generator is where it was")

	for _, path := range []string{c.plot, c.samples} {
		tilestest.PNG(t, path)
	}
}

func TestTitle(t *testing.T) {
	assert.Equal(t, "boot, 98 %", seen{class: 9, guess: 9, sure: 0.98}.title())
	assert.Equal(t, "shirt, 51 %\nbut it is a coat", seen{class: 4, guess: 6, sure: 0.51}.title())
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSession(config{data: dataFolder(t), epochs: 1, batch: 64, threads: 1, steps: -1})
	require.NoError(t, s.run(ctx))
	assert.Empty(t, s.losses)
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good := config{data: t.TempDir(), epochs: 1, batch: 64, threads: 1}
	s := newSession(good)
	assert.ErrorIs(t, s.run(t.Context()), os.ErrNotExist)

	require.NoError(t, os.WriteFile(filepath.Join(good.data, "train-images-idx3-ubyte"), []byte("not images"), 0o600))
	assert.ErrorIs(t, newSession(good).run(t.Context()), torch.ErrFormat)

	bad := good
	bad.threads = 0
	assert.ErrorIs(t, newSession(bad).run(t.Context()), torch.ErrValue)
	s = newSession(good)
	s.device = "abacus"
	assert.ErrorIs(t, s.run(t.Context()), torch.ErrValue)
}
