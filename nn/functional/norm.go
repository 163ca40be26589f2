package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// defaultEps is the number that most normalizations add to the variance.
const defaultEps = 1e-5

// A NormOption is [Eps].
type NormOption interface{ opt.NormFunc }

func readEps(op string, opts []NormOption) (eps float64, ok bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			eps, ok = float64(o), true
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return eps, ok
}

// LayerNorm normalizes input over its last dimensions, which have the sizes in shape, to
// mean 0 and variance 1. Then it multiplies by weight and adds bias, each of that shape
// or nil. [Eps], 1e-5 by default, is added to the variance. The result has input's shape.
// It panics with ErrShape if input's shape does not end in these sizes and with ErrDType
// for integers. Follows torch.nn.functional.layer_norm.
func LayerNorm(input *torch.Tensor, shape torch.Shape, weight, bias *torch.Tensor, opts ...NormOption) *torch.Tensor {
	const op = "LayerNorm(input, weight, bias)"
	eps, ok := readEps(op, opts)
	if !ok {
		eps = defaultEps
	}
	h, w, b := input.HandleFor(op, 0), weight.OptionalHandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.LayerNorm(r.Ctx, h, shape, w, b, eps, true))
}

// RMSNorm divides input by the root of the mean square over its last dimensions,
// which have the sizes in shape, and multiplies by weight, of that shape or nil.
// [Eps], by default the machine epsilon of input's dtype, is added to the mean
// square. The result has input's shape. It panics as [LayerNorm] does.
// Follows torch.nn.functional.rms_norm.
func RMSNorm(input *torch.Tensor, shape torch.Shape, weight *torch.Tensor, opts ...NormOption) *torch.Tensor {
	const op = "RMSNorm(input, weight)"
	eps, ok := readEps(op, opts)
	h, w := input.HandleFor(op, 0), weight.OptionalHandleFor(op, 1)
	r := torch.BeginRaw(op, input, weight)
	return r.Tensor(aten.RmsNorm(r.Ctx, h, shape, w, orNil(ok, &eps)))
}

// GroupNorm splits the channels of input, which has shape (N, C, *), into groups and
// normalizes over each group. weight and bias are (C) or nil. [Eps], 1e-5 by default,
// is added to the variance. The result has input's shape. It panics with ErrValue if
// groups is not positive or a group has only one value, with ErrShape if groups does
// not divide C or input has fewer than two dimensions, and with ErrDType for integers.
// Follows torch.nn.functional.group_norm.
func GroupNorm(input *torch.Tensor, groups int64, weight, bias *torch.Tensor, opts ...NormOption) *torch.Tensor {
	const op = "GroupNorm(input, weight, bias)"
	eps, ok := readEps(op, opts)
	if !ok {
		eps = defaultEps
	}
	h, w, b := input.HandleFor(op, 0), weight.OptionalHandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	if groups <= 0 {
		panic(torch.NewError(op, torch.ErrValue, "groups", fmt.Sprintf("expected a positive number, got %d", groups)))
	}
	if d := input.Dim(); d < 2 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected 2 dimensions or more, got %d", d)))
	}
	if input.Numel() == groups { // each group has only one value
		panic(torch.NewError(op, torch.ErrValue, "input",
			"expected more than 1 value in each group, got input size "+input.Shape().String()))
	}
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.GroupNorm(r.Ctx, h, groups, w, b, eps, true))
}

// A BatchNormOption is an option of [BatchNorm]: [Training], [Momentum] or
// [Eps].
type BatchNormOption interface{ opt.BatchNormFunc }

// BatchNorm normalizes each channel of input, of shape (N, C) or (N, C, *). Then it
// multiplies by weight and adds bias, each (C) or nil. With Training(true) it uses
// the mean and variance of the batch, and updates runningMean and runningVar, each
// (C) or nil, in place. Otherwise it uses the running statistics. [Eps], 1e-5 by
// default, is added to the variance. The result has input's shape. It panics with
// ErrValue for an Eps that is not positive, in training if there is only one value
// per channel, and outside training if there are no running statistics.
// Follows torch.nn.functional.batch_norm.
func BatchNorm(input, runningMean, runningVar, weight, bias *torch.Tensor, opts ...BatchNormOption) *torch.Tensor {
	const op = "BatchNorm(input, runningMean, runningVar, weight, bias)"
	training, momentum, eps := opt.Read3(op, opts, Training(false), Momentum(0.1), Eps(defaultEps))
	h, m, v := input.HandleFor(op, 0), runningMean.OptionalHandleFor(op, 1), runningVar.OptionalHandleFor(op, 2)
	w, b := weight.OptionalHandleFor(op, 3), bias.OptionalHandleFor(op, 4)
	if !(eps > 0) {
		panic(torch.NewError(op, torch.ErrValue, "Eps", fmt.Sprintf("expected a positive number, got %v", eps)))
	}
	if training {
		mustFitBatch(op, input)
	} else if m == 0 || v == 0 {
		panic(torch.NewError(op, torch.ErrValue, "runningMean",
			"runningMean and runningVar are needed when training is false"))
	}
	r := torch.BeginRaw(op,
		input, runningMean, runningVar, weight, bias)
	return r.Tensor(aten.BatchNorm(r.Ctx, h, w, b, m, v, bool(training), float64(momentum), float64(eps), true))
}

func mustFitBatch(op string, x *torch.Tensor) {
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

// An InstanceNormOption is an option of [InstanceNorm]: [UseInputStats],
// [Momentum] or [Eps].
type InstanceNormOption interface{ opt.InstanceNormFunc }

// InstanceNorm normalizes each channel of each example in input, of shape (N, C, *).
// Then it multiplies by weight and adds bias, each (C) or nil. It uses the statistics
// of the input, and updates runningMean and runningVar, each (C) or nil, in place.
// With UseInputStats(false) it uses the running statistics instead. [Eps], 1e-5 by
// default, is added to the variance. The result has input's shape. It panics with
// ErrValue if there is only one value per channel, and if the running statistics are
// used but not given. Follows torch.nn.functional.instance_norm.
func InstanceNorm(input, runningMean, runningVar, weight, bias *torch.Tensor,
	opts ...InstanceNormOption,
) *torch.Tensor {
	const op = "InstanceNorm(input, runningMean, runningVar, weight, bias)"
	useInput, momentum, eps := opt.Read3(op, opts, UseInputStats(true), Momentum(0.1), Eps(defaultEps))
	h, m, v := input.HandleFor(op, 0), runningMean.OptionalHandleFor(op, 1), runningVar.OptionalHandleFor(op, 2)
	w, b := weight.OptionalHandleFor(op, 3), bias.OptionalHandleFor(op, 4)
	if d := input.Dim(); d < 3 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected 3 dimensions or more, got %d", d)))
	}
	if (m == 0) != (v == 0) || !useInput && m == 0 {
		panic(torch.NewError(op, torch.ErrValue, "runningMean",
			"give both runningMean and runningVar, or neither with UseInputStats(true)"))
	}
	if useInput {
		mustFitInstance(op, input)
	}
	r := torch.BeginRaw(op,
		input, runningMean, runningVar, weight, bias)
	return r.Tensor(aten.InstanceNorm(r.Ctx, h, w, b, m, v, bool(useInput), float64(momentum), float64(eps), true))
}

func mustFitInstance(op string, x *torch.Tensor) {
	shape := x.Shape()
	n := int64(1)
	for _, d := range shape[2:] {
		n *= d
	}
	if n == 1 {
		panic(torch.NewError(op, torch.ErrValue, "input",
			"expected more than 1 spatial element, got input size "+shape.String()))
	}
}
