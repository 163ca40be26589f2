package functorch

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/functorch"
	"github.com/gotorch/gotorch/torch"
)

// Grad returns the function that computes the gradients of fn, whose result must be a
// scalar. It returns one gradient for each argument in [ArgNum] or [ArgNums], by default
// the first. With [HasAux], the other results of fn follow the gradients.
//
//	df := functorch.Grad(functorch.Of(func(x *torch.Tensor) *torch.Tensor { return x.Sin() }))
//	y := df.One(x) // cos x
//
// The gradients can be differentiated too: Grad(Grad(fn)) is the second derivative. fn
// runs with gradients enabled, even in no-grad mode. Results of NoGrad within fn are
// constants.
//
// Grad panics with ErrNil for a nil fn or option. The function that it returns panics
// with ErrShape if fn's result is not a scalar; with ErrDType for derivatives with
// respect to integers; with ErrIndex or ErrValue for invalid ArgNums; with ErrValue for a
// wrong number of results; with ErrNil or ErrClosed for a nil or closed tensor; with
// ErrAutograd within InferenceMode; and if fn panics. The caller owns the results.
// Follows torch.func.grad.
func Grad(fn Func, opts ...GradOption) Func {
	const op = "functorch.Grad"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	return func(x ...*torch.Tensor) []*torch.Tensor { return d.gradients(op, fn, x, false) }
}

// GradAndValue is like [Grad], but the function that it returns also returns the result
// that is differentiated: after the gradients, and before the other results of fn (see
// [HasAux]). GradAndValue panics as Grad does. Follows torch.func.grad_and_value.
func GradAndValue(fn Func, opts ...GradOption) Func {
	const op = "functorch.GradAndValue"
	d := readDerivative(op, opts)
	checkFunc(op, fn)
	return func(x ...*torch.Tensor) []*torch.Tensor { return d.gradients(op, fn, x, true) }
}

func (d derivative) gradients(op string, fn Func, x []*torch.Tensor, value bool) []*torch.Tensor {
	arguments(op, x)
	at := position(op, d.args, len(x))
	chosen(op, x, d.args)
	return within(op, native.Grad, 0, 0, func(l layer) (out []*torch.Tensor) {
		torch.EnableGrad(func() {
			all, leaves := l.leaves(x, at)
			res := fn.call(op, all)
			if len(res) > 1 && !d.aux {
				panic(torch.NewError(op, torch.ErrValue, "fn", fmt.Sprintf("the function returned %d tensors; use "+
					"HasAux(true) to differentiate only the first one", len(res))))
			}
			if y := res[0]; y.Dim() != 0 {
				panic(torch.NewError(op, torch.ErrShape, "fn",
					fmt.Sprintf("expected a function that returns a scalar, got shape %v", y.Shape())))
			}
			got := pull(res[:1], leaves, nil, true, true)
			if value {
				got = append(got, res[0])
			}
			out = l.below(append(got, res[1:]...))
		})
		return out
	})
}

// pull returns the gradients of outs with respect to leaves, or zeros for a leaf that outs
// do not depend on. cotangents are the gradients of outs; nil stands for ones.
func pull(outs, leaves, cotangents []*torch.Tensor, retain, create bool) []*torch.Tensor {
	var by, v []*torch.Tensor
	for i, o := range outs {
		if o.RequiresGrad() {
			by = append(by, o)
			if cotangents != nil {
				v = append(v, cotangents[i])
			}
		}
	}
	if len(by) == 0 {
		zeros := make([]*torch.Tensor, len(leaves))
		for i, t := range leaves {
			zeros[i] = torch.ZerosLike(t)
		}
		return zeros
	}
	return torch.Grad(by, leaves, torch.GradOutputs(v), torch.RetainGraph(retain), torch.CreateGraph(create),
		torch.MaterializeGrads(true))
}
