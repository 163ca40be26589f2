package functorch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// These are the functions of testdata/make_goldens.py.
var (
	f = functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
		return x[0].Mul(x[1]).Sin().Sum().Mul(x[0].Exp().Sum())
	})
	two = functorch.Func(func(x ...*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{x[0].Mul(x[1]), x[0].Sum().Mul(x[1].Square()).Reshape(3, 1)}
	})
	mat = functorch.Of(func(m *torch.Tensor) *torch.Tensor { return m.Tanh().MatMul(m.T()).Sum() })

	innerNoGrad = functorch.Of(func(t *torch.Tensor) *torch.Tensor {
		var c *torch.Tensor
		torch.NoGrad(func() { c = t.Sin() })
		return t.Mul(c).Sum()
	})
	jvpNoGrad = functorch.Of(func(t *torch.Tensor) (y *torch.Tensor) {
		torch.NoGrad(func() { y = t.Sin().Mul(t) })
		return y
	})
)

func list(ts ...*torch.Tensor) []*torch.Tensor { return ts }

// derivative returns the derivative of fn at a in the direction b.
func derivative(fn functorch.Func, a, b *torch.Tensor) *torch.Tensor {
	_, d := functorch.JVP(fn, list(a), list(b))
	return d[0]
}

// Transforms, including nested ones, equal Python's.
func TestNested(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := load(t)
	torch.Scope(func() {
		in := g.input(t, "x w m")
		x, w, m := in[0], in[1], in[2]
		a, b := x.Index(0), w.Index(0)
		of := func(fn func(u *torch.Tensor) *torch.Tensor) functorch.Func { return functorch.Of(fn) }
		gradGrad := functorch.Grad(of(func(u *torch.Tensor) *torch.Tensor {
			return functorch.Grad(f).One(u, b).Sin().Sum()
		}))
		got := map[string]func() []*torch.Tensor{
			"grad":      func() []*torch.Tensor { return functorch.Grad(f)(a, b) },
			"grad_1":    func() []*torch.Tensor { return functorch.Grad(f, functorch.ArgNum(1))(a, b) },
			"grad_both": func() []*torch.Tensor { return functorch.Grad(f, functorch.ArgNums{0, -1})(a, b) },
			"grad_and_value": func() []*torch.Tensor {
				return functorch.GradAndValue(f)(a, b)
			},
			"grad_grad": func() []*torch.Tensor { return gradGrad(a) },
			"vjp": func() []*torch.Tensor {
				_, vjp := functorch.VJP(two, list(a, b))
				return vjp.Apply(torch.OnesLike(a), torch.Ones(torch.Shape{3, 1}, torch.Float64))
			},
			"jvp": func() []*torch.Tensor {
				y, d := functorch.JVP(two, list(a, b), list(b, a))
				return append(y, d...)
			},
			"jvp_jvp": func() []*torch.Tensor {
				inner := of(func(u *torch.Tensor) *torch.Tensor {
					return derivative(of(func(u *torch.Tensor) *torch.Tensor { return u.PowScalar(3).Sin() }), u, b)
				})
				return list(derivative(inner, a, b))
			},
			"jvp_grad": func() []*torch.Tensor {
				return list(derivative(of(func(u *torch.Tensor) *torch.Tensor {
					return functorch.Grad(f).One(u, b)
				}), a, b))
			},
			"grad_jvp": func() []*torch.Tensor {
				return functorch.Grad(of(func(u *torch.Tensor) *torch.Tensor {
					return derivative(of(func(u *torch.Tensor) *torch.Tensor { return f.One(u, b) }), u, b)
				}))(a)
			},
			"jacrev":      func() []*torch.Tensor { return functorch.Jacrev(two, functorch.ArgNums{0, 1})(a, b) },
			"jacfwd":      func() []*torch.Tensor { return functorch.Jacfwd(two, functorch.ArgNums{0, 1})(a, b) },
			"hessian":     func() []*torch.Tensor { return functorch.Hessian(f, functorch.ArgNums{0, 1})(a, b) },
			"hessian_mat": func() []*torch.Tensor { return functorch.Hessian(mat)(m.Index(0)) },
			"vmap_vmap": func() []*torch.Tensor {
				return functorch.VMap(functorch.VMap(functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
					return x[0].Sin().Mul(x[1])
				})))(x, w)
			},
			"vmap_hessian": func() []*torch.Tensor { return functorch.VMap(functorch.Hessian(f))(x, w) },
			"vmap_jacrev": func() []*torch.Tensor {
				return functorch.VMap(functorch.Jacrev(of(func(u *torch.Tensor) *torch.Tensor {
					return u.Outer(u).Tanh()
				})))(x)
			},
			"in_dims": func() []*torch.Tensor {
				return functorch.VMap(functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor {
					return x[0].Mul(x[1].Sum())
				}), functorch.InDims{1, functorch.NotMapped})(x, w)
			},
			"out_dims": func() []*torch.Tensor { return functorch.VMap(two, functorch.OutDims{1, -1})(x, w) },
			"constant": func() []*torch.Tensor {
				return functorch.VMap(of(func(*torch.Tensor) *torch.Tensor { return b }))(x)
			},
			"no_grad": func() []*torch.Tensor {
				return functorch.Grad(of(func(u *torch.Tensor) *torch.Tensor { return u.Mul(u.Detach()).Sum() }))(a)
			},
			"inner_no_grad": func() []*torch.Tensor { return functorch.Grad(innerNoGrad)(a) },
			"nested_no_grad": func() []*torch.Tensor {
				return functorch.Grad(of(func(u *torch.Tensor) *torch.Tensor {
					return functorch.Grad(innerNoGrad).One(u).Sum()
				}))(a)
			},
			"jvp_no_grad": func() []*torch.Tensor { return list(derivative(jvpNoGrad, a, b)) },
			"outer_no_grad": func() (out []*torch.Tensor) {
				torch.NoGrad(func() { out = gradGrad(a) })
				return out
			},
		}
		assert.Len(t, got, len(g.nested))
		for name, want := range g.nested {
			if !assert.Contains(t, got, name) {
				continue
			}
			have := got[name]()
			if assert.Len(t, have, len(want), name) {
				for i, v := range want {
					assert.True(t, torchtest.AllClose(t, tensor(t, v), have[i], rounding), "%s, %d", name, i)
				}
			}
		}
	})
}
