package dcp_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torchtest"
)

// counting is a model with a layer and with state that is neither a parameter nor a buffer.
type counting struct {
	nn.Base
	Layer *nn.Linear
	steps int64
}

func newCounting(steps int64) *counting {
	c := &counting{Layer: nn.NewLinear(2, 2), steps: steps}
	c.Init(c)
	return c
}

func newDoubled() *doubled {
	d := &doubled{counting: counting{Layer: nn.NewLinear(2, 2)}}
	d.Init(d)
	return d
}

func (c *counting) GetExtraState() *torch.Tensor  { return torch.FromSlice([]int64{c.steps}) }
func (c *counting) SetExtraState(t *torch.Tensor) { c.steps = t.Int64s()[0] }

// doubled is a model that saves copies of its parameters, and loads them itself.
type doubled struct {
	counting
	loads int
}

func (d *doubled) StateDict() nn.StateDict {
	return nn.StateDict{{Name: "twice", Tensor: d.Layer.Weight.Detach().MulScalar(2)}}
}

func (d *doubled) LoadStateDict(src nn.StateSource, _ ...nn.LoadOption) error {
	d.loads++
	t, err := src.Tensor("twice")
	if err != nil {
		return err
	}
	return torch.Try(func() { torch.NoGrad(func() { d.Layer.Weight.Copy_(t.DivScalar(2)) }) })
}

// Load restores a module as its LoadStateDict does: with extra states, with hooks, and by the
// method that the type declares.
func TestModulesLoadTheirState(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	for _, n := range []int{0, 2} {
		allWell(t, max(n, 1), func(ctx context.Context, g *distributed.ProcessGroup) error {
			if n == 0 {
				g = nil
			}
			from, to, twice, twiceTo := newCounting(7), newCounting(0), newDoubled(), newDoubled()
			list, listTo := nn.NewModuleList(newCounting(8)), nn.NewModuleList(newCounting(0))
			for _, m := range []nn.Module{from, to, twice, twiceTo, list, listTo} {
				defer m.Close()
			}
			torch.NoGrad(func() { // all ranks save the same
				from.Layer.Weight.Fill_(3)
				twice.Layer.Weight.Fill_(4)
			})
			state := map[string]any{"m": from, "in": []any{list}, "twice": twice}
			if err := dcp.Save(ctx, g, state, dir, dcp.Overwrite(true)); err != nil {
				return err
			}
			var calls []string
			to.RegisterLoadStateDictPreHook(func(nn.Module, *nn.StateDict, string) { calls = append(calls, "pre") })
			to.Layer.RegisterLoadStateDictPostHook(func(nn.Module, *nn.IncompatibleKeys) {
				calls = append(calls, "post")
			})
			state = map[string]any{"m": to, "in": []any{listTo}, "twice": twiceTo}
			if err := dcp.Load(ctx, g, dir, state); err != nil {
				return err
			}
			assert.Equal(t, []string{"pre", "post"}, calls)
			if !to.Layer.Weight.Equal(from.Layer.Weight) || to.steps != 7 {
				return errors.New("a module was not loaded")
			}
			if listTo.At(0).(*counting).steps != 8 {
				return errors.New("a module in a list was not loaded")
			}
			if !twiceTo.Layer.Weight.Equal(twice.Layer.Weight) || twiceTo.loads != 1 {
				return errors.New("LoadStateDict was not called once")
			}
			return nil
		})
	}
}

// An error of a module's load on one rank is an error on all ranks, and nothing is set after it.
func TestModulesThatFailToLoad(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	allWell(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		m := newCounting(1)
		defer m.Close()
		if err := dcp.Save(ctx, g, map[string]any{"m": m, "n": 5}, dir, dcp.Overwrite(true)); err != nil {
			return err
		}
		if g.Rank() == 1 {
			m.RegisterLoadStateDictPostHook(func(nn.Module, *nn.IncompatibleKeys) {
				panic(&torch.Error{Op: "hook", Kind: torch.ErrValue, Message: "the hook fails"})
			})
		}
		state := map[string]any{"m": m, "n": 0}
		err := dcp.Load(ctx, g, dir, state)
		assert.ErrorContains(t, err, "the hook fails")
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Equal(t, 0, state["n"])
		return nil
	})
}
