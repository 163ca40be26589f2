package functional_test

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
	"github.com/gotorch/gotorch/torch/autograd/functional"
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
		nothing := functional.Func(func(...*torch.Tensor) []*torch.Tensor { return nil })
		constant := functorch.Of(func(*torch.Tensor) *torch.Tensor { return n })
		linear := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2).Sum() })
		square := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		pair := functorch.OfMany(func(x ...*torch.Tensor) *torch.Tensor { return x[0].Square().Sum() })
		strict, create := functional.Strict(true), functional.CreateGraph(true)
		for _, c := range []struct {
			kind error
			says string
			fn   func()
		}{
			{torch.ErrNil, "functional.Jacobian: argument fn: a nil function", func() { functional.Jacobian(nil, list(x)) }},
			{torch.ErrNil, "functional.Hessian: argument fn: a nil function", func() { functional.Hessian(nil, list(x)) }},
			{torch.ErrNil, "functional.VJP: argument fn: a nil function", func() { functional.VJP(nil, list(x), nil) }},
			{torch.ErrNil, "functional.JVP: argument fn: a nil function", func() { functional.JVP(nil, list(x), nil) }},
			{torch.ErrNil, "functional.VHP: argument fn: a nil function", func() { functional.VHP(nil, list(x), nil) }},
			{torch.ErrNil, "functional.HVP: argument fn: a nil function", func() { functional.HVP(nil, list(x), nil) }},
			{torch.ErrValue, "functional.Jacobian: argument inputs: expected at least one tensor", func() { functional.Jacobian(square, nil) }},
			{torch.ErrClosed, "functional.Jacobian: ", func() { functional.Jacobian(square, list(closed)) }},
			{torch.ErrNil, "functional.Jacobian: ", func() { functional.Jacobian(square, list(nil)) }},
			{torch.ErrDType, "functional.Jacobian: argument inputs: expected floating-point or complex", func() { functional.Jacobian(square, list(n)) }},
			{torch.ErrValue, "functional.Jacobian: argument fn: it returned no tensor", func() { functional.Jacobian(nothing, list(x)) }},
			{torch.ErrAutograd, "functional.Jacobian: argument inputs: InferenceMode switches", func() {
				torch.InferenceMode(func() { functional.Jacobian(square, list(x)) })
			}},
			{torch.ErrValue, "functional.Jacobian: argument Strict: Vectorize cannot tell", func() { functional.Jacobian(square, list(x), strict, functional.Vectorize(true)) }},
			{torch.ErrValue, "functional.Jacobian: argument Vectorize: forward mode needs Vectorize(true)", func() { functional.Jacobian(square, list(x), functional.StrategyForwardMode) }},
			{torch.ErrValue, "functional.Jacobian: argument CreateGraph: forward mode records nothing", func() {
				functional.Jacobian(square, list(x), functional.StrategyForwardMode, functional.Vectorize(true), create)
			}},
			{torch.ErrValue, `functional.Jacobian: argument Strategy: expected reverse-mode or forward-mode, got "any"`, func() { functional.Jacobian(square, list(x), functional.Strategy("any")) }},
			{torch.ErrAutograd, "functional.Jacobian: argument fn: its result 0 does not depend on the inputs", func() { functional.Jacobian(constant, list(x), strict) }},
			{torch.ErrAutograd, "functional.Jacobian: argument fn: its result 0 does not depend on input 1", func() { functional.Jacobian(pair, list(x, x), strict) }},
			{torch.ErrAutograd, "functional.Jacobian: argument fn: the derivative of its result 0 by input 0 is constant", func() { functional.Jacobian(linear, list(x), strict, create) }},
			{torch.ErrShape, "functional.Hessian: argument fn: expected a single number as its result, got shape (3,)", func() { functional.Hessian(square, list(x)) }},
			{torch.ErrAutograd, "functional.Hessian: argument fn: the derivative of its result by input 0 is constant", func() { functional.Hessian(linear, list(x), strict) }},
			{torch.ErrValue, "functional.VJP: argument v: nil, which stands for one", func() { functional.VJP(square, list(x), nil) }},
			{torch.ErrValue, "functional.VJP: argument v: expected 1 tensors, got 2", func() { functional.VJP(square, list(x), list(x, x)) }},
			{torch.ErrShape, "functional.JVP: argument v: expected shape (3,) for element 0, got (2,)", func() { functional.JVP(square, list(x), list(n)) }},
			{torch.ErrAutograd, "functional.JVP: argument fn: its result does not depend on input 1", func() { functional.JVP(pair, list(x, x), list(x, x), strict) }},
			{torch.ErrAutograd, "functional.JVP: argument fn: the derivative of its result 0 is constant, which Strict refuses here", func() { functional.JVP(linear, list(x), list(x), strict, create) }},
			{torch.ErrAutograd, "functional.VHP: argument fn: the derivative of its result by input 0 is constant", func() { functional.VHP(linear, list(x), list(x), strict) }},
			{torch.ErrShape, "functional.HVP: argument fn: expected a single number", func() { functional.HVP(square, list(x), list(x)) }},
		} {
			err := torch.Try(c.fn)
			assert.ErrorIs(t, err, c.kind, c.says)
			assert.ErrorContains(t, err, c.says)
		}
		stop := errors.New("stop")
		assert.PanicsWithError(t, "stop", func() {
			functional.Hessian(func(...*torch.Tensor) []*torch.Tensor { panic(stop) }, list(x))
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
				{torch.Ones(torch.Shape{2}, torch.RequiresGrad)},
				{torch.Ones(torch.Shape{2}, torch.RequiresGrad), torch.Ones(torch.Shape{2})},
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
	create, strict := values(functional.CreateGraph(true), functional.CreateGraph(false)), values(functional.Strict(true), functional.Strict(false))
	vectorize := values(functional.Vectorize(true), functional.Vectorize(false)).Hides("does", "both give the same numbers")
	product := func(run func(in []*torch.Tensor, opts ...functional.ProductOption) []*torch.Tensor) optiontest.Row {
		return optiontest.For(func(opts ...functional.ProductOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return run(in, opts...) })
		}, create, strict)
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Jacobian": optiontest.For(func(opts ...functional.JacobianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(functional.Jacobian(sum, in, opts...)) })
		}, create, strict, vectorize, values(functional.StrategyForwardMode, functional.StrategyReverseMode)),
		"Hessian": optiontest.For(func(opts ...functional.HessianOption) optiontest.Outcome {
			return does(func(in []*torch.Tensor) []*torch.Tensor { return flat(functional.Hessian(sum, in, opts...)) })
		}, create, strict, vectorize, values(functional.OuterJacobianStrategyForwardMode, functional.OuterJacobianStrategyReverseMode)),
		"VJP": product(func(in []*torch.Tensor, opts ...functional.ProductOption) []*torch.Tensor {
			return joined(functional.VJP(sum, in, nil, opts...))
		}),
		"JVP": product(func(in []*torch.Tensor, opts ...functional.ProductOption) []*torch.Tensor {
			return joined(functional.JVP(sum, in, in, opts...))
		}),
		"VHP": product(func(in []*torch.Tensor, opts ...functional.ProductOption) []*torch.Tensor {
			return after(functional.VHP(sum, in, in, opts...))
		}),
		"HVP": product(func(in []*torch.Tensor, opts ...functional.ProductOption) []*torch.Tensor {
			return after(functional.HVP(sum, in, in, opts...))
		}),
	})
}

