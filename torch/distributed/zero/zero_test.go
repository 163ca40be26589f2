package zero_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/zero"
	"github.com/gotorch/gotorch/torchtest"
)

func TestMain(m *testing.M) {
	ranks.Local()
	os.Exit(m.Run())
}

var background = context.Background()

// parameters returns parameters of several sizes, the same on all ranks.
func parameters(sizes ...int64) []*torch.Tensor {
	ps := make([]*torch.Tensor, len(sizes))
	for i, n := range sizes {
		ps[i] = torch.Linspace(-1, 1, n).AddScalar(float64(i)).Detach().RequiresGrad_()
	}
	return ps
}

// descend sets the gradient of each parameter for a step.
func descend(ps []*torch.Tensor, step int) {
	for i, p := range ps {
		p.SetGrad(p.Detach().MulScalar(float64(step + i)).Sin())
	}
}

var optimizers = map[string]func(ps []*torch.Tensor) optim.Optimizer{
	"SGD": func(ps []*torch.Tensor) optim.Optimizer { return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9)) },
	"Adam": func(ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdam(ps, optim.LR(0.1), optim.AMSGrad(true))
	},
	"AdamW":   func(ps []*torch.Tensor) optim.Optimizer { return optim.NewAdamW(ps, optim.LR(0.1), optim.Fused(true)) },
	"RMSprop": func(ps []*torch.Tensor) optim.Optimizer { return optim.NewRMSprop(ps, optim.LR(0.1)) },
}

// Parameters have the same bits as with an unsharded optimizer. The test covers a second
// group, a schedule, and loading state with a different number of ranks.
func TestSameParameters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, make := range optimizers {
		for _, n := range []int{1, 2, 3} {
			t.Run(fmt.Sprintf("%s/%d", name, n), func(t *testing.T) {
				ranks.AllWell(t, n, func(g *distributed.ProcessGroup) error {
					mine, plain := parameters(10, 200, 30, 4), parameters(10, 200, 30, 4)
					z, err := zero.NewZeroRedundancyOptimizer(g, make(mine[:2]))
					if err != nil {
						return err
					}
					defer z.Close()
					whole := make(plain[:2])
					defer whole.Close()
					z.AddParamGroup(mine[2:], optim.LR(0.01))
					whole.AddParamGroup(plain[2:], optim.LR(0.01))
					schedules := []schedule.Scheduler{schedule.NewStepLR(z, 5), schedule.NewStepLR(whole, 5)}
					step := func(i int) error {
						descend(mine, i)
						descend(plain, i)
						z.Step()
						whole.Step()
						for _, s := range schedules {
							s.Step()
						}
						for j, p := range mine {
							if !p.Equal(plain[j]) {
								return fmt.Errorf("step %d, parameter %d: %v, not %v", i, j, p, plain[j])
							}
						}
						return nil
					}
					for i := range 20 {
						if err := step(i); err != nil {
							return err
						}
					}
					for _, p := range mine {
						if own := slices.Contains(z.OwnParameters(), p); own != (len(z.State(p)) > 0) {
							return fmt.Errorf("a parameter of this rank: %v, with state %v", own, z.State(p))
						}
					}
					return moved(g, z, whole, mine, plain, make)
				})
			})
		}
	}
}

// moved loads the sharded state into a plain optimizer, and the state of an unsharded optimizer
// into a sharded one.
func moved(
	g *distributed.ProcessGroup, z *zero.ZeroRedundancyOptimizer, whole optim.Optimizer, mine, plain []*torch.Tensor,
	make func(ps []*torch.Tensor) optim.Optimizer,
) error {
	last := g.Size() - 1
	if err := z.ConsolidateStateDict(background, last); err != nil {
		return err
	}
	if g.Rank() == last {
		again := make(plain[:2])
		again.AddParamGroup(plain[2:])
		defer again.Close()
		if err := again.LoadStateDict(z.StateDict()); err != nil {
			return err
		}
		for _, p := range plain {
			for name, want := range whole.State(p) {
				if got := again.State(p)[name]; got == nil || !got.Equal(want) {
					return fmt.Errorf("%s: %v, not %v", name, got, want)
				}
			}
		}
	} else if err := torch.Try(func() { z.StateDict() }); !errors.Is(err, torch.ErrValue) {
		return fmt.Errorf("a state that is on another rank: %w", err)
	}
	fresh, err := zero.NewZeroRedundancyOptimizer(g, make(mine[:2]))
	if err != nil {
		return err
	}
	defer fresh.Close()
	fresh.AddParamGroup(mine[2:])
	if err := fresh.LoadStateDict(whole.StateDict()); err != nil {
		return err
	}
	descend(mine, 99)
	descend(plain, 99)
	fresh.Step()
	whole.Step()
	for j, p := range mine {
		if !p.Equal(plain[j]) {
			return fmt.Errorf("after loading, parameter %d: %v, not %v", j, p, plain[j])
		}
		if own := slices.Contains(fresh.OwnParameters(), p); own != (len(fresh.State(p)) > 0) {
			return fmt.Errorf("after loading, a parameter of this rank: %v, with state %v", own, fresh.State(p))
		}
	}
	return nil
}

