package torch

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Arange returns the numbers from start up to but not including end, in
// increments of step. They are Int64 if all arguments are integers, otherwise
// of the default float type. As in Python it takes one to three numbers, and
// then options:
//
//	torch.Arange(5)                         // 0 to 4
//	torch.Arange(2, 5)                      // 2 to 4
//	torch.Arange(0, 1, 0.25, torch.Float64) // 0, 0.25, 0.5, 0.75
//
// Every option must be a [CreateOption]. It panics with ErrValue if step is 0, has the
// wrong sign, or has an absolute value below 1 for an integer dtype. It also panics with
// ErrValue for a fourth number or a number after an option, with ErrType for any other
// argument, and with ErrNil for nil. Follows torch.arange.
func Arange(number any, more ...any) *Tensor {
	const op = "Arange"
	c := creation{dtype: -1, layout: -1, format: -1, device: -1}
	names := [...]string{"start", "end", "step"}
	numbers := [3]abi.Scalar{arangeNumber(op, "number", number)}
	n, options := 1, false
	for _, v := range more {
		if o, ok := v.(CreateOption); ok && c.take(op, o) {
			options = true
			continue
		}
		if options || n == len(numbers) {
			panic(argError(op, ErrValue, "more", "expected at most three numbers, followed by options"))
		}
		numbers[n] = arangeNumber(op, names[n], v)
		n++
	}
	start, end, step := numbers[0], numbers[1], numbers[2]
	switch n {
	case 1:
		start, end, step = abi.Scalar{Kind: abi.ScalarInt}, start, one
	case 2:
		step = one
	}
	c.onDefault()
	c.defaultFor(start, end, step)
	if c.dtype == abi.DTypeInt64 && step.Kind == abi.ScalarFloat && step.D != 0 && math.Abs(step.D) < 1 {
		// libtorch truncates the step to an integer and divides by it.
		panic(argError(op, ErrValue, "step", fmt.Sprintf("expected a step of at least 1 for int64, got %g", step.D)))
	}
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.ArangeStartStep(r.Ctx, start, end, step, c.dtype, c.layout, c.device, c.pin)))
}

// arangeNumber converts v to a Scalar. It rejects options of other functions,
// many of which have a number as their underlying type.
func arangeNumber(op, arg string, v any) abi.Scalar {
	if v == nil {
		panic(argError(op, ErrNil, arg, "expected a number or an option, got nil"))
	}
	if t := reflect.TypeOf(v); t.PkgPath() == reflect.TypeFor[Tensor]().PkgPath() {
		panic(argError(op, ErrType, arg, fmt.Sprintf("expected a number, got the option %s", t)))
	}
	return scalarArg(op, arg, v)
}

// Linspace returns steps evenly spaced numbers from start to end, both
// included. It panics with ErrType if start or end is not a number, and with
// ErrValue for negative steps. Follows torch.linspace.
func Linspace(start, end any, steps int64, opts ...CreateOption) *Tensor {
	const op = "Linspace"
	a, b := scalarArg(op, "start", start), scalarArg(op, "end", end)
	c := newCreation(op, opts)
	c.defaultFor(a, b, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.Linspace(r.Ctx, a, b, steps, c.dtype, c.layout, c.device, c.pin)))
}

// Base is the base of a logarithmic scale. The default is 10. It is base in Python.
type Base float64

// A LogspaceOption is an option of [Logspace]: [Base], or a [CreateOption].
//
//gotorch:options Base DType Device Layout RequiresGrad PinMemory
type LogspaceOption interface{ logspaceOption() }

// Logspace returns steps numbers from base**start to base**end, evenly spaced
// on a logarithmic scale with base [Base]. It panics with ErrType if start or
// end is not a number, and with ErrValue for negative steps.
// Follows torch.logspace.
func Logspace(start, end any, steps int64, opts ...LogspaceOption) *Tensor {
	const op = "Logspace"
	a, b := scalarArg(op, "start", start), scalarArg(op, "end", end)
	c, base := readCreation[LogspaceOption](op, nil), 10.0
	for _, o := range opts {
		if v, ok := o.(Base); ok {
			base = float64(v)
		} else if !c.take(op, o) {
			panic(badOption(op, o))
		}
	}
	c.onDefault()
	c.defaultFor(a, b, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.Logspace(r.Ctx, a, b, steps, base, c.dtype, c.layout, c.device, c.pin)))
}
