package dcp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/distributed/zero"
	"github.com/gotorch/gotorch/torchtest"
)

// stepped returns an optimizer that has taken two steps.
func stepped(ps []*torch.Tensor, of func(ps []*torch.Tensor) optim.Optimizer) optim.Optimizer {
	o := of(ps)
	torch.Scope(func() {
		switch o := o.(type) {
		case *optim.LBFGS:
			for range 2 {
				o.StepClosure(func() *torch.Tensor {
					o.ZeroGrad()
					loss := ps[0].Square().Sum().Add(ps[1].Square().Square().Sum())
					loss.Backward()
					return loss
				})
			}
		default:
			for range 2 {
				for _, p := range ps {
					g := p.Detach().AddScalar(0.1)
					if _, is := o.(*optim.SparseAdam); is {
						g = g.ToSparse()
					}
					p.SetGrad(g)
				}
				o.Step()
			}
		}
	})
	return o
}

func matrices() []*torch.Tensor {
	return []*torch.Tensor{
		torch.Ones(torch.Shape{3, 4}).RequiresGrad_(),
		torch.Full(torch.Shape{4, 2}, 0.5).RequiresGrad_(),
	}
}

// Every kind of optimizer loads its own state, whether it has stepped or not. It rejects
// the state of a different kind before the model changes.
func TestOptimizersAreComparedFirst(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		dirs := map[string]string{}
		for _, every := range optimtest.All() {
			name, of := every.Name, every.New
			dirs[name] = t.TempDir()
			ps := matrices()
			o := stepped(ps, of)
			require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"w": ps, "opt": o}, dirs[name]))
			fresh, used := of(matrices()), stepped(matrices(), of)
			for range 2 {
				for _, other := range []optim.Optimizer{fresh, used} {
					require.NoError(t, dcp.Load(t.Context(), nil, dirs[name], map[string]any{"opt": other}), name)
					assert.Equal(t, o.StateDict().String(), other.StateDict().String(), name)
				}
			}
			numbers := 0
			for setting, v := range fresh.StateDict().ParamGroups[0].Settings {
				switch v.(type) {
				case float64, [2]float64:
					numbers++
					assert.Contains(t, dcp.Needed, setting, name)
				}
			}
			assert.Positive(t, numbers)
			require.NoError(t, errors.Join(o.Close(), fresh.Close(), used.Close()))
		}
		refused := 0
		for from, dir := range dirs {
			for _, every := range optimtest.All() {
				to, of := every.Name, every.New
				if from == to {
					continue
				}
				ps := matrices()
				o := of(ps)
				before := o.StateDict().String()
				err := dcp.Load(t.Context(), nil, dir, map[string]any{"w": ps, "opt": o})
				if err != nil {
					refused++
					assert.ErrorIs(t, err, torch.ErrMismatch, "%s to %s", from, to)
					assert.Equal(t, before, o.StateDict().String(), "%s to %s", from, to)
					assert.True(t, ps[0].Equal(torch.Ones(torch.Shape{3, 4})), "%s to %s", from, to)
				}
				require.NoError(t, o.Close())
			}
		}
		assert.Greater(t, refused, 190, "of %d", len(dirs)*(len(dirs)-1))
	})
}

// If an optimizer does not match the checkpoint, all ranks get an error before anything changes on
// any rank.
func TestOptimizersThatDoNotFit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"model": model, "opt": opt, "n": 1}, dir))
	for text, of := range map[string]func(m *nn.Linear) optim.Optimizer{
		"group 0 has 2 parameters in the checkpoint, but 1 in the state": func(m *nn.Linear) optim.Optimizer {
			return optim.NewAdamW(m.Parameters()[:1])
		},
		"the checkpoint has 1 parameter groups, but the state has 2": func(m *nn.Linear) optim.Optimizer {
			o := optim.NewAdamW(m.Parameters()[:1])
			o.AddParamGroup(m.Parameters()[1:])
			return o
		},
		"in the checkpoint, but a tensor of float32 (3,) in the state": func(m *nn.Linear) optim.Optimizer {
			ps := m.Parameters()
			return optim.NewAdamW([]*torch.Tensor{ps[1], ps[0]})
		},
		`the checkpoint has no setting "momentum"`: func(m *nn.Linear) optim.Optimizer {
			return optim.NewSGD(m.Parameters(), optim.LR(1))
		},
		"group 0: the setting": func(m *nn.Linear) optim.Optimizer {
			return &other{optim.NewBase("other", m.Parameters(), []optim.Option{optim.LR(1), text("betas")})}
		},
	} {
		for _, n := range []int{1, 2} {
			for r, err := range onRanks(t, n, func(ctx context.Context, g *distributed.ProcessGroup) error {
				rank, world := rankOf(g)
				m := nn.NewLinear(4, 3)
				defer m.Close()
				make := of
				if rank != world-1 {
					make = func(m *nn.Linear) optim.Optimizer { return optim.NewAdamW(m.Parameters()) }
				}
				o := make(m)
				defer o.Close()
				state := map[string]any{"model": m, "opt": o, "n": 0}
				weights, settings := m.StateDict().String(), o.StateDict().String()
				err := dcp.Load(ctx, g, dir, state)
				assert.Equal(t, weights, m.StateDict().String(), text)
				assert.Equal(t, settings, o.StateDict().String(), text)
				assert.Equal(t, 0, state["n"])
				return err
			}) {
				require.ErrorIs(t, err, torch.ErrMismatch, "rank %d of %d: %s", r, n, text)
				require.ErrorContains(t, err, text)
				require.ErrorContains(t, err, `tensor "opt"`)
			}
		}
	}
}

