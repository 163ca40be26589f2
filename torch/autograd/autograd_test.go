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

// Mistakes are typed errors with the function's name and the argument's.
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
			{torch.ErrNil, "autograd.Jacobian: argument fn: a nil function", func() { autograd.Jacobian(nil, list(x)) }},
			{torch.ErrNil, "autograd.Hessian: argument fn: a nil function", func() { autograd.Hessian(nil, list(x)) }},
			{torch.ErrNil, "autograd.VJP: argument fn: a nil function", func() { autograd.VJP(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.JVP: argument fn: a nil function", func() { autograd.JVP(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.VHP: argument fn: a nil function", func() { autograd.VHP(nil, list(x), nil) }},
			{torch.ErrNil, "autograd.HVP: argument fn: a nil function", func() { autograd.HVP(nil, list(x), nil) }},
			{torch.ErrValue, "autograd.Jacobian: argument inputs: expected at least one tensor", func() { autograd.Jacobian(square, nil) }},
			{torch.ErrClosed, "autograd.Jacobian: ", func() { autograd.Jacobian(square, list(closed)) }},
			{torch.ErrNil, "autograd.Jacobian: ", func() { autograd.Jacobian(square, list(nil)) }},
			{torch.ErrDType, "autograd.Jacobian: argument inputs: expected floating-point or complex", func() { autograd.Jacobian(square, list(n)) }},
			{torch.ErrValue, "autograd.Jacobian: argument fn: it returned no tensor", func() { autograd.Jacobian(nothing, list(x)) }},
			{torch.ErrAutograd, "autograd.Jacobian: argument inputs: InferenceMode switches", func() {
				torch.InferenceMode(func() { autograd.Jacobian(square, list(x)) })
			}},
			{torch.ErrValue, "autograd.Jacobian: argument Strict: Vectorize cannot tell", func() { autograd.Jacobian(square, list(x), strict, autograd.Vectorize(true)) }},
			{torch.ErrValue, "autograd.Jacobian: argument Vectorize: forward mode needs Vectorize(true)", func() { autograd.Jacobian(square, list(x), autograd.StrategyForwardMode) }},
			{torch.ErrValue, "autograd.Jacobian: argument CreateGraph: forward mode records nothing", func() {
				autograd.Jacobian(square, list(x), autograd.StrategyForwardMode, autograd.Vectorize(true), create)
			}},
			{torch.ErrValue, `autograd.Jacobian: argument Strategy: expected reverse-mode or forward-mode, got "any"`, func() { autograd.Jacobian(square, list(x), autograd.Strategy("any")) }},
			{torch.ErrAutograd, "autograd.Jacobian: argument fn: its result 0 does not depend on the inputs", func() { autograd.Jacobian(constant, list(x), strict) }},
			{torch.ErrAutograd, "autograd.Jacobian: argument fn: its result 0 does not depend on input 1", func() { autograd.Jacobian(pair, list(x, x), strict) }},
			{torch.ErrAutograd, "autograd.Jacobian: argument fn: the derivative of its result 0 by input 0 is constant", func() { autograd.Jacobian(linear, list(x), strict, create) }},
			{torch.ErrShape, "autograd.Hessian: argument fn: expected a single number as its result, got shape (3,)", func() { autograd.Hessian(square, list(x)) }},
			{torch.ErrAutograd, "autograd.Hessian: argument fn: the derivative of its result by input 0 is constant", func() { autograd.Hessian(linear, list(x), strict) }},
			{torch.ErrValue, "autograd.VJP: argument v: nil, which stands for one", func() { autograd.VJP(square, list(x), nil) }},
			{torch.ErrValue, "autograd.VJP: argument v: expected 1 tensors, got 2", func() { autograd.VJP(square, list(x), list(x, x)) }},
			{torch.ErrShape, "autograd.JVP: argument v: expected shape (3,) for element 0, got (2,)", func() { autograd.JVP(square, list(x), list(n)) }},
			{torch.ErrAutograd, "autograd.JVP: argument fn: its result does not depend on input 1", func() { autograd.JVP(pair, list(x, x), list(x, x), strict) }},
			{torch.ErrAutograd, "autograd.JVP: argument fn: the derivative of its result 0 is constant, which Strict refuses here", func() { autograd.JVP(linear, list(x), list(x), strict, create) }},
			{torch.ErrAutograd, "autograd.VHP: argument fn: the derivative of its result by input 0 is constant", func() { autograd.VHP(linear, list(x), list(x), strict) }},
			{torch.ErrShape, "autograd.HVP: argument fn: expected a single number", func() { autograd.HVP(square, list(x), list(x)) }},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, c.says)
			assert.ErrorContains(t, err, c.says)
		}
		stop := errors.New("stop")
		assert.PanicsWithError(t, "stop", func() {
			autograd.Hessian(func(...*torch.Tensor) []*torch.Tensor { panic(stop) }, list(x))
		})
	})
}

