package autograd

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
)

// Func is the function that is differentiated: functorch.Func.
type Func = functorch.Func

// A JacobianOption configures [Jacobian]: [CreateGraph], [Strict], [Vectorize] or
// [Strategy].
//
//gotorch:options CreateGraph Strict Vectorize Strategy
type JacobianOption interface{ jacobianOption() }

// A HessianOption configures [Hessian]: [CreateGraph], [Strict], [Vectorize] or
// [OuterJacobianStrategy].
//
//gotorch:options CreateGraph Strict Vectorize OuterJacobianStrategy
type HessianOption interface{ hessianOption() }

// A ProductOption configures [VJP], [JVP], [VHP] and [HVP]: [CreateGraph] or [Strict].
//
//gotorch:options CreateGraph Strict
type ProductOption interface{ productOption() }

// CreateGraph says whether the results are part of the graph, so that they can be
// differentiated. The default is false.
type CreateGraph bool

// Strict says whether it is an error if a result does not depend on an input. The default
// is false: then the derivative is zero.
type Strict bool

// Vectorize says whether to compute all rows together with functorch.VMap. This is
// faster, takes more memory, and does not support every operator. The default, false,
// computes one row at a time.
type Vectorize bool

// Strategy selects how [Jacobian] differentiates: [StrategyReverseMode] or
// [StrategyForwardMode], which needs Vectorize(true).
type Strategy string

// These are the strategies.
const (
	StrategyReverseMode Strategy = "reverse-mode" // row by row, one for each element of the results; the default
	StrategyForwardMode Strategy = "forward-mode" // column by column, one for each element of the inputs
)

// OuterJacobianStrategy selects how [Hessian] differentiates the gradient; see
// [Strategy].
type OuterJacobianStrategy string

// These are the values of OuterJacobianStrategy.
const (
	OuterJacobianStrategyReverseMode OuterJacobianStrategy = "reverse-mode" // the default
	OuterJacobianStrategyForwardMode OuterJacobianStrategy = "forward-mode"
)

type settings struct {
	create, strict, vectorize, forward bool
}

func read[O any](op string, opts []O) settings {
	var s settings
	for _, o := range opts {
		switch o := any(o).(type) {
		case CreateGraph:
			s.create = bool(o)
		case Strict:
			s.strict = bool(o)
		case Vectorize:
			s.vectorize = bool(o)
		case Strategy:
			s.forward = isForward(op, "Strategy", string(o))
		case OuterJacobianStrategy:
			s.forward = isForward(op, "OuterJacobianStrategy", string(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	switch {
	case s.vectorize && s.strict:
		panic(torch.NewError(op, torch.ErrValue, "Strict", "Vectorize cannot determine what a result depends on"))
	case s.forward && !s.vectorize:
		panic(torch.NewError(op, torch.ErrValue, "Vectorize", "forward mode needs Vectorize(true)"))
	case s.forward && s.create:
		panic(torch.NewError(op, torch.ErrValue, "CreateGraph", "forward mode does not support CreateGraph(true)"))
	}
	return s
}

func isForward(op, arg, strategy string) bool {
	switch strategy {
	case string(StrategyForwardMode):
		return true
	case string(StrategyReverseMode):
		return false
	}
	panic(torch.NewError(op, torch.ErrValue, arg,
		fmt.Sprintf("expected reverse-mode or forward-mode, got %q", strategy)))
}
