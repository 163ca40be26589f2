package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A DropoutOption is an option of the dropouts: [P] or [Training].
type DropoutOption interface{ opt.DropoutFunc }

func readDropout(op string, training bool, opts []DropoutOption) (float64, bool) {
	p := 0.5
	for _, o := range opts {
		switch o := o.(type) {
		case P:
			p = float64(o)
		case Training:
			training = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	checkProbability(op, "P", p)
	return p, training
}

func checkProbability(op, arg string, p float64) {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a probability between 0 and 1, got %v", p)))
	}
}

// Dropout sets each element to 0 with probability P and divides the others by 1
// - P, in input's shape. The result is a new tensor. With Training(false) it is
// a new handle of input, which shares its memory. Random numbers come from the
// device's default generator in PyTorch's order. It panics with ErrValue unless
// 0 <= P <= 1. Follows torch.nn.functional.dropout.
func Dropout(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout(input)"
	p, training := readDropout(op, true, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Dropout(r.Ctx, h, p, training))
}

// Dropout2d is [Dropout] of whole channels, for input of shape (N, C, *). It panics
// as Dropout does, and with ErrShape for fewer than two dimensions. Follows
// torch.nn.functional.dropout2d.
func Dropout2d(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout2d(input)"
	p, training := readDropout(op, true, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.FeatureDropout(r.Ctx, h, p, training))
}

// AlphaDropout is [Dropout] for the output of SELU, and keeps its mean and
// variance. It drops only with Training(true). It panics as Dropout does. Follows
// torch.nn.functional.alpha_dropout.
func AlphaDropout(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "AlphaDropout(input)"
	p, training := readDropout(op, false, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AlphaDropout(r.Ctx, h, p, training))
}
