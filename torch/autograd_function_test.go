package torch_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

var cube = torch.Function{
	Name: "Cube",
	Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		ctx.Save(in[0])
		return []*torch.Tensor{in[0].PowScalar(3)}
	},
	Backward: func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
		x := ctx.Saved()[0]
		return []*torch.Tensor{grad[0].Mul(x.Mul(x).MulScalar(3))}
	},
}

// slope returns the gradient of f(x).Sum(), estimated by central differences.
func slope(f func(x *torch.Tensor) *torch.Tensor, x []float64) []float64 {
	const h = 1e-5
	out := make([]float64, len(x))
	at := func(i int, by float64) float64 {
		moved := append([]float64(nil), x...)
		moved[i] += by
		return f(torch.FromSlice(moved)).Sum().Item()
	}
	for i := range x {
		out[i] = (at(i, h) - at(i, -h)) / (2 * h)
	}
	return out
}

func TestFunction(t *testing.T) {
	hookFree(t, func() {
		at := []float64{-1.5, 0.5, 2}
		x := torch.FromSliceWith(at, nil, torch.RequiresGrad(true))
		y := cube.Apply(x)[0]
		require.Equal(t, []float64{-3.375, 0.125, 8}, y.Float64s())
		require.Equal(t, "CubeBackward", y.GradFn())
		y.Sum().Backward()
		want := slope(func(x *torch.Tensor) *torch.Tensor { return cube.Apply(x)[0] }, at)
		require.InDeltaSlice(t, want, x.Grad().Float64s(), 1e-6)

		plain := torch.FromSlice(at)
		require.False(t, cube.Apply(plain)[0].RequiresGrad())
		torch.NoGrad(func() { require.False(t, cube.Apply(x)[0].RequiresGrad()) })
	})
}

func TestFunctionTwiceDifferentiated(t *testing.T) {
	hookFree(t, func() {
		x := torch.FromSliceWith([]float64{-1.5, 2}, nil, torch.RequiresGrad(true))
		y := cube.Apply(x)[0].Sum()
		g := torch.Grad([]*torch.Tensor{y}, []*torch.Tensor{x}, torch.CreateGraph(true))[0]
		require.Equal(t, []float64{6.75, 12}, g.Float64s())
		gg := torch.Grad([]*torch.Tensor{g.Sum()}, []*torch.Tensor{x})[0]
		require.Equal(t, []float64{-9, 12}, gg.Float64s())
	})
}

func TestFunctionOfSeveral(t *testing.T) {
	hookFree(t, func() {
		var wanted []bool
		fma := torch.Function{ // a*b+c and a-b
			Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				ctx.Value = 2
				ctx.Save(in[0], in[1])
				return []*torch.Tensor{in[0].Mul(in[1]).Add(in[2]), in[0].Sub(in[1])}
			},
			Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
				b := ctx.Saved()[1]
				wanted = []bool{ctx.NeedsInputGrad(0), ctx.NeedsInputGrad(1), ctx.NeedsInputGrad(2)}
				if ctx.Value != 2 {
					return nil
				}
				return []*torch.Tensor{g[0].Mul(b).Add(g[1]), nil, g[0]}
			},
		}
		a, c := leaf(3), leaf(3)
		b := torch.Full(torch.Shape{3}, 2.0)
		out := fma.Apply(a, b, c)
		require.Equal(t, "GoFunctionBackward", out[0].GradFn())
		out[0].Sum().Add(out[1].MulScalar(10).Sum()).Backward()
		require.Equal(t, []bool{true, false, true}, wanted)
		require.Equal(t, []float32{12, 12, 12}, a.Grad().Float32s())
		require.Equal(t, []float32{1, 1, 1}, c.Grad().Float32s())
		require.Nil(t, b.Grad())

		// If only one output is used, the other's gradient is zero.
		torch.ZeroGrad(a)
		fma.Apply(a, b, c)[1].Sum().Backward()
		require.Equal(t, []float32{1, 1, 1}, a.Grad().Float32s())
	})
}

func TestFunctionKeepNil(t *testing.T) {
	hookFree(t, func() {
		var absent []bool
		two := torch.Function{
			KeepNil: true,
			Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{in[0].MulScalar(2), in[0].MulScalar(3)}
			},
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
				absent = []bool{g[0] == nil, g[1] == nil}
				return []*torch.Tensor{g[1].MulScalar(3)}
			},
		}
		x := leaf(2)
		two.Apply(x)[1].Sum().Backward()
		require.Equal(t, []bool{true, false}, absent)
		require.Equal(t, []float32{3, 3}, x.Grad().Float32s())
	})
}

func TestFunctionNonDifferentiableAndDirty(t *testing.T) {
	hookFree(t, func() {
		split := torch.Function{
			Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				v, i := in[0].MulScalar(1), torch.Zeros(torch.Shape{2})
				ctx.MarkNonDifferentiable(i)
				return []*torch.Tensor{v, i}
			},
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return g[:1] },
		}
		out := split.Apply(leaf(2))
		require.True(t, out[0].RequiresGrad())
		require.False(t, out[1].RequiresGrad())

		double := torch.Function{
			Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				in[0].SetIndex(in[0].MulScalar(2))
				ctx.MarkDirty(in[0])
				return in[:1]
			},
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{g[0].MulScalar(2)}
			},
		}
		x := leaf(2)
		y := x.MulScalar(3)
		z := double.Apply(y)[0]
		require.Equal(t, []float32{0, 6}, z.Float32s())
		require.Equal(t, []float32{0, 6}, y.Float32s())
		z.Sum().Backward()
		require.Equal(t, []float32{6, 6}, x.Grad().Float32s())
	})
}