// The partition equals Python's, which testdata/partition.py prints.
func TestPartition(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, row := range partitions {
		ranks.AllWell(t, len(row.parts), func(g *distributed.ProcessGroup) error {
			ps := parameters(row.sizes...)
			z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewSGD(ps, optim.LR(1)))
			if err != nil {
				return err
			}
			defer z.Close()
			var got []int
			for _, p := range z.OwnParameters() {
				got = append(got, slices.Index(ps, p))
			}
			if !slices.Equal(got, row.parts[g.Rank()]) {
				return fmt.Errorf("%v over %d: %v, not %v", row.sizes, g.Size(), got, row.parts[g.Rank()])
			}
			return nil
		})
	}
}

// A rank's state contains only its own parameters: for AdamW two numbers for each element, and a
// step count for each tensor.
func TestStateIsDivided(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n = 4
	var bytes [n]int64
	ranks.AllWell(t, n, func(g *distributed.ProcessGroup) error {
		ps := parameters(1000, 1000, 1000, 1000, 400, 400, 400, 400)
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdamW(ps))
		if err != nil {
			return err
		}
		defer z.Close()
		descend(ps, 1)
		z.Step()
		for _, p := range ps {
			for _, s := range z.State(p) {
				bytes[g.Rank()] += s.NBytes()
			}
		}
		return nil
	})
	for r, got := range bytes {
		assert.Equal(t, int64(2*4*1400+2*4), got, "rank %d", r)
	}
}

// ownLBFGS is an LBFGS that a program extends.
type ownLBFGS struct{ *optim.LBFGS }

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ps := parameters(3)
	opt := optim.NewSGD(ps, optim.LR(1))
	_, err := zero.NewZeroRedundancyOptimizer(nil, opt)
	require.ErrorIs(t, err, torch.ErrNil)
	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		_, err := zero.NewZeroRedundancyOptimizer(g, nil)
		assert.ErrorIs(t, err, torch.ErrNil)
		lbfgs := optim.NewLBFGS(parameters(3))
		defer lbfgs.Close()
		_, err = zero.NewZeroRedundancyOptimizer(g, lbfgs)
		assert.ErrorIs(t, err, torch.ErrValue)
		_, err = zero.NewZeroRedundancyOptimizer(g, &ownLBFGS{lbfgs})
		assert.ErrorIs(t, err, torch.ErrValue)
		used := optim.NewAdam(parameters(3))
		defer used.Close()
		descend(used.ParamGroups()[0].Params, 1)
		used.Step()
		_, err = zero.NewZeroRedundancyOptimizer(g, used)
		assert.ErrorIs(t, err, torch.ErrValue)
		ps := parameters(3, 4)
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdam(ps))
		if err != nil {
			return err
		}
		assert.ErrorIs(t, z.ConsolidateStateDict(background, 7), torch.ErrValue)
		assert.Contains(t, z.String(), "ZeroRedundancyOptimizer(rank")
		descend(ps, 1)
		if g.Rank() == 1 {
			return errors.Join(z.Close(), g.Close())
		}
		err = torch.Try(z.Step)
		assert.NoError(t, z.Close())
		assert.ErrorIs(t, z.StepContext(background), torch.ErrClosed)
		assert.ErrorIs(t, z.ConsolidateStateDict(background, 0), torch.ErrClosed)
		return err
	})
	require.ErrorIs(t, errs[0], distributed.ErrPeer)
	require.NoError(t, errs[1])
	require.NoError(t, opt.Close())
}
