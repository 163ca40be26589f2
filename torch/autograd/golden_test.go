package autograd_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/autograd"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// These are the functions of testdata/make_goldens.py.
var (
	two = autograd.Func(func(x ...*torch.Tensor) []*torch.Tensor {
		return list(x[0].Mul(x[1]).Sin(), x[0].MatMul(x[1]).Exp())
	})
	one    = functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Tanh().Sum(torch.Dim(1)) })
	number = functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
		return x[0].Mul(x[1]).Sin().Mul(x[0].Exp()).Sum()
	})
	cube   = functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3).Sum() })
	fourth = functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(4) })
	unused = functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Sin() })
	half   = autograd.Func(func(x ...*torch.Tensor) []*torch.Tensor {
		return list(x[0].Sin(), torch.Ones(torch.Shape{2}, torch.Float64))
	})
)

func list(ts ...*torch.Tensor) []*torch.Tensor { return ts }

func flat(rows [][]*torch.Tensor) (all []*torch.Tensor) {
	for _, r := range rows {
		all = append(all, r...)
	}
	return all
}

func joined(a, b []*torch.Tensor) []*torch.Tensor { return append(a, b...) }

func after(a *torch.Tensor, b []*torch.Tensor) []*torch.Tensor { return append(list(a), b...) }

func inputs(t *testing.T, g *torchtest.Goldens) (x, w, v, u, s *torch.Tensor) {
	t.Helper()
	var in map[string]torchtest.Value
	g.Decode("inputs", &in)
	of := func(name string) *torch.Tensor {
		x, err := in[name].Tensor()
		require.NoError(t, err)
		return x
	}
	return of("x"), of("w"), of("v"), of("u"), of("s")
}

func compare(t *testing.T, name string, want []torchtest.Value, got []*torch.Tensor) {
	t.Helper()
	if !assert.Len(t, got, len(want), name) {
		return
	}
	for i, v := range want {
		x, err := v.Tensor()
		require.NoError(t, err)
		assert.True(t, torchtest.AllClose(t, x, got[i], torchtest.Rounding(64, torch.Float64)), "%s, %d", name, i)
	}
}

// Values equal Python's, and do not require gradients.
func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/goldens.json")
	torch.Scope(func() {
		x, w, v, u, s := inputs(t, g)
		both, dir, at := list(x, w), list(v, u), list(s)
		vectorize := autograd.Vectorize(true)
		got := map[string][]*torch.Tensor{
			"jacobian":                  flat(autograd.JacobianN(two, both)),
			"jacobian_one":              flat(autograd.JacobianN(one, list(x))),
			"jacobian_vectorize":        flat(autograd.JacobianN(two, both, vectorize)),
			"jacobian_forward":          flat(autograd.JacobianN(two, both, vectorize, autograd.StrategyForwardMode)),
			"jacobian_unused":           flat(autograd.JacobianN(unused, both)),
			"jacobian_unused_vectorize": flat(autograd.JacobianN(unused, both, vectorize)),
			"hessian":                   flat(autograd.HessianN(number, both)),
			"hessian_one":               flat(autograd.HessianN(cube, list(x))),
			"hessian_vectorize":         flat(autograd.HessianN(number, both, vectorize)),
			"hessian_forward": flat(autograd.HessianN(number, both, vectorize,
				autograd.OuterJacobianStrategyForwardMode)),
			"vjp":        joined(autograd.VJPN(two, both, list(v, torch.FromSlice([]float64{0.5, -1})))),
			"vjp_number": joined(autograd.VJPN(number, both, nil)),
			"jvp":        joined(autograd.JVPN(two, both, dir)),
			"jvp_number": joined(autograd.JVPN(functorch.Of(func(s *torch.Tensor) *torch.Tensor {
				return s.Sin().Mul(w)
			}), at, nil)),
			"vhp":        after(autograd.VHPN(number, both, dir)),
			"hvp":        after(autograd.HVPN(number, both, dir)),
			"vhp_number": after(autograd.VHPN(fourth, at, nil)),
			"hvp_number": after(autograd.HVPN(fourth, at, nil)),
			"vjp_unused": joined(autograd.VJPN(unused, both, list(v))),
			"jvp_unused": joined(autograd.JVPN(half, both, dir)),
		}
		var cases map[string][]torchtest.Value
		g.Decode("cases", &cases)
		assert.Len(t, got, len(cases))
		for name, want := range cases {
			compare(t, name, want, got[name])
			for _, y := range got[name] {
				assert.False(t, y.RequiresGrad(), name)
			}
		}
	})
}

// With CreateGraph the results can be differentiated, in any enclosing mode.
func TestCreateGraph(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/goldens.json")
	torch.Scope(func() {
		x, w, v, u, _ := inputs(t, g)
		in, dir := list(x.RequiresGrad_(), w.RequiresGrad_()), list(v, u)
		create := autograd.CreateGraph(true)
		runs := map[string]func() []*torch.Tensor{
			"jacobian": func() []*torch.Tensor { return flat(autograd.JacobianN(two, in, create)) },
			"jacobian_vectorize": func() []*torch.Tensor {
				return flat(autograd.JacobianN(two, in, create, autograd.Vectorize(true)))
			},
			"hessian": func() []*torch.Tensor { return flat(autograd.HessianN(number, in, create)) },
			"vjp":     func() []*torch.Tensor { return joined(autograd.VJPN(number, in, nil, create)) },
			"jvp":     func() []*torch.Tensor { return joined(autograd.JVPN(two, in, dir, create)) },
			"vhp":     func() []*torch.Tensor { return after(autograd.VHPN(number, in, dir, create)) },
			"hvp":     func() []*torch.Tensor { return after(autograd.HVPN(number, in, dir, create)) },
		}
		var graph map[string][]torchtest.Value
		g.Decode("graph", &graph)
		assert.Len(t, runs, len(graph))
		for name, want := range graph {
			var got []*torch.Tensor
			torch.NoGrad(func() { got = runs[name]() })
			total := torch.Zeros(torch.Shape{}, torch.Float64)
			for _, y := range got {
				total = total.Add(y.Sin().Sum())
			}
			compare(t, name, want, torch.Grad(list(total), in))
			assert.Nil(t, x.Grad(), "nothing is accumulated")
		}
	})
}
