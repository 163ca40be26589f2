package parametrize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
)

// parts is a Splitter. The test chooses what its RightInverse returns.
type parts struct {
	nn.Base
	inverse func(w *torch.Tensor) []*torch.Tensor
}

func newParts(inverse func(w *torch.Tensor) []*torch.Tensor) *parts {
	p := &parts{inverse: inverse}
	p.Init(p)
	return p
}

func (p *parts) Forward(in ...*torch.Tensor) *torch.Tensor {
	return p.CallN(in, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Neg()} })[0]
}

func (p *parts) RightInverse(w *torch.Tensor) []*torch.Tensor { return p.inverse(w) }

// fixed is a parametrization that returns its own parameter, or nil.
type fixed struct {
	nn.Base
	w *torch.Tensor
}

func newFixed() *fixed {
	f := new(fixed)
	f.Init(f)
	return f
}

func (f *fixed) Forward(x *torch.Tensor) *torch.Tensor {
	return f.Call(x, func(*torch.Tensor) *torch.Tensor { return f.w })
}

// If Register fails at any point, the layer stays unchanged.
func TestRefusedLeavesTheLayer(t *testing.T) {
	integers := func(w *torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{w.Neg(), torch.Ones(torch.Shape{1}, torch.Int64)}
	}
	none := func(*torch.Tensor) []*torch.Tensor { return nil }
	for name, c := range map[string]struct {
		kind error
		fn   func(l *nn.Linear)
	}{
		"no parts":      {torch.ErrValue, func(l *nn.Linear) { parametrize.Register(l, "weight", newParts(none)) }},
		"integer parts": {torch.ErrDType, func(l *nn.Linear) { parametrize.Register(l, "weight", newParts(integers)) }},
		"nil result":    {torch.ErrNil, func(l *nn.Linear) { parametrize.Register(l, "weight", newFixed()) }},
		"itself":        {torch.ErrValue, func(l *nn.Linear) { parametrize.Register(l, "weight", l) }},
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				l := nn.NewLinear(2, 2)
				defer l.Close()
				text, state := l.String(), l.StateDict().String()
				require.ErrorIs(t, torch.Try(func() { c.fn(l) }), c.kind)
				assert.Equal(t, text, l.String())
				assert.Equal(t, state, l.StateDict().String())
				require.NotNil(t, l.Weight)
				assert.True(t, l.Weight.RequiresGrad())
			})
		})
	}
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		l.RegisterBuffer("parametrizations", torch.Ones(torch.Shape{1}))
		require.ErrorIs(t, torch.Try(func() { parametrize.Register(l, "weight", newScaled(2)) }), torch.ErrValue)
		l.Forward(torch.Ones(torch.Shape{1, 2}))
	})
}

// Cached does not close tensors that belong to a parametrization.
func TestCachedParameterOfAParametrization(t *testing.T) {
	scoped(t, func() {
		l, f := nn.NewLinear(2, 2), newFixed()
		defer l.Close()
		f.w = f.RegisterParameter("w", torch.Ones(torch.Shape{2, 2}))
		parametrize.Register(l, "weight", f)
		x := torch.Ones(torch.Shape{1, 2})
		parametrize.Cached(func() { l.Forward(x) })
		assert.False(t, f.w.IsClosed())
		l.Forward(x).Sum().Backward()
		assert.NotNil(t, f.w.Grad())
	})
}
