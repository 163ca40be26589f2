package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func childNames(m nn.Module) (names []string) {
	for _, c := range m.ModuleBase().Children() {
		names = append(names, c.Name+" "+c.Module.ModuleBase().TypeName())
	}
	return names
}

func TestEditSequential(t *testing.T) {
	scoped(t, func() {
		s := nn.NewSequential(nn.NewReLU(), nn.NewTanh(), nn.NewGELU())
		assert.Equal(t, []string{"1 Tanh", "2 GELU"}, childNames(s.Slice(1, 9)))
		assert.Equal(t, []string{"1 Tanh"}, childNames(s.Slice(-2, -1)))
		assert.Empty(t, childNames(s.Slice(2, 1)))
		last := s.At(-1)
		assert.Same(t, last, s.Pop(-1))
		s.Insert(0, nn.NewIdentity()).Insert(3, last).Insert(-1, nn.NewSigmoid())
		assert.Equal(t, []string{"0 Identity", "1 ReLU", "2 Tanh", "3 Sigmoid", "4 GELU"}, childNames(s))
		s.Set(-1, nn.NewReLU())
		s.Extend(nn.NewSequential(nn.NewTanh())).Extend(s)
		assert.Equal(t, 12, s.Len())
		named := nn.NewSequential(nn.NewReLU()).Add("a", nn.NewReLU())
		for kind, fns := range map[error][]func(){
			torch.ErrIndex: {func() { s.Insert(13, nn.NewReLU()) }, func() { s.Insert(-13, nn.NewReLU()) }, func() {
				s.Pop(12)
			}, func() { s.Set(12, nn.NewReLU()) }},
			torch.ErrNil:   {func() { s.Insert(0, nil) }, func() { s.Set(0, nil) }, func() { s.Extend(nil) }},
			torch.ErrValue: {func() { named.Insert(0, nn.NewReLU()) }},
		} {
			for _, fn := range fns {
				assert.ErrorIs(t, torch.Try(fn), kind)
			}
		}
		assert.Equal(t, 12, s.Len())
		// An error names a layer by its current position, here 1 after the insertion.
		fc := nn.NewLinear(2, 2)
		defer fc.Close()
		moved := nn.NewSequential(fc).Insert(0, nn.NewReLU())
		assert.ErrorContains(t, torch.Try(func() { moved.Forward(torch.Ones(torch.Shape{3})) }), "in layer 1 (Linear")
	})
}

func TestEditModuleList(t *testing.T) {
	scoped(t, func() {
		l := nn.NewModuleList().Extend(nn.NewReLU(), nn.NewTanh())
		l.Insert(1, nn.NewGELU())
		l.Set(0, nn.NewIdentity())
		assert.Equal(t, []string{"0 Identity", "1 GELU", "2 Tanh"}, childNames(l))
		assert.Equal(t, []string{"0 GELU", "1 Tanh"}, childNames(l.Slice(1, 3)))
		assert.Equal(t, "Identity", l.Pop(0).ModuleBase().TypeName())
		assert.Equal(t, []string{"0 GELU", "1 Tanh"}, childNames(l))
		for _, fn := range []func(){func() { l.Extend(nn.NewReLU(), nil) }, func() { l.Insert(0, nil) }, func() {
			l.Set(0, nil)
		}} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil)
		}
		assert.Equal(t, 2, l.Len())
		assert.ErrorIs(t, torch.Try(func() { l.Pop(2) }), torch.ErrIndex)
	})
}

func TestEditModuleDict(t *testing.T) {
	scoped(t, func() {
		act := nn.NewReLU()
		d := nn.NewModuleDict().Add("b", act).Add("a", nn.NewTanh())
		d.Update(nn.NewModuleDict().Add("a", nn.NewGELU()).Add("c", nn.NewTanh()))
		assert.Equal(t, []string{"b", "a", "c"}, d.Keys())
		assert.Equal(t, "GELU", d.Values()[1].ModuleBase().TypeName())
		assert.True(t, d.Has("b"))
		assert.Same(t, act, d.Pop("b"))
		assert.False(t, d.Has("b"))
		assert.ErrorIs(t, torch.Try(func() { d.Pop("b") }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { d.Update(nil) }), torch.ErrNil)
		d.Clear()
		assert.Zero(t, d.Len())
	})
}

