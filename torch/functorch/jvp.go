package functorch

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// JVP runs fn on primals. It returns fn's results and their derivatives in the direction
// of tangents. This is a Jacobian-vector product in forward mode, which needs no autograd
// graph. If a result does not depend on the primals, its derivative is zero; [Strict]
// makes this an error.
//
//	y, dy := functorch.JVP(fn, []*torch.Tensor{x}, []*torch.Tensor{v})
//
// It panics with ErrNil for a nil fn or option; with ErrValue for an empty list or if the
// numbers of primals and tangents differ; with ErrShape or ErrDType for a tangent that
// does not match its primal; with ErrDType for integers; with ErrNil or ErrClosed for a
// nil or closed tensor; with ErrAutograd within InferenceMode; with ErrNotImplemented or
// ErrRuntime for an operator without a forward derivative; and if fn panics. The caller
// owns the results. Follows torch.func.jvp.
func JVP(fn Func, primals, tangents []*torch.Tensor, opts ...JVPOption) (results, derivatives []*torch.Tensor) {
	const op = "functorch.JVP"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	arguments(op, primals)
	if len(tangents) != len(primals) {
		panic(torch.NewError(op, torch.ErrValue, "tangents",
			fmt.Sprintf("expected %d, one for each primal, got %d", len(primals), len(tangents))))
	}
	torch.Handles(op+"(tangents)", tangents, false)
	for i, t := range chosen(op, primals, every(len(primals))) {
		like(op, "tangents", i, tangents[i], t)
	}
	return push(op, fn, primals, tangents, d.strict)
}

// push implements JVP for arguments that have been checked.
func push(op string, fn Func, primals, tangents []*torch.Tensor, strict bool) (results, derivatives []*torch.Tensor) {
	n := 0
	both := within(op, native.JVP, 0, 0, func(l layer) []*torch.Tensor {
		values, ds := l.unduals(fn.call(op, l.duals(primals, tangents)), strict)
		n = len(values)
		return append(values, ds...)
	})
	return both[:n:n], both[n:]
}
