package zero_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/zero"
	"github.com/gotorch/gotorch/torchtest"
)

// An optimizer cannot be sharded over a group without this process.
func TestNoMember(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 3, func(g *distributed.ProcessGroup) error {
		sub, err := g.NewGroup(background, []int{0, 2})
		if err != nil {
			return err
		}
		defer sub.Close()
		ps := parameters(3, 4)
		opt := optim.NewAdam(ps)
		defer opt.Close()
		z, err := zero.NewZeroRedundancyOptimizer(sub, opt)
		if g.Rank() == 1 {
			var te *torch.Error
			if !errors.As(err, &te) || !errors.Is(err, torch.ErrValue) {
				return fmt.Errorf("no member: %v, %w", z, err)
			}
			assert.Equal(t, "zero.NewZeroRedundancyOptimizer", te.Op)
			assert.ErrorContains(t, err,
				"argument g: this process is not a member of the group, which has the ranks [0 2]")
			return nil
		}
		if err != nil {
			return err
		}
		descend(ps, 1)
		return errors.Join(z.StepContext(background), z.ConsolidateStateDict(background, 2))
	})
}

// Methods of a nil optimizer, and of a zero value, return or panic with errors.
func TestNilReceivers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, z := range []*zero.ZeroRedundancyOptimizer{nil, {}} {
		for name, call := range map[string]func(){
			"Step":          z.Step,
			"StepContext":   func() { panic(z.StepContext(background)) },
			"ZeroGrad":      func() { z.ZeroGrad() },
			"AddParamGroup": func() { z.AddParamGroup(nil) },
			"ParamGroups":   func() { z.ParamGroups() },
			"OwnParameters": func() { z.OwnParameters() },
			"State":         func() { z.State(nil) },
			"StateDict":     func() { z.StateDict() },
			"LoadStateDict": func() { panic(z.LoadStateDict(&optim.StateDict{})) },
			"ConsolidateStateDict": func() {
				panic(z.ConsolidateStateDict(background, 0))
			},
		} {
			err := torch.Try(call)
			require.ErrorIs(t, err, torch.ErrNil, name)
			var te *torch.Error
			require.ErrorAs(t, err, &te, name)
			assert.Equal(t, "zero.ZeroRedundancyOptimizer."+name, te.Op)
		}
		require.NoError(t, z.Close())
		assert.Equal(t, "<nil>", z.String())
	}
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		var none *optim.SGD
		_, err := zero.NewZeroRedundancyOptimizer(g, none)
		assert.ErrorIs(t, err, torch.ErrNil)
		return nil
	})
}

// If state cannot be gathered from one rank, all ranks get an error that names this rank.
// Earlier gathered state stays, and the group stays usable.
func TestConsolidateFailsOnAll(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n = 3
	ranks.AllWell(t, n, func(g *distributed.ProcessGroup) error {
		ps := parameters(30, 20, 10)
		sgd := optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9))
		z, err := zero.NewZeroRedundancyOptimizer(g, sgd)
		if err != nil {
			return err
		}
		defer z.Close()
		descend(ps, 1)
		z.Step()
		if err := z.ConsolidateStateDict(background, 2); err != nil {
			return err
		}
		own := z.OwnParameters()[0]
		for _, c := range []struct {
			name string
			to   func() int
			kind error // kind of the error on rank 1
			text string
		}{
			{"a rank that the group has not", func() int {
				if g.Rank() == 1 {
					return 7
				}
				return 0
			}, torch.ErrValue, "the group has no rank 7; its ranks are [0 1 2]"},
			{
				"ranks that differ", func() int { return g.Rank() % 2 }, distributed.ErrMismatch,
				"rank 1 gathers on rank 1, but rank 0 on rank 0",
			},
			{"sparse state", func() int {
				if g.Rank() == 1 {
					sgd.SetState(own, "momentum_buffer", torch.Ones(own.Shape()).ToSparse())
				}
				return 0
			}, torch.ErrValue, "only dense state can be sent"},
			{"closed state", func() int {
				if g.Rank() == 1 {
					_ = z.State(own)["momentum_buffer"].Close()
				}
				return 0
			}, torch.ErrClosed, ""},
		} {
			err := z.ConsolidateStateDict(background, c.to())
			kind := distributed.ErrMismatch
			if g.Rank() == 1 {
				kind = c.kind
			}
			if !assert.ErrorIs(t, err, kind, c.name) {
				return err
			}
			assert.ErrorContains(t, err, c.text, c.name)
			var e *distributed.Error
			if errors.As(err, &e) {
				assert.Equal(t, []int{1}, e.Ranks, c.name)
				assert.Equal(t, "zero.ZeroRedundancyOptimizer.ConsolidateStateDict", e.Op)
			}
			if g.Rank() == 2 {
				assert.Len(t, z.StateDict().State, len(ps), "of before")
			}
		}
		// If a step fails on one rank, it fails on all ranks, and the group stays usable.
		descend(ps, 2)
		err = z.StepContext(background)
		if g.Rank() == 1 {
			assert.ErrorIs(t, err, torch.ErrClosed)
		} else {
			assert.ErrorIs(t, err, distributed.ErrMismatch)
			var e *distributed.Error
			if assert.ErrorAs(t, err, &e) {
				assert.Equal(t, []int{1}, e.Ranks)
				assert.Equal(t, "zero.ZeroRedundancyOptimizer.StepContext", e.Op)
			}
		}
		if g.Rank() == 1 {
			sgd.SetState(own, "momentum_buffer", torch.Ones(own.Shape()))
		}
		return errors.Join(z.StepContext(background), z.ConsolidateStateDict(background, 1))
	})
}

