package nn_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func TestHooks(t *testing.T) {
	scoped(t, func() {
		l := nn.NewReLU()
		s := nn.NewSequential(nn.NewIdentity(), l)
		x := torch.FromSlice([]float32{-1, 2})
		var seen []string
		pre := l.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "pre "+m.ModuleBase().TypeName())
			return []*torch.Tensor{in[0].AddScalar(3)}
		})
		post := l.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "post")
			assert.Equal(t, []float32{2, 5}, in[0].Float32s())
			return []*torch.Tensor{out[0].MulScalar(10)}
		})
		live := torch.NumLiveTensors()
		assert.Equal(t, []float32{20, 50}, s.Forward(x).Float32s())
		assert.Equal(t, live+1, torch.NumLiveTensors())
		pre.Remove()
		post.Remove()
		post.Remove()
		assert.Equal(t, []float32{0, 2}, s.Forward(x).Float32s())
		assert.Equal(t, []string{"pre ReLU", "post"}, seen)
	})
}

// note returns a pre-hook and a forward hook. Each appends a string to seen when it is
// called.
func note(seen *[]string,
	what string) (pre func(nn.Module, []*torch.Tensor) []*torch.Tensor, post func(nn.Module, []*torch.Tensor,
	[]*torch.Tensor) []*torch.Tensor,
) {
	return func(nn.Module, []*torch.Tensor) []*torch.Tensor { *seen = append(*seen, what); return nil },
		func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			if out == nil {
				what += " nil"
			}
			*seen = append(*seen, what)
			return nil
		}
}

func TestHookOrder(t *testing.T) {
	scoped(t, func() {
		l := nn.NewReLU()
		var seen []string
		for _, c := range []struct {
			name    string
			prepend bool
		}{{"a", false}, {"b", true}, {"c", false}} {
			pre, post := note(&seen, c.name)
			l.RegisterForwardPreHook(pre, nn.Prepend(c.prepend))
			l.RegisterForwardHook(post, nn.Prepend(c.prepend))
		}
		pre, post := note(&seen, "all")
		first, last := nn.RegisterModuleForwardPreHook(pre), nn.RegisterModuleForwardHook(post)
		x := torch.Ones(torch.Shape{1})
		l.Forward(x)
		assert.Equal(t, []string{"all", "b", "a", "c", "all", "b", "a", "c"}, seen)
		first.Remove()
		last.Remove()
		last.Remove()
		seen = nil
		nn.NewReLU().Forward(x)
		assert.Empty(t, seen)
	})
}

// A hook with AlwaysCall also runs if a Forward panicked. Global hooks run for modules
// of every kind.
func TestAlwaysCall(t *testing.T) {
	scoped(t, func() {
		var seen []string
		s := newStopper("stop")
		_, post := note(&seen, "never")
		s.RegisterForwardHook(post)
		_, post = note(&seen, "always")
		s.RegisterForwardHook(post, nn.AlwaysCall(true))
		s.RegisterForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
			panic("in the hook")
		}, nn.AlwaysCall(true))
		_, post = note(&seen, "every")
		every := nn.RegisterModuleForwardHook(post, nn.AlwaysCall(true))
		defer every.Remove()
		x := torch.Ones(torch.Shape{2})
		was := torch.SetWarnings(torch.WarnNever)
		defer torch.SetWarnings(was)
		assert.PanicsWithValue(t, "stop", func() { s.Forward(x) })
		assert.Equal(t, []string{"every nil", "always nil"}, seen)

		seen = nil
		nn.NewL1Loss().Forward(x, x)
		assert.Len(t, seen, 1)
		a := nn.NewMultiheadAttention(2, 1)
		defer a.Close()
		q := torch.Ones(torch.Shape{1, 2})
		a.Forward(q, q, q)
		assert.Greater(t, len(seen), 1)
	})
}

