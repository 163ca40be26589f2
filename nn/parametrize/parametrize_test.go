package parametrize_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// symmetric makes a square matrix symmetric, and counts its calls.
type symmetric struct {
	nn.Base
	ran int
}

func newSymmetric() *symmetric {
	s := new(symmetric)
	s.Init(s)
	return s
}

func (s *symmetric) Forward(x *torch.Tensor) *torch.Tensor {
	s.ran++
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Triu().Add(x.Triu(1).T()) })
}

// scaled is a parametrization with an inverse.
type scaled struct {
	nn.Base
	by float64
}

func newScaled(by float64) *scaled {
	s := &scaled{by: by}
	s.Init(s)
	return s
}

func (s *scaled) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(s.by) })
}
func (s *scaled) RightInverse(w *torch.Tensor) *torch.Tensor { return w.DivScalar(s.by) }

// sum is a parametrization with two originals.
type sum struct{ nn.Base }

func newSum() *sum {
	s := new(sum)
	s.Init(s)
	return s
}

func (s *sum) Forward(in ...*torch.Tensor) *torch.Tensor {
	return s.CallN(in, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Add(in[1])} })[0]
}

func (s *sum) RightInverse(w *torch.Tensor) []*torch.Tensor {
	return []*torch.Tensor{torch.ZerosLike(w), w}
}

// narrow is a parametrization that changes the shape.
type narrow struct{ nn.Base }

func newNarrow() *narrow {
	n := new(narrow)
	n.Init(n)
	return n
}

func (n *narrow) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 0, 1) })
}

func scoped(t *testing.T, fn func()) {
	t.Helper()
	defer torchtest.CheckLeaks(t)()
	torch.Scope(fn)
}

func TestRegister(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		weight := l.Weight
		want := weight.Detach().Clone()
		assert.False(t, parametrize.IsParametrized(l))
		parametrize.Register(l, "weight", newScaled(2))
		assert.True(t, parametrize.IsParametrized(l, "weight"))
		assert.False(t, parametrize.IsParametrized(l, "bias"))
		assert.Same(t, weight, l.GetParameter("parametrizations.weight.original"))
		assert.Equal(t, want.Float32s(), parametrize.Value(l, "weight").Detach().Float32s())
		parametrize.Register(l, "weight", newSymmetric())
		v := parametrize.Value(l, "weight").Detach()
		assert.Equal(t, v.Float32s(), v.T().Contiguous().Float32s())
		assert.Equal(t, []string{"bias", "parametrizations.weight.original"}, l.StateDict().Names())
		assert.ErrorIs(t, torch.Try(func() { parametrize.Set(l, "weight", v) }), torch.ErrNotImplemented)

		parametrize.Remove(l, "weight", parametrize.LeaveParametrized(false))
		assert.Same(t, weight, l.Weight)
		assert.Equal(t, want.DivScalar(2).Float32s(), l.Weight.Detach().Float32s())
		assert.Equal(t, "Linear(in_features=2, out_features=2, bias=True)", l.String())

		parametrize.Register(l, "weight", newScaled(4))
		parametrize.Set(l, "weight", want)
		assert.Equal(t, want.DivScalar(4).Float32s(), weight.Detach().Float32s())
		parametrize.Remove(l, "weight")
		assert.Equal(t, want.Float32s(), l.Weight.Detach().Float32s())
		assert.True(t, l.Weight.RequiresGrad())
	})
}

func TestSplitter(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		l.Bias.SetRequiresGrad(false)
		want := l.Bias.Float32s()
		parametrize.Register(l, "bias", newSum())
		assert.Equal(t, []string{"weight", "parametrizations.bias.original0", "parametrizations.bias.original1"},
			l.StateDict().Names())
		assert.False(t, l.GetParameter("parametrizations.bias.original0").RequiresGrad())
		assert.Equal(t, want, parametrize.Value(l, "bias").Float32s())
		assert.ErrorIs(t, torch.Try(func() { parametrize.Register(l, "bias", newSum()) }), torch.ErrType)
		assert.ErrorIs(t, torch.Try(func() {
			parametrize.Remove(l, "bias", parametrize.LeaveParametrized(false))
		}), torch.ErrValue)
		parametrize.Set(l, "bias", torch.Ones(torch.Shape{2}))
		parametrize.Remove(l, "bias")
		assert.Equal(t, []float32{1, 1}, l.Bias.Float32s())
		assert.False(t, l.Bias.RequiresGrad())
	})
}