// The methods of a context that take tensors are errors where the tensors would have no effect: in
// Backward, after Forward, and in place of those of an earlier call.
func TestFunctionCallsWithoutEffect(t *testing.T) {
	hookFree(t, func() {
		for name, call := range map[string]func(ctx *torch.Context, ts ...*torch.Tensor){
			"Save":                  (*torch.Context).Save,
			"MarkNonDifferentiable": (*torch.Context).MarkNonDifferentiable,
			"MarkDirty":             (*torch.Context).MarkDirty,
		} {
			var kept *torch.Context
			var late error
			f := torch.Function{
				Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
					kept = ctx
					return []*torch.Tensor{in[0].MulScalar(1)}
				},
				Backward: func(ctx *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
					late = torch.Try(func() { call(ctx, g...) })
					return g
				},
			}
			x := leaf(2)
			y := f.Apply(x)[0]
			require.ErrorIs(t, torch.Try(func() { call(kept, x) }), torch.ErrAutograd, name)
			y.Sum().Backward()
			require.ErrorIs(t, late, torch.ErrAutograd, name)
			require.ErrorContains(t, late, name+": argument ctx: call it in Forward")
			twice := torch.Function{
				Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
					call(ctx, in...)
					call(ctx, in...)
					return in
				},
				Backward: f.Backward,
			}
			require.ErrorIs(t, torch.Try(func() { twice.Apply(leaf(2)) }), torch.ErrValue, name)
		}
	})
}

func TestFunctionErrors(t *testing.T) {
	same := func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{in[0].MulScalar(1)}
	}
	for name, c := range map[string]struct {
		backward func(*torch.Context, ...*torch.Tensor) []*torch.Tensor
		kind     error
		text     string
	}{
		"too few": {
			func(*torch.Context, ...*torch.Tensor) []*torch.Tensor { return nil }, torch.ErrValue,
			"returned 0 gradients for 1 inputs",
		},
		"too many": {func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{g[0], g[0]}
		}, torch.ErrValue, "returned 2 gradients for 1 inputs"},
		"panic": {
			func(*torch.Context, ...*torch.Tensor) []*torch.Tensor { panic("boom") }, torch.ErrRuntime,
			"panic in a Go callback: boom",
		},
		"shape": {func(*torch.Context, ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{torch.Ones(torch.Shape{7})}
		}, torch.ErrShape, "returned an invalid gradient at index 0 - got [7] but expected shape compatible with [2]"},
		"closed": {func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor {
			_ = g[0].Close()
			return g
		}, torch.ErrClosed, "tensor used after Close"},
	} {
		t.Run(name, func(t *testing.T) {
			hookFree(t, func() {
				f := torch.Function{Name: "Odd", Forward: same, Backward: c.backward}
				y := f.Apply(leaf(2))[0].Sum()
				err := torch.Try(func() { y.Backward() })
				require.ErrorIs(t, err, c.kind)
				require.ErrorContains(t, err, c.text)
			})
		})
	}
	hookFree(t, func() {
		x := leaf(2)
		boom := fmt.Errorf("boom")
		f := torch.Function{Forward: func(*torch.Context, ...*torch.Tensor) []*torch.Tensor {
			one()
			panic(boom)
		}, Backward: cube.Backward}
		require.PanicsWithValue(t, boom, func() { f.Apply(x) })
		require.True(t, torch.IsGradEnabled())

		unset := torch.Function{Forward: same}
		require.ErrorIs(t, torch.Try(func() { unset.Apply(x) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { cube.Apply(nil) }), torch.ErrNil)
		y := cube.Apply(x)[0].Sum()
		y.Backward()
		require.ErrorIs(t, torch.Try(func() { y.Backward() }), torch.ErrAutograd, "the graph is freed")
	})
}

// A saved tensor that is changed in place before Backward is an error, not a
// wrong gradient.
func TestFunctionSavedChanged(t *testing.T) {
	hookFree(t, func() {
		x := leaf(2)
		y := x.MulScalar(2)
		z := cube.Apply(y)[0].Sum()
		torch.NoGrad(func() { y.SetIndex(5, 0) })
		err := torch.Try(func() { z.Backward() })
		require.ErrorIs(t, err, torch.ErrAutograd)
		require.ErrorContains(t, err, "modified by an inplace operation")
	})
}

func TestFunctionFromManyGoroutines(t *testing.T) {
	hookFree(t, func() {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 30 {
					torch.Scope(func() {
						x := leaf(3)
						cube.Apply(x)[0].Sum().Backward()
						if x.Grad().Index(2).Item() != 12 {
							t.Error("wrong gradient")
						}
					})
				}
			})
		}
		wg.Wait()
	})
}
