// Package utils holds helpers for training loops, as torch.nn.utils.
package utils

import (
	"fmt"
	"math"
	"runtime"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// ClipOptions are the rarer arguments of [ClipGradNorm].
type ClipOptions struct {
	NormType         float64 // 0: 2; math.Inf(1) is the largest element
	ErrorIfNonfinite bool    // panic with ErrValue instead of scaling by NaN or 0
}

// ClipGradNorm scales the gradients of params in place so that the norm of all
// of them together is at most maxNorm, and returns what it was before, a
// scalar tensor. Parameters without a gradient are skipped. It is one call into
// libtorch. It panics with ErrValue for a negative maxNorm. Follows
// torch.nn.utils.clip_grad_norm_.
func ClipGradNorm(params []*torch.Tensor, maxNorm float64, opts ...ClipOptions) *torch.Tensor {
	const op = "ClipGradNorm(parameters)"
	var o ClipOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	if o.NormType == 0 {
		o.NormType = 2
	}
	if !(maxNorm >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "maxNorm", fmt.Sprintf("expected a number that is not negative, got %v", maxNorm)))
	}
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	norm := r.Tensor(native.ClipGradNorm(r.Ctx, hs, maxNorm, o.NormType, o.ErrorIfNonfinite))
	runtime.KeepAlive(params)
	return norm
}

// GradNorm returns the norm of the gradients of params together: normType 2 is
// the usual one, math.Inf(1) the largest element. Follows
// torch.nn.utils.get_total_norm of the gradients.
func GradNorm(params []*torch.Tensor, normType float64) *torch.Tensor {
	const op = "GradNorm(parameters)"
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	norm := r.Tensor(native.GradNorm(r.Ctx, hs, normType))
	runtime.KeepAlive(params)
	return norm
}

// ClipGradValue limits every element of the gradients of params to [-limit,
// limit], in place. It panics with ErrValue for a negative limit. Follows
// torch.nn.utils.clip_grad_value_.
func ClipGradValue(params []*torch.Tensor, limit float64) {
	const op = "ClipGradValue(parameters)"
	if !(limit >= 0) || math.IsInf(limit, 0) {
		panic(torch.NewError(op, torch.ErrValue, "limit", fmt.Sprintf("expected a number that is not negative, got %v", limit)))
	}
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	st := native.ClipGradValue(r.Ctx, hs, limit)
	r.Status(st)
	runtime.KeepAlive(params)
}
