package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
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

// launchers matches the names of environment variables that launchers set.
var launchers = regexp.MustCompile(`^(RANK|WORLD_SIZE|MASTER_.*|LOCAL_.*|SLURM_.*|TORCHELASTIC_.*)$`)

func TestMain(m *testing.M) {
	ranks.Local()
	if os.Getenv(asRank) != "" {
		os.Exit(rankMain())
	}
	// A launcher may have started the tests. They must ignore its variables.
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); launchers.MatchString(name) {
			_ = os.Unsetenv(name)
		}
	}
	os.Exit(m.Run())
}

// small returns the settings of a training run: two epochs of 8 steps on two processes.
func small(out string) config {
	c := defaults
	c.batch, c.examples, c.seed, c.quiet, c.out = 16, 256, 3, true, out
	return c
}

// trained runs the training on n processes and returns the final parameters.
func trained(t *testing.T, n int, c config) []*torch.Tensor {
	t.Helper()
	for _, p := range start(t, n, c) {
		require.Zero(t, p.wait(t), p.out.String())
	}
	return parameters(t, c)
}

// newest returns a trainer that is restored from the newest state in the directory.
func newest(t *testing.T, c config) *trainer {
	t.Helper()
	r := &trainer{config: c, model: newModel()}
	r.opt = optim.NewAdamW(r.model.Parameters(), optim.LR(c.lr), optim.Fused(true))
	t.Cleanup(func() {
		assert.NoError(t, r.opt.Close())
		assert.NoError(t, r.model.Close())
	})
	_, err := checkpoint.Resume(c.out, r.state())
	require.NoError(t, err)
	return r
}

// parameters returns the parameters of the newest state in the directory.
func parameters(t *testing.T, c config) []*torch.Tensor {
	t.Helper()
	return newest(t, c).model.Parameters()
}

func equal(a, b []*torch.Tensor) error {
	for i := range a {
		if !a[i].Equal(b[i]) {
			return fmt.Errorf("parameter %d differs", i)
		}
	}
	return nil
}

// The averaged gradients of two processes equal the gradients of one process whose
// batches are twice as large, because both use the same images in a step. The parameters
// would not show an error, because the size of AdamW's steps does not depend on the size
// of the gradient. So the test compares AdamW's first moment, which is a tenth of the
// first gradient.
//
// A gradient is a sum of up to n = 32 x 26 x 26 products. Each addition rounds by u =
// 2^-24. If signs are random, the sum of the products' absolute values is about sqrt(n)
// times the gradient, and the error is about sqrt(n) u times that sum. So the bound is n
// u times the largest gradient. Compressed gradients are rounded on each process, and
// their sum is rounded once more. The relative error of one rounding is 2^-11 for fp16 or
// 2^-8 for bf16. Each process's gradients are about as large as their mean, so the bound
// allows four such errors.
func TestGradients(t *testing.T) {
	one := small(t.TempDir())
	one.batch, one.steps = 32, 1
	trained(t, 1, one)
	a := newest(t, one)
	const plain = 32 * 26 * 26 * 0x1p-24
	for name, two := range map[string]struct {
		batch, accumulate int
		compress          string
		bound             float64
	}{
		"plain":       {16, 1, "", plain},
		"accumulated": {8, 2, "", plain},
		"fp16":        {16, 1, "fp16", plain + 4*0x1p-11},
		"bf16":        {16, 1, "bf16", plain + 4*0x1p-8},
	} {
		t.Run(name, func(t *testing.T) {
			c := small(t.TempDir())
			c.batch, c.accumulate, c.compress, c.steps = two.batch, two.accumulate, two.compress, 1
			trained(t, 2, c)
			b := newest(t, c)
			far := 0.0
			torch.Scope(func() {
				for i, p := range a.model.Parameters() {
					g, h := a.opt.StateTensor(p, "exp_avg"), b.opt.StateTensor(b.model.Parameters()[i], "exp_avg")
					largest := g.Abs().Max().Item()
					require.Positive(t, largest)
					d := g.Sub(h).Abs().Max().Item() / largest
					assert.LessOrEqual(t, d, two.bound, "parameter %d", i)
					far = max(far, d)
				}
			})
			if two.compress != "" {
				assert.Greater(t, far, 0x1p-14, "nothing was rounded")
			}
		})
	}
}

// Over several steps, two processes train like one process whose batches are twice as
// large. AdamW divides each gradient by its size. So if a gradient is almost zero,
// rounding may reverse the direction of a step. The tolerance follows from the size of a
// step, which is at most the learning rate.
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

func TestUnknownCompression(t *testing.T) {
	c := small("")
	c.compress = "zip"
	for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		return train(context.Background(), g, c)
	}) {
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

// The program runs alone, without a launcher, and leaves no tensors open.
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