// Each option of each function alone, after another value, and beside a nil one.
func TestOptionRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	values := optiontest.Values
	// What a run says: of a result that is recorded, and of strict mode.
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
	create, strict := values(autograd.CreateGraph(true), autograd.CreateGraph(false)), values(autograd.Strict(true), autograd.Strict(false))
	vectorize := values(autograd.Vectorize(true), autograd.Vectorize(false)).Hides("does", "both give the same numbers")
	product := func(run func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor) optiontest.Row {
		return optiontest.For(func(opts ...autograd.ProductOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return run(in, opts...) })
		}, create, strict)
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Jacobian": optiontest.For(func(opts ...autograd.JacobianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(autograd.Jacobian(sum, in, opts...)) })
		}, create, strict, vectorize, values(autograd.StrategyForwardMode, autograd.StrategyReverseMode)),
		"Hessian": optiontest.For(func(opts ...autograd.HessianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(autograd.Hessian(sum, in, opts...)) })
		}, create, strict, vectorize, values(autograd.OuterJacobianStrategyForwardMode, autograd.OuterJacobianStrategyReverseMode)),
		"VJP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return joined(autograd.VJP(sum, in, nil, opts...))
		}),
		"JVP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return joined(autograd.JVP(sum, in, in, opts...))
		}),
		"VHP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return after(autograd.VHP(sum, in, in, opts...))
		}),
		"HVP": product(func(in []*torch.Tensor, opts ...autograd.ProductOption) []*torch.Tensor {
			return after(autograd.HVP(sum, in, in, opts...))
		}),
	})
}

// isConflict says that an option needs another one.
func isConflict(e *torch.Error) bool {
	return e.Message == "argument Vectorize: forward mode needs Vectorize(true)"
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/autograd"},
		Decls:   "var x []*torch.Tensor; var fn autograd.Func",
	}
	s.Accepts(t, "autograd.Jacobian(fn, x, autograd.CreateGraph(true), autograd.Strict(true), autograd.Vectorize(false), autograd.StrategyReverseMode)")
	s.Rejects(t,
		"autograd.Jacobian(fn, x, torch.CreateGraph(true))",
		"autograd.Jacobian(fn, x, autograd.OuterJacobianStrategyReverseMode)",
		"autograd.Hessian(fn, x, autograd.StrategyReverseMode)",
		"autograd.VJP(fn, x, x, autograd.Vectorize(true))",
	)
}

// A custom function with a gradient of its own works here.
func TestCustomFunction(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		double := torch.Function{
			Forward:  func(_ *torch.Context, in ...*torch.Tensor) []*torch.Tensor { return list(in[0].Clone()) },
			Backward: func(_ *torch.Context, g ...*torch.Tensor) []*torch.Tensor { return list(g[0].MulScalar(2)) },
		}
		j := autograd.Jacobian(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return double.Apply(x)[0] }), list(torch.Ones(torch.Shape{2})))
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
			assert.Equal(t, torch.Shape{0, 0}, autograd.Jacobian(square, list(x), opts...)[0][0].Shape())
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
				assert.Equal(t, []float32{6, 0, 0, 12}, autograd.Hessian(cube, list(x))[0][0].Float32s())
				_, hv := autograd.HVP(cube, list(x), list(x))
				assert.Equal(t, []float32{6, 24}, hv[0].Float32s())
			})
		})
	}
	wg.Wait()
}
