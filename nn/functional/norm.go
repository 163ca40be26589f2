package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// defaultEps is what the normalizations add to a variance.
const defaultEps = 1e-5

// LayerNorm normalizes x over its last dimensions, whose sizes are shape, to
// mean 0 and variance 1, then multiplies by weight and adds bias, each of that
// shape or nil. eps is added to the variance, 1e-5 if it is not given. It panics
// with ErrShape if x does not end in shape. Follows
// torch.nn.functional.layer_norm.
func LayerNorm(x *torch.Tensor, shape torch.Shape, weight, bias *torch.Tensor, eps ...float64) *torch.Tensor {
	const op = "LayerNorm(input, weight, bias)"
	e := numberOr(op, eps, defaultEps)
	h, w, b := x.HandleFor(op, 0), weight.OptionalHandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.LayerNorm(r.Ctx, h, shape, w, b, e, true), x, weight, bias)
}

// RMSNorm divides x by the root of the mean square over its last dimensions,
// whose sizes are shape, and multiplies by weight, of that shape or nil. eps is
// added to the mean square, the machine epsilon of x's dtype if it is not given.
// Follows torch.nn.functional.rms_norm.
func RMSNorm(x *torch.Tensor, shape torch.Shape, weight *torch.Tensor, eps ...float64) *torch.Tensor {
	const op = "RMSNorm(input, weight)"
	var e *float64
	if len(eps) > 0 {
		e = new(option(op, eps))
	}
	h, w := x.HandleFor(op, 0), weight.OptionalHandleFor(op, 1)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.RmsNorm(r.Ctx, h, shape, w, e), x, weight)
}

// GroupNorm normalizes x of shape (N, C, *) over each of the given number of
// groups of channels; weight and bias are (C) or nil. eps is added to the
// variance, 1e-5 if it is not given. Follows torch.nn.functional.group_norm.
func GroupNorm(x *torch.Tensor, groups int64, weight, bias *torch.Tensor, eps ...float64) *torch.Tensor {
	const op = "GroupNorm(input, weight, bias)"
	e := numberOr(op, eps, defaultEps)
	h, w, b := x.HandleFor(op, 0), weight.OptionalHandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	if groups <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "groups", "expected a positive number"))
	}
	r := torch.BeginRaw(op)
	return r.Tensor(aten.GroupNorm(r.Ctx, h, groups, w, b, e, true), x, weight, bias)
}

// BatchNormOptions are the arguments of [BatchNorm] beside the statistics.
type BatchNormOptions struct {
	Weight, Bias *torch.Tensor // (C), or nil for 1 and 0
	Training     bool          // use and record the batch's own statistics
	Momentum     *float64      // how much a batch moves the running statistics; nil: 0.1
	Eps          float64       // 0, which PyTorch refuses: 1e-5
}

// BatchNorm normalizes each channel of x, of shape (N, C) or (N, C, *). In
// training the batch's mean and variance are used, and runningMean and
// runningVar, each (C) or nil, move towards them in place; otherwise the
// running statistics are used. It panics with ErrValue if training is given
// one value a channel, and if there are no statistics to use. Follows
// torch.nn.functional.batch_norm.
func BatchNorm(x, runningMean, runningVar *torch.Tensor, o BatchNormOptions) *torch.Tensor {
	const op = "BatchNorm(input, running_mean, running_var, weight, bias)"
	h, m, v := x.HandleFor(op, 0), runningMean.OptionalHandleFor(op, 1), runningVar.OptionalHandleFor(op, 2)
	w, b := o.Weight.OptionalHandleFor(op, 3), o.Bias.OptionalHandleFor(op, 4)
	if o.Training {
		checkBatch(op, x)
	} else if m == 0 || v == 0 {
		panic(torch.NewError(op, torch.ErrValue, "running_mean", "outside training the running statistics are needed"))
	}
	eps := o.Eps
	if eps == 0 {
		eps = defaultEps
	}
	r := torch.BeginRaw(op)
	return r.Tensor(aten.BatchNorm(r.Ctx, h, w, b, m, v, o.Training, orDefault(o.Momentum, 0.1), eps, true),
		x, runningMean, runningVar, o.Weight, o.Bias)
}

func checkBatch(op string, x *torch.Tensor) {
	shape := x.Shape()
	n := int64(1)
	for i, d := range shape {
		if i != 1 {
			n *= d
		}
	}
	if n == 1 {
		panic(torch.NewError(op, torch.ErrValue, "input",
			"expected more than 1 value per channel when training, got input size "+shape.String()))
	}
}