// isConflict says that an option needs another one.
func isConflict(e *torch.Error) bool {
	return e.Message == "argument Vectorize: forward mode needs Vectorize(true)"
}

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "github.com/gotorch/gotorch/torch/autograd/functional"},
		Decls:   "var x []*torch.Tensor; var fn functional.Func",
	}
	s.Accepts(t, "functional.Jacobian(fn, x, functional.CreateGraph(true), functional.Strict(true), functional.Vectorize(false), functional.StrategyReverseMode)")
	s.Rejects(t,
		"functional.Jacobian(fn, x, torch.CreateGraph(true))",
		"functional.Jacobian(fn, x, functional.OuterJacobianStrategyReverseMode)",
		"functional.Hessian(fn, x, functional.StrategyReverseMode)",
		"functional.VJP(fn, x, x, functional.Vectorize(true))",
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
		j := functional.Jacobian(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return double.Apply(x)[0] }), list(torch.Ones(torch.Shape{2})))
		assert.Equal(t, []float32{2, 0, 0, 2}, j[0][0].Float32s())
	})
}

// Empty results and inputs have empty Jacobians.
func TestEmpty(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		square := functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Square() })
		x := torch.Ones(torch.Shape{0})
		for _, opts := range [][]functional.JacobianOption{
			nil, {functional.Vectorize(true)}, {functional.Vectorize(true), functional.StrategyForwardMode},
		} {
			assert.Equal(t, torch.Shape{0, 0}, functional.Jacobian(square, list(x), opts...)[0][0].Shape())
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
				assert.Equal(t, []float32{6, 0, 0, 12}, functional.Hessian(cube, list(x))[0][0].Float32s())
				_, hv := functional.HVP(cube, list(x), list(x))
				assert.Equal(t, []float32{6, 24}, hv[0].Float32s())
			})
		})
	}
	wg.Wait()
}
