package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A DropoutOption is [P] or [Training].
type DropoutOption interface{ opt.DropoutFunc }

func readDropout(op string, training bool, opts []DropoutOption) (float64, bool) {
	p, t := opt.Read2(op, opts, P(0.5), Training(training))
	mustBeProbability(op, "P", float64(p))
	return float64(p), bool(t)
}

func mustBeProbability(op, arg string, p float64) {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a probability between 0 and 1, got %v", p)))
	}
}

// Dropout sets each element to 0 with probability P and divides the others by 1 - P.
// With Training(false) the result is a new handle of input that shares its memory.
// Random numbers come from the device's default generator in PyTorch's order. It
// panics with ErrValue unless 0 <= P <= 1. Follows torch.nn.functional.dropout.
func Dropout(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout(input)"
	p, training := readDropout(op, true, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Dropout(r.Ctx, h, p, training))
}

// Dropout_ is the in-place form of [Dropout]. It panics as Dropout does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows torch.nn.functional.dropout with inplace=True.
func Dropout_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout_(input)"
	p, training := readDropout(op, true, opts)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Dropout_(cx, h, p, training) }, input)
}

// Dropout1d is [Dropout] of whole channels, for input of shape (N, C, L) or (C, L).
// It panics as Dropout does, and with ErrShape for any other number of dimensions.
// Follows torch.nn.functional.dropout1d.
func Dropout1d(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout1d(input)"
	p, training := readDropout(op, true, opts)
	return dropChannels(op, input, 1, p, training)
}

// Dropout1d_ is the in-place form of [Dropout1d]. It panics as Dropout1d and
// [Dropout_] do. Follows torch.nn.functional.dropout1d with inplace=True.
func Dropout1d_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout1d_(input)"
	p, training := readDropout(op, true, opts)
	return dropChannels_(op, input, 1, p, training)
}

// Dropout2d is [Dropout] of whole channels, for input of shape (N, C, H, W). For
// other shapes (N, C, *) it warns. It panics as Dropout does, and with ErrShape for
// fewer than two dimensions. Follows torch.nn.functional.dropout2d.
func Dropout2d(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout2d(input)"
	p, training := readDropout(op, true, opts)
	warnUnlessImages(op, input)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.FeatureDropout(r.Ctx, h, p, training))
}

// Dropout2d_ is the in-place form of [Dropout2d]. It panics as Dropout2d and
// [Dropout_] do. Follows torch.nn.functional.dropout2d with inplace=True.
func Dropout2d_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout2d_(input)"
	p, training := readDropout(op, true, opts)
	warnUnlessImages(op, input)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.FeatureDropout_(cx, h, p, training) },
		input)
}

// Dropout3d is [Dropout] of whole channels, for input of shape (N, C, D, H, W) or (C,
// D, H, W). For other shapes (C, *) it warns. It panics as Dropout does, and with
// ErrShape for a scalar. Follows torch.nn.functional.dropout3d.
func Dropout3d(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout3d(input)"
	p, training := readDropout(op, true, opts)
	return dropChannels(op, input, 3, p, training)
}

// Dropout3d_ is the in-place form of [Dropout3d]. It panics as Dropout3d and
// [Dropout_] do. Follows torch.nn.functional.dropout3d with inplace=True.
func Dropout3d_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "Dropout3d_(input)"
	p, training := readDropout(op, true, opts)
	return dropChannels_(op, input, 3, p, training)
}

// dropChannels drops whole channels of x, which has n spatial dimensions, one for the
// channels, and optionally one for the batch.
func dropChannels(op string, x *torch.Tensor, n int64, p float64, training bool) *torch.Tensor {
	drop := func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.FeatureDropout(cx, h, p, training) }
	if isBatch(op, x, n) {
		return unary(op, drop, x)
	}
	return unaryClosing(op, unaryClosing(op, unary(op, unsqueezeBatch, x), drop),
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SqueezeDim(cx, h, 0) })
}

// dropChannels_ is the in-place form of dropChannels.
func dropChannels_(op string, x *torch.Tensor, n int64, p float64, training bool) *torch.Tensor {
	batch := x
	if !isBatch(op, x, n) {
		batch = unary(op, unsqueezeBatch, x)
		defer func() { _ = batch.Close() }()
	}
	unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.FeatureDropout_(cx, h, p, training) }, batch)
	return x
}

// isBatch reports whether x has a batch dimension besides its channels and n spatial
// dimensions. If x has neither n+1 nor n+2 dimensions, isBatch panics in Dropout1d and
// warns in Dropout3d.
func isBatch(op string, x *torch.Tensor, n int64) bool {
	x.HandleFor(op, 0)
	d := x.Dim()
	switch {
	case d == n+1 || d == n+2:
	case n == 1:
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, x.Shape())))
	default:
		warnDimensions("dropout3d", d)
	}
	return d == n+2
}

// warnDimensions warns of an unexpected number of dimensions, as PyTorch does.
func warnDimensions(name string, d int64) {
	cgotorch.Warn(fmt.Sprintf("%[1]s: Received a %[2]d-D input to %[1]s, which is deprecated and will result in an "+
		"error in a future release. "+
		"To retain the behavior and silence this warning, please use dropout instead.", name, d))
}

// warnUnlessImages warns if the input of Dropout2d is not a batch of images.
func warnUnlessImages(op string, x *torch.Tensor) {
	x.HandleFor(op, 0)
	switch d := x.Dim(); d {
	case 4:
	case 3:
		cgotorch.Warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout " +
			"behavior is desired - input is " +
			"interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future " +
			"release to interpret the input " +
			"as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise dropout " +
			"behavior, please switch to using " +
			"dropout1d instead.")
	default:
		warnDimensions("dropout2d", d)
	}
}

func unsqueezeBatch(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Unsqueeze(cx, h, 0) }

// AlphaDropout is [Dropout] for the outputs of SELU: it keeps their mean and
// variance. It drops only with Training(true). It panics as Dropout does.
// Follows torch.nn.functional.alpha_dropout.
func AlphaDropout(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "AlphaDropout(input)"
	p, training := readDropout(op, false, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AlphaDropout(r.Ctx, h, p, training))
}

// AlphaDropout_ is the in-place form of [AlphaDropout]. It panics as [Dropout_] does.
// Follows torch.nn.functional.alpha_dropout with inplace=True.
func AlphaDropout_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "AlphaDropout_(input)"
	p, training := readDropout(op, false, opts)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.AlphaDropout_(cx, h, p, training) },
		input)
}

// FeatureAlphaDropout is [AlphaDropout] of whole channels, for input of shape (N,
// C, *). It drops only with Training(true). It panics as Dropout does, and with
// ErrShape for fewer than two dimensions.
// Follows torch.nn.functional.feature_alpha_dropout.
func FeatureAlphaDropout(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "FeatureAlphaDropout(input)"
	p, training := readDropout(op, false, opts)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.FeatureAlphaDropout(cx, h, p, training) },
		input)
}

// FeatureAlphaDropout_ is the in-place form of [FeatureAlphaDropout]. It panics as
// FeatureAlphaDropout and [Dropout_] do.
// Follows torch.nn.functional.feature_alpha_dropout with inplace=True.
func FeatureAlphaDropout_(input *torch.Tensor, opts ...DropoutOption) *torch.Tensor {
	const op = "FeatureAlphaDropout_(input)"
	p, training := readDropout(op, false, opts)
	return unary_(op,
		func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.FeatureAlphaDropout_(cx, h, p, training) }, input)
}