func TestFullBackwardHooks(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 1, nn.Bias(false))
		defer l.Close()
		torch.NoGrad(func() { l.Weight.Fill_(2) })
		post := l.RegisterFullBackwardHook(func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			assert.Same(t, l, m)
			assert.Equal(t, []float32{6, 6}, in[0].Float32s())
			assert.Equal(t, []float32{3}, out[0].Float32s())
			return []*torch.Tensor{in[0].MulScalar(10)}
		})
		pre := l.RegisterFullBackwardPreHook(func(_ nn.Module, out []*torch.Tensor) []*torch.Tensor {
			assert.Equal(t, []float32{1}, out[0].Float32s())
			return []*torch.Tensor{out[0].MulScalar(3)}
		})
		x := torch.Ones(torch.Shape{1, 2}, torch.RequiresGrad(true))
		live := torch.NumLiveTensors()
		torch.Scope(func() { l.Forward(x).Sum().Backward() })
		assert.Equal(t, live, torch.NumLiveTensors())
		assert.Equal(t, []float32{60, 60}, x.Grad().Float32s())
		assert.Equal(t, []float32{3, 3}, l.Weight.Grad().Float32s())

		post.Remove()
		pre.Remove()
		assert.NotPanics(t, func() { l.Forward(torch.Ones(torch.Shape{1, 2})).Sum().Backward() })
	})
}

// The hooks of a copied module receive the copy, not the original.
func TestHooksOfACopy(t *testing.T) {
	scoped(t, func() {
		l := nn.NewReLU()
		var seen []nn.Module
		hook := l.RegisterFullBackwardHook(func(m nn.Module, _, _ []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, m)
			return nil
		})
		twin := nn.DeepCopy(l).(*nn.ReLU)
		hook.Remove()
		x := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
		l.Forward(x).Sum().Backward()
		twin.Forward(x).Sum().Backward()
		assert.Equal(t, []nn.Module{twin}, seen)
	})
}

func TestFullBackwardHooksOfOtherInputs(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 1, nn.Bias(false))
		defer l.Close()
		var in, out []*torch.Tensor
		keep := func(_ nn.Module, i, o []*torch.Tensor) []*torch.Tensor {
			in, out = i, o
			for _, g := range slices.Concat(i, o) {
				if g != nil {
					torch.Keep(g)
				}
			}
			return nil
		}
		l.RegisterFullBackwardHook(keep)
		l.Forward(torch.Ones(torch.Shape{1, 2})).Sum().Backward() // no input requires gradients
		assert.Equal(t, []*torch.Tensor{nil}, in)
		require.Len(t, out, 1)

		loss := nn.NewL1Loss()
		loss.RegisterFullBackwardHook(keep)
		a := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		loss.Forward(a, torch.Zeros(torch.Shape{2})).Backward()
		require.Len(t, in, 2)
		assert.NotNil(t, in[0])
		assert.Equal(t, []float32{0, 0}, in[1].Float32s(), "as in Python")
		assert.Equal(t, []float32{0.5, 0.5}, a.Grad().Float32s())

		l.RegisterFullBackwardHook(func(_ nn.Module, _, o []*torch.Tensor) []*torch.Tensor { return append(o, o...) })
		err := torch.Try(func() { l.Forward(torch.Ones(torch.Shape{1, 2}, torch.RequiresGrad(true))).Sum().Backward() })
		assert.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the hook returned 2 tensors, expected 1")

		every := nn.RegisterModuleFullBackwardHook(keep)
		first := nn.RegisterModuleFullBackwardPreHook(func(_ nn.Module, out []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{out[0].MulScalar(4)}
		})
		b := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		nn.NewIdentity().Forward(b).Sum().Backward()
		assert.Equal(t, []float32{4, 4}, b.Grad().Float32s())
		every.Remove()
		first.Remove()
	})
}

// If a hook changes the list of gradients that it receives, the gradients are still
// freed.
func TestBackwardHookThatChangesItsList(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 1)
		defer l.Close()
		l.RegisterFullBackwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			out[0] = nil
			return nil
		})
		x := torch.Ones(torch.Shape{1, 2}, torch.RequiresGrad(true))
		live := torch.NumLiveTensors()
		torch.Scope(func() { l.Forward(x).Sum().Backward() })
		assert.Equal(t, live, torch.NumLiveTensors())
	})
}