// ConsolidateStateDict fails if its context has ended.
func TestConsolidateIsCancelled(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, err := range ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdam(parameters(3, 4)))
		if err != nil {
			return err
		}
		defer z.Close()
		ctx, cancel := context.WithCancel(background)
		cancel()
		return z.ConsolidateStateDict(ctx, 0)
	}) {
		require.ErrorIs(t, err, distributed.ErrCanceled)
	}
}

// State with other dtypes or in a different memory format arrives unchanged, and so does
// the state of parameters without elements.
func TestConsolidateKeepsBits(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		fresh := func() []*torch.Tensor {
			ps := []*torch.Tensor{
				torch.Linspace(-1, 1, 50, torch.BFloat16), torch.Linspace(-1, 1, 40, torch.Float64),
				torch.Zeros(torch.Shape{0, 3}),
				torch.Linspace(-1, 1, 120).Reshape(2, 3, 4, 5).To(torch.ChannelsLast), torch.Zeros(torch.Shape{0}),
			}
			for i, p := range ps {
				ps[i] = p.Detach().RequiresGrad_()
			}
			return ps
		}
		mine, plain := fresh(), fresh()
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdam(mine))
		if err != nil {
			return err
		}
		defer z.Close()
		whole := optim.NewAdam(plain)
		defer whole.Close()
		for i := range 2 {
			descend(mine, i)
			descend(plain, i)
			z.Step()
			whole.Step()
		}
		for to := range 2 {
			if err := z.ConsolidateStateDict(background, to); err != nil {
				return err
			}
			if g.Rank() != to {
				continue
			}
			got, want := z.StateDict(), whole.StateDict()
			assert.Equal(t, want.ParamGroups, got.ParamGroups)
			assert.Len(t, got.State, len(want.State))
			for n, state := range want.State {
				for name, x := range state {
					have := got.State[n][name]
					if have == nil || have.DType() != x.DType() || !have.Equal(x) {
						return fmt.Errorf("%s of %d: %v, not %v", name, n, have, x)
					}
				}
			}
		}
		return nil
	})
}

// Only one rank needs memory for the whole state, both native and Go memory.
func TestConsolidateNeedsTheStateOnce(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n, elements = 4, 1 << 20
	const state = n * 2 * elements * 4 // bytes of AdamW's state in float32
	var before, after runtime.MemStats
	ranks.AllWell(t, n, func(g *distributed.ProcessGroup) error {
		ps := make([]*torch.Tensor, n)
		for i := range ps {
			ps[i] = torch.Zeros(torch.Shape{elements}).RequiresGrad_()
		}
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdamW(ps))
		if err != nil {
			return err
		}
		defer z.Close()
		torch.Scope(func() { descend(ps, 1) })
		z.Step()
		for round := range 2 { // the second round frees the state that the first round gathered
			base := int64(0)
			if err := g.Barrier(background); err != nil {
				return err
			}
			if g.Rank() == 0 {
				runtime.ReadMemStats(&before)
				memory.ResetPeak(torch.CPU)
				base = memory.Requested(torch.CPU) - int64(round*state)
			}
			if err := errors.Join(g.Barrier(background), z.ConsolidateStateDict(background, 1),
				g.Barrier(background)); err != nil {
				return err
			}
			if g.Rank() == 0 {
				runtime.ReadMemStats(&after)
				const little = state / 16
				assert.InDelta(t, state, memory.MaxRequested(torch.CPU)-base, little, "native, at the peak, round %d",
					round)
				assert.InDelta(t, state, memory.Requested(torch.CPU)-base, little, "native, in the end, round %d",
					round)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(little), "in Go, round %d", round)
			}
			if err := g.Barrier(background); err != nil {
				return err
			}
		}
		return nil
	})
}

// Ranks exchange their data on the CPU, whatever the default device is.
func TestConsolidateOnAnotherDefaultDevice(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ranks.AllWell(t, 2, func(g *distributed.ProcessGroup) error {
		ps := []*torch.Tensor{
			torch.Ones(torch.Shape{3}, torch.RequiresGrad(true)),
			torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)),
		}
		z, err := zero.NewZeroRedundancyOptimizer(g, optim.NewAdam(ps))
		if err != nil {
			return err
		}
		defer z.Close()
		descend(ps, 0)
		z.Step()
		torch.WithDevice(torch.Meta, func() { err = z.ConsolidateStateDict(background, 0) })
		if err == nil && g.Rank() == 0 {
			assert.Len(t, z.StateDict().State, 2)
		}
		return err
	})
}