// Values returns the same elements as iterating over Python's containers.
func TestValuesOfContainers(t *testing.T) {
	scoped(t, func() {
		fc, act := nn.NewLinear(2, 2), nn.NewReLU()
		seq, list := nn.NewSequential(fc, act), nn.NewModuleList(act, fc)
		defer seq.Close()
		assert.Equal(t, []nn.Layer{fc, act}, seq.Values())
		assert.Equal(t, []nn.Module{act, fc}, list.Values())
		list.Values()[0] = nil
		assert.Same(t, act, list.At(0), "the slice is a copy")
		seq.Register("loss", nn.NewMSELoss())
		assert.ErrorIs(t, torch.Try(func() { seq.Values() }), torch.ErrType)

		a, b := torch.Zeros(torch.Shape{1}), torch.Ones(torch.Shape{2})
		defer func() { _, _ = a.Close(), b.Close() }()
		for _, values := range [][]*torch.Tensor{
			nn.NewParameterList(a, b).Values(),
			nn.NewParameterDict().Add("y", a).Add("x", b).Values(),
		} {
			require.Len(t, values, 2)
			assert.Same(t, a, values[0])
			assert.Same(t, b, values[1])
		}
		assert.Empty(t, nn.NewModuleList().Values())
		assert.Empty(t, nn.NewParameterList().Values())
	})
}

func TestEditParameterContainers(t *testing.T) {
	scoped(t, func() {
		a, b, c := torch.Zeros(torch.Shape{1}), torch.Ones(torch.Shape{2}), torch.Ones(torch.Shape{3})
		l := nn.NewParameterList().Extend(a, b)
		defer l.Close()
		assert.Same(t, c, l.Set(-1, c))
		assert.True(t, c.RequiresGrad())
		assert.Equal(t, []string{"0", "1"}, l.StateDict().Names())
		assert.Same(t, c, l.Slice(1, 2).At(0))
		assert.ErrorIs(t, torch.Try(func() { l.Set(2, a) }), torch.ErrIndex)
		assert.ErrorIs(t, torch.Try(func() { l.Extend(a, nil) }), torch.ErrNil)
		assert.Equal(t, 2, l.Len())

		// The test replaces a and b in their containers, so closing the containers does
		// not close them.
		defer func() { _, _ = a.Close(), b.Close() }()
		d := nn.NewParameterDict().Add("y", a).Add("x", b)
		defer d.Close()
		assert.Equal(t, []string{"y", "x"}, d.Keys())
		assert.Same(t, b, d.SetDefault("x", c))
		assert.Same(t, c, d.SetDefault("z", c))
		assert.Equal(t, []string{"y", "x", "z"}, d.Copy().Keys())
		assert.Same(t, a, d.Pop("y"))
		assert.Equal(t, []string{"x", "z"}, d.StateDict().Names())
		assert.True(t, d.Has("x"))
		assert.Same(t, b, d.At("x"))
		for _, fn := range []func(){func() { d.At("y") }, func() { d.Pop("y") }} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrIndex)
		}
		for _, fn := range []func(){func() { d.Add("y", nil) }, func() { d.Update(nil) }, func() {
			d.SetDefault("q", nil)
		}} {
			assert.ErrorIs(t, torch.Try(fn), torch.ErrNil)
		}
		assert.ErrorIs(t, torch.Try(func() { d.Add("a.b", c) }), torch.ErrValue)
		assert.Equal(t, 2, d.Len())
		d.Clear()
		assert.Zero(t, d.Len())
	})
}
