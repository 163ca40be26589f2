package nn_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// scaler is a program's own module with a parameter in a field.
type scaler struct {
	nn.Base
	scale *torch.Tensor
}

func newScaler() *scaler {
	s := new(scaler)
	s.Init(s)
	s.scale = s.RegisterParameter("scale", torch.Full(torch.Shape{2}, 3.0))
	return s
}

func (s *scaler) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return x.Mul(s.scale) })
}

// doubled derives the tensor with that name as twice the parameter "half". It registers
// the old parameter as "half".
func doubled(b *nn.Base, name string) {
	old := b.Derive(name, func(m nn.Module) *torch.Tensor { return m.ModuleBase().GetParameter("half").MulScalar(2) })
	b.RegisterParameter("half", old)
}

func TestDerive(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 2})
		fc, own := nn.NewLinear(2, 2, nn.Bias(false)), newScaler()
		defer fc.Close()
		defer own.Close()
		torch.NoGrad(func() { fc.Weight.Fill_(1) })
		for _, c := range []struct {
			m     nn.Layer
			name  string
			field **torch.Tensor
			want  float32
		}{{fc, "weight", &fc.Weight, 4}, {own, "scale", &own.scale, 6}} {
			b := c.m.ModuleBase()
			old := *c.field
			doubled(b, c.name)
			assert.Nil(t, *c.field)
			assert.Equal(t, []string{"half"}, c.m.StateDict().Names())
			live := torch.NumLiveTensors()
			y := c.m.Forward(x)
			assert.Equal(t, []float32{c.want, c.want}, y.Float32s())
			assert.Equal(t, live+1, torch.NumLiveTensors())
			assert.Nil(t, *c.field)
			y.Sum().Backward()
			assert.NotNil(t, old.Grad())

			twin := nn.DeepCopy(c.m).(nn.Layer)
			torch.NoGrad(func() { twin.Parameters()[0].Zero_() })
			assert.Equal(t, []float32{0, 0}, twin.Forward(x).Float32s())
			assert.Equal(t, []float32{c.want, c.want}, c.m.Forward(x).Float32s())
			twin.Close()

			assert.Equal(t, old.MulScalar(2).Float32s(), b.Derived(c.name).Float32s())
			assert.ErrorIs(t, torch.Try(func() { b.RegisterParameter(c.name, old) }), torch.ErrValue)
			assert.Error(t, torch.Try(func() { c.m.Forward(torch.Ones(torch.Shape{3})) }))
			assert.Nil(t, *c.field)
			b.RegisterParameter("half", nil)
			b.Derive(c.name, nil)
			b.RegisterParameter(c.name, old)
			assert.Same(t, old, *c.field)
			assert.Equal(t, []float32{c.want / 2, c.want / 2}, c.m.Forward(x).Float32s())
		}
		assert.ErrorIs(t, torch.Try(func() { fc.Derive("none", nil) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { fc.Derived("weight") }), torch.ErrValue)
	})
}

// Forwards with a derived tensor run one after the other, and a derived bias is printed as a bias.
// Assigning to a derived field is an error, because it would have no effect.
func TestDerivedFieldsAreNotSet(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 2})
		fc, own := nn.NewLinear(2, 2, nn.Bias(false)), newScaler()
		defer fc.Close()
		defer own.Close()
		for _, c := range []struct {
			m     nn.Layer
			name  string
			field **torch.Tensor
		}{{fc, "weight", &fc.Weight}, {own, "scale", &own.scale}} {
			doubled(c.m.ModuleBase(), c.name)
			want := c.m.Forward(x).Float32s()
			put := torch.Zeros(torch.Shape{2})
			*c.field = put
			err := torch.Try(func() { c.m.Forward(x) })
			require.ErrorIs(t, err, torch.ErrValue)
			require.ErrorContains(t, err, `each call computes "`+c.name+`"`)
			assert.Same(t, put, *c.field)
			*c.field = nil
			assert.Equal(t, want, c.m.Forward(x).Float32s())
		}
	})
}

func TestDeriveOnGoroutines(t *testing.T) {
	scoped(t, func() {
		fc := nn.NewLinear(2, 2)
		defer fc.Close()
		doubled(&fc.Base, "bias")
		assert.Equal(t, "Linear(in_features=2, out_features=2, bias=True)", fc.String())
		x := torch.Ones(torch.Shape{1, 2})
		want := fc.Forward(x).Float32s()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 20 {
					torch.Scope(func() { assert.Equal(t, want, fc.Forward(x).Float32s()) })
				}
			})
		}
		wg.Wait()
	})
}

func TestFunctionalCall(t *testing.T) {
	scoped(t, func() {
		fc, own := nn.NewLinear(2, 2), newScaler()
		m := nn.NewSequential(fc, own)
		defer m.Close()
		torch.NoGrad(func() { fc.Weight.Fill_(1); fc.Bias.Zero_() })
		x := torch.Ones(torch.Shape{1, 2})
		base := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		scale, weight := own.scale, fc.Weight
		var y *torch.Tensor
		params := nn.StateDict{{"1.scale", base.MulScalar(5)}, {"0.weight", torch.Ones(torch.Shape{2, 2})}}
		nn.FunctionalCall(m, params, func() { y = m.Forward(x) })
		assert.Equal(t, []float32{10, 10}, y.Float32s())
		assert.Same(t, scale, own.scale)
		assert.Same(t, weight, fc.Weight)
		y.Sum().Backward()
		assert.Equal(t, []float32{10, 10}, base.Grad().Float32s())
		assert.Nil(t, weight.Grad())
		require.Panics(t, func() { nn.FunctionalCall(m, params, func() { panic("stop") }) })
		assert.Same(t, scale, own.scale)

		tied := nn.NewLinear(2, 2)
		defer tied.Close()
		tied.Weight.Close()
		tied.Weight = fc.Weight
		m.Append(tied)
		closed := torch.Ones(torch.Shape{1})
		closed.Close()
		other := torch.Ones(torch.Shape{2, 2})
		for kind, params := range map[error]nn.StateDict{
			torch.ErrValue: {{"nope", other}}, torch.ErrNil: {{"0.weight", nil}},
			torch.ErrClosed: {{"0.weight", closed}},
		} {
			assert.ErrorIs(t, torch.Try(func() { nn.FunctionalCall(m, params, func() {}) }), kind)
		}
		both := nn.StateDict{{"0.weight", other}, {"2.weight", params[1].Tensor}}
		assert.ErrorIs(t, torch.Try(func() { nn.FunctionalCall(m, both, func() {}) }), torch.ErrValue)
		nn.FunctionalCall(m, both, func() { assert.NotSame(t, fc.Weight, tied.Weight) }, nn.TieWeights(false))
		nn.FunctionalCall(m, both[:1], func() { assert.Same(t, fc.Weight, tied.Weight) })
		assert.ErrorIs(t, torch.Try(func() { nn.FunctionalCall(nil, nil, func() {}) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { nn.FunctionalCall(m, nil, nil) }), torch.ErrNil)
	})
}
