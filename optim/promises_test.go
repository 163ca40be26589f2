package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optimtest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A step checks parameters that the program has put into the list, as AddParamGroup does,
// before it changes anything.
func TestNewParametersAreChecked(t *testing.T) {
	scoped(t, func() {
		graded := func(shape torch.Shape, d torch.DType, sparse bool) *torch.Tensor {
			p, g := torch.Ones(shape, d, torch.RequiresGrad(true)), torch.Ones(shape, d)
			if sparse {
				g = g.ToSparse(torch.DenseDim(int64(len(shape)) - 1))
			}
			p.SetGrad(g)
			return p
		}
		for name, c := range map[string]struct {
			o     optim.Optimizer
			added *torch.Tensor
		}{
			"vector of Muon": {
				optim.NewMuon(list(graded(torch.Shape{2, 2}, torch.Float32, false))),
				graded(torch.Shape{4}, torch.Float32, false),
			},
			"complex SparseAdam": {
				optim.NewSparseAdam(list(graded(torch.Shape{2, 2}, torch.Float32, true))),
				graded(torch.Shape{2, 2}, torch.Complex64, true),
			},
		} {
			defer c.o.Close()
			g := c.o.ParamGroups()[0]
			first := g.Params[0]
			before := first.String()
			require.ErrorIs(t, torch.Try(func() { c.o.AddParamGroup(list(c.added)) }), torch.ErrValue, name)
			g.Params = append(g.Params, c.added)
			require.ErrorIs(t, torch.Try(c.o.Step), torch.ErrValue, name)
			assert.Equal(t, before, first.String(), name)
			g.Params = g.Params[:1]
			require.NoError(t, torch.Try(c.o.Step), name)
		}
	})
}

// SetState rejects state that no step would read: a name that the optimizer does not
// have, and a tensor that is not one of its parameters.
func TestStateThatNoStepReads(t *testing.T) {
	scoped(t, func() {
		for _, o := range optimtest.All() {
			p := torch.Ones(torch.Shape{2, 2}, torch.RequiresGrad(true))
			opt := o.New(list(p))
			defer opt.Close()
			s, ok := opt.(interface {
				SetState(p *torch.Tensor, name string, t *torch.Tensor) *torch.Tensor
			})
			require.True(t, ok, o.Name)
			for _, name := range []string{"", "nonsense", "Step"} {
				require.ErrorIs(t, torch.Try(func() { s.SetState(p, name, torch.Zeros(torch.Shape{})) }),
					torch.ErrValue, "%s %q", o.Name, name)
			}
		}
		p := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		opt := optim.NewAdam(list(p))
		defer opt.Close()
		err := torch.Try(func() { opt.SetState(p.Clone(), "step", torch.Zeros(torch.Shape{})) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "not a parameter of the optimizer")
		opt.SetState(p, "step", torch.Zeros(torch.Shape{}))
	})
}

// State dict hooks get an optimizer even if it belongs to a different package and has not
// stepped yet.
func TestHooksBeforeTheFirstStep(t *testing.T) {
	scoped(t, func() {
		p := param()
		b := optim.NewBase("Own", list(p), []optim.Option{optim.LR(0.5)})
		defer b.Close()
		var got []optim.Optimizer
		b.RegisterStateDictPreHook(func(o optim.Optimizer) { got = append(got, o) })
		b.RegisterStateDictPostHook(func(o optim.Optimizer, _ *optim.StateDict) *optim.StateDict {
			got = append(got, o)
			return nil
		})
		b.RegisterLoadStateDictPreHook(func(o optim.Optimizer, _ *optim.StateDict) *optim.StateDict {
			got = append(got, o)
			return nil
		})
		b.RegisterLoadStateDictPostHook(func(o optim.Optimizer) { got = append(got, o) })
		require.NoError(t, b.LoadStateDict(b.StateDict()))
		require.Len(t, got, 4)
		for i, o := range got {
			require.NotNil(t, o, "hook %d", i)
			assert.InDelta(t, 0.5, o.ParamGroups()[0].LR(), 0, "hook %d", i)
			assert.ErrorIs(t, torch.Try(o.Step), torch.ErrNotImplemented)
		}
	})
}