// halves is a parametrization with two originals. The shapes of its result and of the
// parameter differ.
type halves struct{ sum }

func (s *halves) Forward(in ...*torch.Tensor) *torch.Tensor {
	return s.CallN(in, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{in[0].Narrow(0, 0, 1)} })[0]
}

// doubled is a parametrization whose original has a different dtype.
type doubled struct{ scaled }

func newDoubled() *doubled {
	d := new(doubled)
	d.Init(d)
	return d
}
func (d *doubled) RightInverse(w *torch.Tensor) *torch.Tensor { return w.Double() }

// If the shape does not match, the layer stays unchanged, and nothing leaks.
func TestSplitterThatDoesNotFit(t *testing.T) {
	scoped(t, func() {
		l, p := nn.NewLinear(2, 2), new(halves)
		defer l.Close()
		p.Init(p)
		bias, want, live := l.Bias, l.Bias.Float32s(), torch.NumLiveTensors()
		assert.ErrorIs(t, torch.Try(func() { parametrize.Register(l, "bias", p) }), torch.ErrValue)
		assert.ErrorContains(t, torch.Try(func() { parametrize.Register(l, "bias", newDoubled()) }),
			"RightInverse returned float64")
		assert.Equal(t, live, torch.NumLiveTensors())
		assert.Same(t, bias, l.Bias)
		assert.Equal(t, want, l.Bias.Float32s())
		assert.True(t, l.Bias.RequiresGrad())
		assert.Equal(t, []string{"weight", "bias"}, l.StateDict().Names())
	})
}

// A buffer that is parametrized stays a buffer.
func TestBuffers(t *testing.T) {
	scoped(t, func() {
		n := nn.NewBatchNorm1d(2)
		defer n.Close()
		parametrize.Register(n, "running_var", newScaled(2))
		assert.NotNil(t, n.GetBuffer("parametrizations.running_var.original"))
		n.Eval()
		n.Forward(torch.Ones(torch.Shape{1, 2}))
		parametrize.Remove(n, "running_var")
		assert.Equal(t, []float32{1, 1}, n.RunningVar.Float32s())
	})
}

func TestCached(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		s := newSymmetric()
		parametrize.Register(l, "weight", s, parametrize.Unsafe(true))
		x := torch.Ones(torch.Shape{1, 2})
		parametrize.Cached(func() {
			torch.Scope(func() { l.Forward(x) })
			parametrize.Cached(func() { l.Forward(x).Add(l.Forward(x)).Sum().Backward() })
		})
		assert.Equal(t, 1, s.ran)
		assert.NotNil(t, l.GetParameter("parametrizations.weight.original").Grad())
		l.Forward(x)
		assert.Equal(t, 2, s.ran)
		assert.ErrorIs(t, torch.Try(func() { parametrize.Cached(nil) }), torch.ErrNil)
	})
}

