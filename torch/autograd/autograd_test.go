package autograd_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/autograd"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torchtest"
)

// Bad input panics with a typed error that names the function and the argument.
func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, n := torch.Ones(torch.Shape{3}), torch.Ones(torch.Shape{2}, torch.Int64)
		closed := torch.Ones(torch.Shape{2})
		require.NoError(t, closed.Close())
		nothing := autograd.Func(func(...*torch.Tensor) []*torch.Tensor { return nil })
		constant := functorch.Of(func(*torch.Tensor) *torch.Tensor { return n })
		linear := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2).Sum() })
		square := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		pair := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Square().Sum() })
		strict, create := autograd.Strict(true), autograd.CreateGraph(true)
		for _, c := range []struct {
			kind error
			says string
			fn   func()
		}{
			{torch.ErrNil, "autograd.JacobianN: argument fn: a nil function", func() {
				autograd.JacobianN(nil, list(x))
			}},
			{torch.ErrNil, "autograd.HessianN: argument fn: a nil function", func() {
				autograd.HessianN(nil, list(x))
			}},
			{torch.ErrNil, "autograd.VJPN: argument fn: a nil function", func() { autograd.VJPN(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.JVPN: argument fn: a nil function", func() { autograd.JVPN(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.VHPN: argument fn: a nil function", func() { autograd.VHPN(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.HVPN: argument fn: a nil function", func() { autograd.HVPN(nil, list(x), nil) }},
			{torch.ErrValue, "autograd.JacobianN: argument inputs: expected at least one tensor", func() {
				autograd.JacobianN(square, nil)
			}},
			{torch.ErrClosed, "autograd.JacobianN: ", func() { autograd.JacobianN(square, list(closed)) }},
			{torch.ErrNil, "autograd.JacobianN: ", func() { autograd.JacobianN(square, list(nil)) }},
			{torch.ErrDType, "autograd.JacobianN: argument inputs: expected floating-point or complex", func() {
				autograd.JacobianN(square, list(n))
			}},
			{torch.ErrValue, "autograd.JacobianN: argument fn: the function returned no tensor", func() {
				autograd.JacobianN(nothing, list(x))
			}},
			{torch.ErrAutograd, "autograd.JacobianN: argument inputs: InferenceMode disables", func() {
				torch.InferenceMode(func() { autograd.JacobianN(square, list(x)) })
			}},
			{torch.ErrValue, "autograd.JacobianN: argument Strict: Vectorize cannot determine", func() {
				autograd.JacobianN(square, list(x), strict, autograd.Vectorize(true))
			}},
			{torch.ErrValue, "autograd.JacobianN: argument Vectorize: forward mode needs Vectorize(true)", func() {
				autograd.JacobianN(square, list(x), autograd.StrategyForwardMode)
			}},
			{
				torch.ErrValue,
				"autograd.JacobianN: argument CreateGraph: forward mode does not support CreateGraph(true)", func() {
					autograd.JacobianN(square, list(x), autograd.StrategyForwardMode, autograd.Vectorize(true), create)
				},
			},
			{
				torch.ErrValue,
				`autograd.JacobianN: argument Strategy: expected reverse-mode or forward-mode, got "any"`,
				func() {
					autograd.JacobianN(square, list(x), autograd.Strategy("any"))
				},
			},
			{torch.ErrAutograd, "autograd.JacobianN: argument fn: result 0 does not depend on the inputs", func() {
				autograd.JacobianN(constant, list(x), strict)
			}},
			{torch.ErrAutograd, "autograd.JacobianN: argument fn: result 0 does not depend on input 1", func() {
				autograd.JacobianN(pair, list(x, x), strict)
			}},
			{
				torch.ErrAutograd,
				"autograd.JacobianN: argument fn: the derivative of result 0 with respect to input 0 is constant",
				func() {
					autograd.JacobianN(linear, list(x), strict, create)
				},
			},
			{
				torch.ErrShape,
				"autograd.HessianN: argument fn: expected a function that returns a single number, got shape (3,)",
				func() {
					autograd.HessianN(square, list(x))
				},
			},
			{
				torch.ErrAutograd,
				"autograd.HessianN: argument fn: the derivative of the result with respect to input 0 is constant",
				func() {
					autograd.HessianN(linear, list(x), strict)
				},
			},
			{torch.ErrValue, "autograd.VJPN: argument v: nil is only allowed for", func() {
				autograd.VJPN(square, list(x), nil)
			}},
			{torch.ErrValue, "autograd.VJPN: argument v: expected 1 tensors, got 2", func() {
				autograd.VJPN(square, list(x), list(x, x))
			}},
			{torch.ErrShape, "autograd.JVPN: argument v: expected shape (3,) for element 0, got (2,)", func() {
				autograd.JVPN(square, list(x), list(n))
			}},
			{torch.ErrAutograd, "autograd.JVPN: argument fn: the result does not depend on input 1", func() {
				autograd.JVPN(pair, list(x, x), list(x, x), strict)
			}},
			{torch.ErrAutograd, "autograd.JVPN: argument fn: the derivative of result 0 is constant, which " +
				"Strict refuses here", func() {
				autograd.JVPN(linear, list(x), list(x), strict, create)
			}},
			{
				torch.ErrAutograd,
				"autograd.VHPN: argument fn: the derivative of the result with respect to input 0 is constant",
				func() {
					autograd.VHPN(linear, list(x), list(x), strict)
				},
			},
			{torch.ErrShape, "autograd.HVPN: argument fn: expected a function that returns a single number", func() {
				autograd.HVPN(square, list(x), list(x))
			}},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, c.says)
			assert.ErrorContains(t, err, c.says)
		}
		stop := errors.New("stop")
		assert.PanicsWithError(t, "stop", func() {
			autograd.HessianN(func(...*torch.Tensor) []*torch.Tensor { panic(stop) }, list(x))
		})
	})
}

// Each option of each function is tested alone, after the same option with a different
// value, and next to a nil option.
func TestOptionRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	// The outcome of a run: whether the result has a graph, and whether strict mode
	// rejects it.
	does := func(run func(in []*torch.Tensor) []*torch.Tensor) (o optiontest.Outcome) {
		torch.Scope(func() {
			text := ""
			for _, in := range [][]*torch.Tensor{
				{torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))},
				{torch.Ones(torch.Shape{2}, torch.RequiresGrad(true)), torch.Ones(torch.Shape{2})},
			} {
				err := torch.Try(func() {
					for _, y := range run(in) {
						text += fmt.Sprint(y.Shape(), y.RequiresGrad())
					}
				})
				if e := new(torch.Error); errors.As(err, &e) {
					if !errors.Is(e, torch.ErrAutograd) && !isConflict(e) {
						panic(err)
					}
					text += e.Message
				}
			}
			o = optiontest.Outcome{"does": text}
		})
		return o
	}
	sum := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].PowScalar(3).Sum() })
	create, strict := values(autograd.CreateGraph(true), autograd.CreateGraph(false)),
		values(autograd.Strict(true), autograd.Strict(false))
	vectorize := values(autograd.Vectorize(true), autograd.Vectorize(false)).Hides("does", "both give the same numbers")
	product := func(run func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor) optiontest.Row {
		return optiontest.For(func(opts ...autograd.ProductOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return run(in, opts...) })
		}, create, strict)
	}
	// For one tensor: a function that depends on it, and a function that does not, which
	// Strict rejects.
	cube := func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3).Sum() }
	single := func(in []*torch.Tensor) func(x *torch.Tensor) *torch.Tensor {
		if len(in) == 1 {
			return cube
		}
		return func(*torch.Tensor) *torch.Tensor { return torch.Ones(nil, torch.RequiresGrad(true)).MulScalar(2) }
	}
	pair := func(y, p *torch.Tensor) []*torch.Tensor { return []*torch.Tensor{y, p} }
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Jacobian": optiontest.For(func(opts ...autograd.JacobianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{autograd.Jacobian(single(in), in[0], opts...)}
			})
		}, create, strict, vectorize, values(autograd.StrategyForwardMode, autograd.StrategyReverseMode)),
		"Hessian": optiontest.For(func(opts ...autograd.HessianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor {
				return []*torch.Tensor{autograd.Hessian(single(in), in[0], opts...)}
			})
		}, create, strict, vectorize,
			values(autograd.OuterJacobianStrategyForwardMode, autograd.OuterJacobianStrategyReverseMode)),
		"VJP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return pair(autograd.VJP(single(in), in[0], nil, opts...))
		}),
		"JVP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return pair(autograd.JVP(single(in), in[0], in[0], opts...))
		}),
		"VHP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return pair(autograd.VHP(single(in), in[0], in[0], opts...))
		}),
		"HVP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return pair(autograd.HVP(single(in), in[0], in[0], opts...))
		}),
		"JacobianN": optiontest.For(func(opts ...autograd.JacobianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(autograd.JacobianN(sum, in, opts...)) })
		}, create, strict, vectorize, values(autograd.StrategyForwardMode, autograd.StrategyReverseMode)),
		"HessianN": optiontest.For(func(opts ...autograd.HessianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(autograd.HessianN(sum, in, opts...)) })
		}, create, strict, vectorize,
			values(autograd.OuterJacobianStrategyForwardMode, autograd.OuterJacobianStrategyReverseMode)),
		"VJPN": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return joined(autograd.VJPN(sum, in, nil, opts...))
		}),
		"JVPN": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return joined(autograd.JVPN(sum, in, in, opts...))
		}),
		"VHPN": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return after(autograd.VHPN(sum, in, in, opts...))
		}),
		"HVPN": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return after(autograd.HVPN(sum, in, in, opts...))
		}),
	})
}

