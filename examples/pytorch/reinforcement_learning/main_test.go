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

// small returns the settings of a training run of ten episodes.
func small() config {
	c := defaults()
	c.Threads, c.Steps = 1, 10
	return c
}

func run(ctx context.Context, c config, out io.Writer) error { return c.Run(ctx, out, c.train) }

// The losses files were written by
//
//	python reference.py --steps 10 --threads 1 --losses testdata/reinforce.txt
//	python reference.py --steps 10 --threads 1 --losses testdata/actor-critic.txt --method actor-critic
//
// The loss of REINFORCE is a small difference of large numbers, so rounding affects it
// more.
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, method := range []string{reinforce, actorCritic} {
		c := small()
		c.method, c.Losses = method, filepath.Join(t.TempDir(), "losses")
		require.NoError(t, run(t.Context(), c, io.Discard))
		want, got := frametest.Golden(t, "testdata/"+method+".txt"), frametest.Golden(t, c.Losses)
		require.Len(t, want, 10)
		assert.InDeltaSlice(t, want, got, 1e-4, method)
	}
}

// The rewards increase during training, and the plot is drawn.
func TestLearns(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small()
	c.Steps, c.plot = 70, filepath.Join(t.TempDir(), "rewards.png")
	var out strings.Builder
	require.NoError(t, run(t.Context(), c, &out))
	assert.Equal(t, 7, strings.Count(out.String(), "in the mean"))
	assert.NotContains(t, out.String(), "solved")
	assert.FileExists(t, c.plot)
}

func TestCartPole(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for x := -0.26; x < 0.26; x += 0.01 {
		assert.InDelta(t, math.Sin(x), sine(x), 1e-12)
		assert.InDelta(t, math.Cos(x), cosine(x), 1e-12)
	}
	c := newCartPole(1)
	c.reset()
	c.at = state{}
	s, over := c.step(1)
	assert.False(t, over)
	assert.InDeltaSlice(t, []float64{0, 0.195122, 0, -0.292683}, s[:], 1e-6)
	c.at = state{2.39, 10}
	_, over = c.step(0)
	assert.True(t, over, "off the rails")
	c.at = state{0, 0, 0.2, 1}
	_, over = c.step(0)
	assert.True(t, over, "it falls")
	for steps := 3; ; steps++ {
		c.at = state{}
		if _, over := c.step(1); over {
			assert.Equal(t, 499, steps)
			break
		}
	}
}

func TestInterrupted(t *testing.T) { frametest.Interrupted(t, small(), run) }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Refused(t, small, run, map[string]func(*config){
		"-method must be reinforce or actor-critic": func(c *config) { c.method = "luck" },
	})
	frametest.Mistakes(t, small, run, map[string]frametest.Mistake[config]{
		"no threads": {func(c *config) { c.Threads = 0 }, torch.ErrValue},
		"no folder":  {func(c *config) { c.plot = filepath.Join(t.TempDir(), "no", "x.png") }, os.ErrNotExist},
	})
}