// other is a user-defined optimizer.
type other struct{ *optim.Base }

func (*other) Step() {}

// text is a setting whose value is a string.
type text string

func (t text) Setting() (name string, value any) { return string(t), "x" }

// Optimizers change only after all ranks have all tensors. They stay unchanged if another rank's
// file is damaged, or if numbers in their state are invalid.
func TestOptimizersChangeLast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, bad := t.TempDir(), t.TempDir()
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{100})
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"opt": opt, "x": x}, dir))
		opt.State(model.Parameters()[0])["step"].Fill_(-1)
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"opt": opt, "x": x}, bad))
	})
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	c := m.Get("x").Chunks[0]
	path := filepath.Join(dir, c.File)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	data[c.Start+c.Length/2] ^= 1
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for _, dir := range []string{dir, bad} {
		for r, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
			m := nn.NewLinear(4, 3)
			defer m.Close()
			o := optim.NewAdamW(m.Parameters())
			defer o.Close()
			state := map[string]any{"opt": o}
			if g.Rank() == 1 {
				state["x"] = torch.Zeros(torch.Shape{100})
			}
			before := o.StateDict().String()
			err := dcp.Load(ctx, g, dir, state)
			assert.Equal(t, before, o.StateDict().String(), "rank %d", g.Rank())
			return err
		}) {
			require.ErrorIs(t, err, torch.ErrFormat, "rank %d", r)
		}
	}
}

// If an optimizer's hooks reject the state at the end, all ranks get an error, even those without
// optimizers, and plain values stay unchanged.
func TestOptimizerThatRefusesInTheEnd(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"opt": opt, "n": 1}, dir))
	for r, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		state := map[string]any{"n": 0}
		if g.Rank() == 1 {
			m := nn.NewLinear(4, 3)
			defer m.Close()
			o := optim.NewAdamW(m.Parameters())
			defer o.Close()
			o.RegisterLoadStateDictPreHook(func(_ optim.Optimizer, sd *optim.StateDict) *optim.StateDict {
				sd.ParamGroups = nil
				return sd
			})
			state["opt"] = o
		}
		err := dcp.Load(ctx, g, dir, state)
		assert.Equal(t, 0, state["n"])
		return err
	}) {
		require.ErrorIs(t, err, torch.ErrValue, "rank %d", r)
		require.ErrorContains(t, err, `rank 1: `)
		require.ErrorContains(t, err, `state "opt"`)
	}
}

// A sharded optimizer is checked like the optimizer that it wraps.
func TestDividedOptimizers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	model, opt := trained()
	defer func() { require.NoError(t, errors.Join(model.Close(), opt.Close())) }()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"model": model, "opt": opt}, dir))
	allWell(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		m := nn.NewLinear(4, 3)
		defer m.Close()
		weights := m.StateDict().String()
		for _, of := range []func() optim.Optimizer{
			func() optim.Optimizer { return optim.NewSGD(m.Parameters(), optim.LR(1), optim.Momentum(0.9)) },
			func() optim.Optimizer { return optim.NewAdamW(m.Parameters()) },
		} {
			z, err := zero.NewZeroRedundancyOptimizer(g, of())
			if err != nil {
				return err
			}
			defer z.Close()
			err = dcp.Load(ctx, g, dir, map[string]any{"model": m, "opt": z})
			if _, fits := z.Optimizer.(*optim.AdamW); !fits {
				assert.ErrorIs(t, err, torch.ErrMismatch)
				assert.Equal(t, weights, m.StateDict().String())
				continue
			}
			if err != nil {
				return err
			}
			assert.Equal(t, model.StateDict().String(), m.StateDict().String())
			if err := z.ConsolidateStateDict(ctx, 1); err != nil {
				return err
			}
			if g.Rank() == 1 {
				assert.Equal(t, opt.StateDict().String(), z.StateDict().String())
			}
		}
		return nil
	})
}

// A tensor with overlapping elements cannot be filled. This is detected before any tensor is
// filled.
func TestExpandedTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		state := func(x float64) map[string]any {
			return map[string]any{"a": torch.Full(torch.Shape{3}, x), "b": torch.Full(torch.Shape{1}, x).Expand(3)}
		}
		require.NoError(t, dcp.Save(t.Context(), nil, state(1), dir))
		got := state(0)
		err := dcp.Load(t.Context(), nil, dir, got)
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, `state "b": a tensor with overlapping elements`)
		assert.Zero(t, got["a"].(*torch.Tensor).Sum().Item())
	})
}

// Overwrite(false) applies if any rank sets it, not only the first.
func TestAnyRankKeeps(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"n": 1}, dir))
	for r, err := range onRanks(t, 2, func(ctx context.Context, g *distributed.ProcessGroup) error {
		return dcp.Save(ctx, g, map[string]any{"n": 2}, dir, dcp.Overwrite(g.Rank() == 0))
	}) {
		require.ErrorIs(t, err, os.ErrExist, "rank %d", r)
	}
	got := map[string]any{"n": 0}
	require.NoError(t, dcp.Load(t.Context(), nil, dir, got))
	assert.Equal(t, 1, got["n"])
}

// A nil item is not a tensor.
func TestNoItem(t *testing.T) {
	item := new(dcp.Metadata).Get("x")
	assert.False(t, item.IsTensor())
	assert.Zero(t, item.Bytes())
	assert.Equal(t, "<nil>", item.String())
}