// isConflict reports whether the error says that one option requires another.
func isConflict(e *torch.Error) bool {
	return e.Message == "argument Vectorize: forward mode needs Vectorize(true)"
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/autograd"},
		Decls:   "var x []*torch.Tensor; var fn autograd.Func",
	}
	s.Accepts(t, "autograd.JacobianN(fn, x, autograd.CreateGraph(true), autograd.Strict(true), "+
		"autograd.Vectorize(false), autograd.StrategyReverseMode)")
	s.Rejects(t,
		"autograd.JacobianN(fn, x, torch.CreateGraph(true))",
		"autograd.JacobianN(fn, x, autograd.OuterJacobianStrategyReverseMode)",
		"autograd.HessianN(fn, x, autograd.StrategyReverseMode)",
		"autograd.VJPN(fn, x, x, autograd.Vectorize(true))",
	)
}

// A custom function with its own gradient can be differentiated.
func TestCustomFunction(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		double := torch.Function{
			Forward:  func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor { return list(in[0].Clone()) },
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return list(g[0].MulScalar(2)) },
		}
		j := autograd.JacobianN(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return double.Apply(x)[0] }),
			list(torch.Ones(torch.Shape{2})))
		assert.Equal(t, []float32{2, 0, 0, 2}, j[0][0].Float32s())
	})
}

// Empty results and inputs have empty Jacobians.
func TestEmpty(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		square := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		x := torch.Ones(torch.Shape{0})
		for _, opts := range [][]autograd.JacobianOption{
			nil, {autograd.Vectorize(true)}, {autograd.Vectorize(true), autograd.StrategyForwardMode},
		} {
			assert.Equal(t, torch.Shape{0, 0}, autograd.JacobianN(square, list(x), opts...)[0][0].Shape())
		}
	})
}

func TestGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			torch.Scope(func() {
				x := torch.FromSlice([]float32{1, 2})
				cube := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.PowScalar(3).Sum() })
				assert.Equal(t, []float32{6, 0, 0, 12}, autograd.HessianN(cube, list(x))[0][0].Float32s())
				_, hv := autograd.HVPN(cube, list(x), list(x))
				assert.Equal(t, []float32{6, 24}, hv[0].Float32s())
			})
		})
	}
	wg.Wait()
}
