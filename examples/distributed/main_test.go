package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMain(m *testing.M) {
	ranks.Local()
	if os.Getenv(asRank) != "" {
		os.Exit(rankMain())
	}
	os.Exit(m.Run())
}

// small is a training of two epochs of 8 steps on two processes.
func small(out string) config {
	c := defaults
	c.batch, c.examples, c.seed, c.quiet, c.out = 16, 256, 3, true, out
	return c
}

// trained runs a training on n processes and returns the parameters.
func trained(t *testing.T, n int, c config) []*torch.Tensor {
	t.Helper()
	for _, p := range start(t, n, c) {
		require.Zero(t, p.wait(t), p.out.String())
	}
	return parameters(t, c)
}

// parameters are those of the newest state in the folder.
func parameters(t *testing.T, c config) []*torch.Tensor {
	t.Helper()
	r := &trainer{config: c, model: newModel()}
	r.opt = optim.NewAdamW(r.model.Parameters(), optim.LR(c.lr), optim.Fused(true))
	defer r.opt.Close()
	t.Cleanup(func() { assert.NoError(t, r.model.Close()) })
	_, err := checkpoint.Resume(c.out, r.state())
	require.NoError(t, err)
	return r.model.Parameters()
}

func equal(a, b []*torch.Tensor) error {
	for i := range a {
		if !a[i].Equal(b[i]) {
			return fmt.Errorf("parameter %d differs", i)
		}
	}
	return nil
}

// Two processes train as one does with twice the batch: the same images make each step.
// AdamW divides gradients by their size, so where one is next to zero its rounding decides the
// direction of a step of at most the learning rate; that is rare.
func TestAsOneProcess(t *testing.T) {
	one, two := small(t.TempDir()), small(t.TempDir())
	one.batch *= 2
	one.steps, two.steps = 8, 8
	a, b := trained(t, 1, one), trained(t, 2, two)
	torch.Scope(func() {
		far, n := 0.0, 0.0
		for i := range a {
			d := a[i].Detach().Sub(b[i].Detach()).Abs()
			assert.LessOrEqual(t, d.Max().Item(), 2*one.lr*8)
			far += d.GtScalar(one.lr / 10).Sum().Item()
			n += float64(d.Numel())
		}
		assert.Less(t, far/n, 0.01)
	})
}

// Batches that add up make the steps of batches as large.
func TestAccumulated(t *testing.T) {
	whole, parts := small(t.TempDir()), small(t.TempDir())
	parts.batch, parts.accumulate = 8, 2
	whole.steps, parts.steps = 4, 4
	a, b := trained(t, 2, whole), trained(t, 2, parts)
	torch.Scope(func() {
		for i := range a {
			assert.LessOrEqual(t, a[i].Detach().Sub(b[i].Detach()).Abs().Max().Item(), 2*whole.lr*4)
		}
	})
}

func TestCompressed(t *testing.T) {
	for _, kind := range []string{"fp16", "bf16"} {
		c := small(t.TempDir())
		c.compress, c.steps = kind, 2
		trained(t, 2, c)
	}
	c := small("")
	c.compress = "zip"
	for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error { return train(context.Background(), g, c) }) {
		require.ErrorContains(t, err, "-compress zip")
	}
}

func TestBadFlags(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, wrong := range []func(c *config){
		func(c *config) { c.batch = 0 }, func(c *config) { c.epochs = 0 }, func(c *config) { c.accumulate = -1 },
		func(c *config) { c.examples = 0 }, func(c *config) { c.data = "nowhere" },
	} {
		c := small("")
		wrong(&c)
		ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
			assert.Error(t, train(context.Background(), g, c))
			return nil
		})
	}
}

// Alone, without a launcher, and with nothing left behind.
func TestAlone(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small("")
	c.epochs = 1
	require.NoError(t, run(context.Background(), c))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.Error(t, run(ctx, c))
	require.Equal(t, 130, report(errInterrupted))
	require.Equal(t, 1, report(errors.New("another")))
	require.Equal(t, 0, report(nil))
}