// A tensor that cannot be parametrized stays unchanged.
func TestErrors(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		text, state := l.String(), l.StateDict().String()
		var none *nn.Linear
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil module":          {torch.ErrNil, func() { parametrize.Register(nil, "weight", newSymmetric()) }},
			"nil pointer":         {torch.ErrNil, func() { parametrize.Register(none, "weight", newSymmetric()) }},
			"nil parametrization": {torch.ErrNil, func() { parametrize.Register(l, "weight", nil) }},
			"no tensor":           {torch.ErrValue, func() { parametrize.Register(l, "w", newSymmetric()) }},
			"a path": {torch.ErrValue, func() {
				parametrize.Register(nn.NewSequential(), "0.weight", newSymmetric())
			}},
			"another shape":    {torch.ErrValue, func() { parametrize.Register(l, "weight", newNarrow()) }},
			"no forward":       {torch.ErrType, func() { parametrize.Register(l, "weight", nn.NewModuleList()) }},
			"not parametrized": {torch.ErrValue, func() { parametrize.Remove(l, "weight") }},
			"no value":         {torch.ErrValue, func() { parametrize.Value(l, "weight") }},
			"nothing to set":   {torch.ErrValue, func() { parametrize.Set(l, "weight", l.Weight) }},
			"remove of nil":    {torch.ErrNil, func() { parametrize.Remove(nil, "weight") }},
			"value of nil":     {torch.ErrNil, func() { parametrize.Value(nil, "weight") }},
			"is of nil":        {torch.ErrNil, func() { parametrize.IsParametrized(nil) }},
		} {
			require.ErrorIs(t, torch.Try(c.fn), c.kind, name)
			assert.Equal(t, text, l.String(), name)
			assert.Equal(t, state, l.StateDict().String(), name)
			assert.True(t, l.Weight.RequiresGrad(), name)
		}
		assert.ErrorContains(t, torch.Try(func() { parametrize.Value(l, "weight") }),
			`Value: argument name: "weight" is not parametrized`)
		parametrize.Register(l, "weight", newSymmetric())
		assert.ErrorIs(t, torch.Try(func() { parametrize.Register(l, "weight", newNarrow()) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { parametrize.Set(l, "weight", nil) }), torch.ErrNil)
	})
}

func TestOptions(t *testing.T) {
	scoped(t, func() {
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"Register": optiontest.For(func(opts ...parametrize.RegisterOption) optiontest.Outcome {
				l := nn.NewLinear(2, 2)
				defer l.Close()
				err := torch.Try(func() { parametrize.Register(l, "weight", newNarrow(), opts...) })
				if err != nil && !strings.Contains(err.Error(), "the parametrization returned") {
					panic(err)
				}
				return optiontest.Outcome{"does": l.String()}
			}, optiontest.Values(parametrize.Unsafe(true), parametrize.Unsafe(false))),
			"Remove": optiontest.For(func(opts ...parametrize.RemoveOption) optiontest.Outcome {
				l := nn.NewLinear(2, 2)
				defer l.Close()
				l.Weight.SetRequiresGrad(false)
				l.Weight.Fill_(4)
				parametrize.Register(l, "weight", newScaled(2))
				parametrize.Remove(l, "weight", opts...)
				return optiontest.Outcome{"does": l.Weight.String()}
			}, optiontest.Values(parametrize.LeaveParametrized(false), parametrize.LeaveParametrized(true))),
		})
	})
}

// Modules that share a parametrization share its originals.
func TestTransfer(t *testing.T) {
	scoped(t, func() {
		from, to, other := nn.NewLinear(2, 2), nn.NewLinear(2, 2), nn.NewParameterDict()
		defer from.Close()
		defer to.Close()
		defer other.Close()
		parametrize.Register(from, "weight", newScaled(2))
		parametrize.Register(from, "bias", newSum())
		parametrize.Transfer(from, to)
		parametrize.Transfer(from, other, "weight")
		for _, path := range []string{
			"parametrizations.weight.original", "parametrizations.bias.original0",
			"parametrizations.bias.original1",
		} {
			assert.Same(t, from.GetParameter(path), to.GetParameter(path))
		}
		assert.Equal(t, parametrize.Value(from, "weight").Detach().Float32s(),
			parametrize.Value(other, "weight").Detach().Float32s())
		x := torch.Ones(torch.Shape{1, 2})
		assert.Equal(t, from.Forward(x).Detach().Float32s(), to.Forward(x).Detach().Float32s())
		assert.ErrorIs(t, torch.Try(func() { parametrize.Transfer(from, to, "w") }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { parametrize.Transfer(nil, to) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { parametrize.Transfer(from, nil) }), torch.ErrNil)
	})
}
