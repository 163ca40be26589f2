package functorch_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// Each option is tried alone, after the same option with a different value, and together
// with a nil option.
func TestOptionRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	shown := func(ts []*torch.Tensor) string {
		text := ""
		for _, t := range ts {
			text += fmt.Sprint(t.Shape(), t.Float32s())
		}
		return text
	}
	does := func(run func() []*torch.Tensor) (o optiontest.Outcome) {
		torch.Scope(func() {
			torch.ManualSeed(3)
			o = optiontest.Outcome{"returns": shown(run())}
		})
		return o
	}
	a := func() []*torch.Tensor {
		return list(torch.FromSlice([]float32{1, 2}), torch.FromSlice([]float32{3, 5}))
	}
	mul := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Mul(x[1]).Mul(x[1]) })
	sum := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return mul.One(x...).Sum() })
	twice := functorch.Func(func(x ...*torch.Tensor) []*torch.Tensor {
		y := sum.One(x...)
		return list(y, y)
	})
	args := []optiontest.Pair{
		values(functorch.ArgNum(1), functorch.ArgNum(0)), values(functorch.ArgNums{1}, functorch.ArgNums{0, 1}),
		values(functorch.ArgNum(0), functorch.ArgNums{1}),
	}
	aux := append([]optiontest.Pair{values(functorch.HasAux(true), functorch.HasAux(false))}, args...)
	withAux := func(transform func(functorch.Func, ...functorch.GradOption) functorch.Func) optiontest.Row {
		return optiontest.For(func(opts ...functorch.GradOption) optiontest.Outcome {
			return does(func() []*torch.Tensor {
				out := transform(sum, opts...)(a()...)
				if torch.Try(func() { out = append(out, transform(twice, opts...)(a()...)...) }) != nil {
					out = out[:1]
				}
				return out
			})
		}, aux...)
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Grad":         withAux(functorch.Grad),
		"GradAndValue": withAux(functorch.GradAndValue),
		"Jacrev": optiontest.For(func(opts ...functorch.JacrevOption) optiontest.Outcome {
			return does(func() []*torch.Tensor { return functorch.Jacrev(mul, opts...)(a()...) })
		}, append(args,
			values(functorch.ChunkSize(1), functorch.ChunkSize(0)).Hides("returns", "it is about memory"))...),
		"Jacfwd": optiontest.For(func(opts ...functorch.JacfwdOption) optiontest.Outcome {
			return does(func() []*torch.Tensor {
				out := functorch.Jacfwd(mul, opts...)(a()...)
				random := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
					return x[0].Mul(torch.Rand(torch.Shape{2}))
				})
				if torch.Try(func() { out = append(out, functorch.Jacfwd(random, opts...)(a()...)...) }) != nil {
					return out
				}
				return out
			})
		}, append(args, values(functorch.RandomnessSame, functorch.RandomnessError))...),
		"Hessian": optiontest.For(func(opts ...functorch.HessianOption) optiontest.Outcome {
			return does(func() []*torch.Tensor { return functorch.Hessian(sum, opts...)(a()...) })
		}, args...),
		"JVP": optiontest.For(func(opts ...functorch.JVPOption) optiontest.Outcome {
			return does(func() (out []*torch.Tensor) {
				constant := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return torch.Ones(torch.Shape{1}) })
				x := a()[:1]
				err := torch.Try(func() { out, _ = functorch.JVP(constant, x, x, opts...) })
				if errors.Is(err, torch.ErrAutograd) {
					return x
				}
				if err != nil {
					panic(err)
				}
				return out
			})
		}, values(functorch.Strict(true), functorch.Strict(false))),
		"VMap": optiontest.For(func(opts ...functorch.VMapOption) optiontest.Outcome {
			return does(func() []*torch.Tensor {
				x := torch.Arange(9, torch.Float32).Reshape(3, 3)
				runs := 0
				out := functorch.VMap(functorch.OfMany(func(y ...*torch.Tensor) *torch.Tensor {
					runs++
					return y[0].Mul(y[1].Sum())
				}), opts...)(x, x)
				random := functorch.Of(func(y *torch.Tensor) *torch.Tensor { return y.Add(torch.Rand(torch.Shape{3})) })
				if torch.Try(func() { out = append(out, functorch.VMap(random, opts...)(x)...) }) != nil {
					out = append(out, x)
				}
				return append(out, torch.Full(torch.Shape{1}, runs, torch.Float32))
			})
		},
			values(functorch.InDim(1), functorch.InDim(0)),
			values(functorch.InDims{0, functorch.NotMapped}, functorch.InDims{0, 0}),
			values(functorch.InDim(0), functorch.InDims{1, 1}), values(functorch.OutDim(1), functorch.OutDim(0)),
			values(functorch.OutDims{-1}, functorch.OutDims{0}), values(functorch.OutDim(0), functorch.OutDims{1}),
			values(functorch.RandomnessDifferent, functorch.RandomnessError),
			values(functorch.RandomnessSame, functorch.RandomnessDifferent),
			values(functorch.ChunkSize(1), functorch.ChunkSize(0))),
	})
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/functorch"},
		Decls:   "var x []*torch.Tensor; var fn functorch.Func",
	}
	s.Accepts(t,
		"functorch.Grad(fn, functorch.ArgNums{0, 1}, functorch.HasAux(true))",
		"functorch.VMap(func(x ...*torch.Tensor) []*torch.Tensor { return x }, functorch.InDim(1), "+
			"functorch.RandomnessSame, functorch.Randomness(\"same\"))",
	)
	s.Rejects(t,
		"functorch.Grad(fn, functorch.ChunkSize(1))",
		"functorch.Grad(fn, functorch.Strict(true))",
		"functorch.VMap(fn, functorch.ArgNum(1))",
		"functorch.VMap(fn, 1)",
		"functorch.Jacrev(fn, functorch.RandomnessSame)",
		"functorch.Jacfwd(fn, functorch.ChunkSize(1))",
		"functorch.Hessian(fn, functorch.HasAux(true))",
		"functorch.JVP(fn, x, x, functorch.HasAux(true))",
		"functorch.VJP(fn, x, functorch.Strict(true))",
	)
}
