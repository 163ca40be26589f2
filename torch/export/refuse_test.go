package export_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torchtest"
)

// Export names what a program cannot do, and the line.
func TestExportRefuses(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	l := nn.NewLinear(2, 2)
	calls := 0
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 2})
		one := func(f func(x *torch.Tensor) *torch.Tensor, opts ...export.Option) func() {
			return func() {
				export.Func(l, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{f(in[0])} },
					[]*torch.Tensor{x}, opts...)
			}
		}
		same := func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2) }
		shapes := func(d export.Dim) export.Option { return export.DynamicShapes{{0: d}} }
		foreign := torch.Ones(torch.Shape{2})
		foreign.SetRequiresGrad(true)
		double := &torch.Function{
			Forward: func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{in[0].MulScalar(2)}
			},
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return g },
		}
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"nil layer":  {func() { export.Export(nil, x) }, torch.ErrNil, "l"},
			"nil x":      {func() { export.Export(l, nil) }, torch.ErrNil, "inputs[0]"},
			"nil fn":     {func() { export.Func(l, nil, nil) }, torch.ErrNil, "fn"},
			"nil option": {one(same, nil), torch.ErrNil, ""},
			"nil result": {one(func(*torch.Tensor) *torch.Tensor { return nil }), torch.ErrNil, "result"},
			"constant": {
				one(func(*torch.Tensor) *torch.Tensor { return torch.FromSlice([]float32{1}) }),
				torch.ErrNotImplemented, "result 0 was not computed by operators",
			},
			"item": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(x.Sum().Item()) }),
				torch.ErrNotImplemented, "reads a number from a tensor",
			},
			"values": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(x.Float32s()[0]) }),
				torch.ErrNotImplemented, "Go code reads the values",
			},
			"function": {
				one(func(x *torch.Tensor) *torch.Tensor { return double.Apply(l.Forward(x))[0].Add(x) }),
				torch.ErrNotImplemented, "torch.Function",
			},
			"parameter": {
				one(func(x *torch.Tensor) *torch.Tensor {
					torch.NoGrad(func() { l.Weight.Mul_(torch.Ones(torch.Shape{})) })
					return l.Forward(x)
				}), torch.ErrNotImplemented, "changes a parameter",
			},
			"foreign parameter": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.Mul(foreign) }), torch.ErrValue,
				"neither an input nor a parameter",
			},
			"state": {
				one(func(x *torch.Tensor) *torch.Tensor { calls++; return x.MulScalar(calls) }),
				torch.ErrNotImplemented, "refuse_test.go",
			},
			"branch on a size": {
				one(func(x *torch.Tensor) *torch.Tensor {
					if x.Size(0) > 4 {
						return x.ReLU()
					}
					return x.Neg()
				}, shapes(export.Dim{Name: "n"})), torch.ErrNotImplemented, "refuse_test.go",
			},
			"odd size": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 0, 1+x.Size(0)*x.Size(0)%3) },
					shapes(export.Dim{Name: "n"})), torch.ErrNotImplemented, "cannot be expressed",
			},
			"other result": {
				one(func(x *torch.Tensor) *torch.Tensor {
					a, b := x.ReLU(), x.Neg()
					if x.Size(0) > 4 {
						return a
					}
					return b
				}, shapes(export.Dim{Name: "n"})), torch.ErrNotImplemented, "returns other tensors",
			},
			"rounded size": {
				one(func(x *torch.Tensor) *torch.Tensor { return torch.Zeros(torch.Shape{(x.Size(0) + 7) / 8 * 8}) },
					shapes(export.Dim{Name: "n"})), torch.ErrNotImplemented, "cannot be expressed",
			},
			"largest size": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 0, min(x.Size(0), 16)) },
					shapes(export.Dim{Name: "n", Max: 512})), torch.ErrNotImplemented, "cannot be expressed",
			},
			"pieces": {
				func() {
					export.Func(nil, func(in []*torch.Tensor) []*torch.Tensor { return in[0].Split(2) },
						[]*torch.Tensor{x}, export.DynamicShapes{{0: {Name: "n"}}})
				}, torch.ErrNotImplemented, "returns other tensors",
			},
			"a piece": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.Split(2)[0] }, shapes(export.Dim{Name: "n"})),
				torch.ErrNotImplemented, "refuse_test.go",
			},
			"constant of a size": {
				one(func(x *torch.Tensor) *torch.Tensor {
					return x.Mul(torch.FromSlice([]float32{float32(x.Size(0))}))
				}, shapes(export.Dim{Name: "n"})), torch.ErrNotImplemented, "depends on the sizes",
			},
			"size of values": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(x.Nonzero().Size(0)) }),
				torch.ErrNotImplemented, "whose size depends on values",
			},
			"mask": {
				one(func(x *torch.Tensor) *torch.Tensor { return x.Index(x.GtScalar(0)) }), torch.ErrNotImplemented,
				"whose size depends on values",
			},
			"list of parameters": {
				one(func(x *torch.Tensor) *torch.Tensor {
					torch.NoGrad(func() { aten.UnderForeachAdd_Scalar([]*torch.Tensor{l.Weight, l.Bias}, 1) })
					return l.Forward(x)
				}), torch.ErrNotImplemented, "changes a parameter",
			},
			"backward": {
				one(func(x *torch.Tensor) *torch.Tensor {
					l.Forward(x).Sum().Backward()
					return x.MulScalar(2)
				}), torch.ErrNotImplemented, "gradients of parameters",
			},
			"another goroutine": {
				one(func(x *torch.Tensor) *torch.Tensor {
					var first float32
					var wg sync.WaitGroup
					wg.Go(func() { first = x.Float32s()[0] })
					wg.Wait()
					return x.MulScalar(first)
				}), torch.ErrNotImplemented, "for other values",
			},
			"no results": {
				func() {
					export.Func(nil, func([]*torch.Tensor) []*torch.Tensor { return nil }, []*torch.Tensor{x})
				}, torch.ErrValue, "no tensors",
			},
			"keyword":   {one(same, export.ArgNames{"class"}), torch.ErrValue, "class"},
			"used name": {one(same, export.ArgNames{"torch"}), torch.ErrValue, "torch"},
			"fails":     {one(func(x *torch.Tensor) *torch.Tensor { return x.View(3) }), torch.ErrShape, "View"},
			"names":     {one(same, export.ArgNames{"a", "b"}), torch.ErrValue, "2 names for 1 inputs"},
			"bad name":  {one(same, export.ArgNames{"a b"}), torch.ErrValue, "a b"},
			"limits":    {one(same, shapes(export.Dim{Name: "n", Min: 3})), torch.ErrValue, "DynamicShapes"},
			"no room":   {one(same, shapes(export.Dim{Name: "n", Max: 5})), torch.ErrValue, "five sizes"},
			"dimension": {one(same, export.DynamicShapes{{2: {Name: "n"}}}), torch.ErrValue, "no dimension 2"},
			"entries":   {one(same, export.DynamicShapes{nil, nil}), torch.ErrValue, "2 entries for 1 inputs"},
			"within": {
				one(func(x *torch.Tensor) *torch.Tensor { export.Export(l, x); return x }), torch.ErrValue,
				"cannot export another",
			},
			"inference": {
				func() { torch.InferenceMode(func() { export.Export(l, x) }) }, torch.ErrValue, "inference mode",
			},
		} {
			before, weight := torch.RNGState(), l.Weight.Detach().Clone()
			err := torch.Try(c.call)
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
			equal(t, before, torch.RNGState())
			equal(t, weight, l.Weight.Detach())
			assert.Nil(t, l.Weight.Grad(), name)
		}
		assert.Equal(t, torch.Shape{2, 2}, x.Add(x).Shape(), "nothing is recorded any more")
		require.NoError(t, export.Export(l, x).Close())
	})
	require.NoError(t, l.Close())
}
