// Package nnutil provides helpers for training loops, as torch.nn.utils does.
package nnutil

import (
	"fmt"
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A GradNormOption says how a gradient norm is computed: [NormType], [ErrorIfNonfinite],
// [Foreach].
//
//gotorch:options NormType ErrorIfNonfinite Foreach
type GradNormOption interface{ gradNormOption() }

// A ClipValueOption is [Foreach].
//
//gotorch:options Foreach
type ClipValueOption interface{ clipValueOption() }

// NormType is the exponent of the norm. The default is 2. math.Inf(1) gives the
// largest element.
type NormType float64

// ErrorIfNonfinite says whether to panic with ErrValue if the norm is not finite. The default is
// false.
type ErrorIfNonfinite bool

// Foreach says whether each call processes many gradients instead of one. The default is
// true on every device; Python's None is true only on CUDA. On the CPU both values give
// the same bits, on other devices the same results up to rounding.
type Foreach bool

// gradNormArgs holds the values of GradNormOptions.
type gradNormArgs struct {
	normType                  float64
	errorIfNonfinite, foreach bool
}

func readGradNorm(op string, opts []GradNormOption) gradNormArgs {
	p, finite, foreach := opt.Read3(op, opts, NormType(2), ErrorIfNonfinite(false), Foreach(true))
	return gradNormArgs{normType: float64(p), errorIfNonfinite: bool(finite), foreach: bool(foreach)}
}

func readClipValue(op string, opts []ClipValueOption) (foreach bool) {
	return bool(opt.Read(op, opts, Foreach(true)))
}

// mustNotBeNegative panics if the largest norm is negative or NaN.
func mustNotBeNegative(op string, maxNorm float64) {
	if !(maxNorm >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "maxNorm",
			fmt.Sprintf("expected a number that is not negative, got %v", maxNorm)))
	}
}

// ClipGradNorm_ scales the gradients of params in place so that their total norm is at
// most maxNorm. It returns the norm before clipping, a new scalar tensor. Parameters
// without a gradient are skipped.
//
// It panics with ErrNil or ErrClosed for a nil or closed parameter, and with ErrValue for a
// negative maxNorm. With [ErrorIfNonfinite] it also panics with ErrValue for a norm that is not
// finite. If it runs out of memory, no gradient has changed, unless the gradients have both 16-bit
// and other dtypes. Follows torch.nn.utils.clip_grad_norm_.
func ClipGradNorm_(params []*torch.Tensor, maxNorm float64, opts ...GradNormOption) *torch.Tensor {
	const op = "ClipGradNorm_(params)"
	a := readGradNorm(op, opts)
	mustNotBeNegative(op, maxNorm)
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	r.Use(params...)
	norm := r.Tensor(native.ClipGradNorm(r.Ctx, hs, maxNorm, a.normType, a.errorIfNonfinite, a.foreach))
	return norm
}

// GradNorm returns the total norm of the gradients of params, a new scalar tensor.
// Parameters without a gradient are skipped. It panics as [ClipGradNorm_] does.
// Follows torch.nn.utils.get_total_norm, applied to the gradients.
func GradNorm(params []*torch.Tensor, opts ...GradNormOption) *torch.Tensor {
	const op = "GradNorm(params)"
	a := readGradNorm(op, opts)
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	r.Use(params...)
	norm := r.Tensor(native.GradNorm(r.Ctx, hs, a.normType, a.errorIfNonfinite, a.foreach))
	return norm
}

// ClipGradValue_ limits every element of the gradients of params to [-limit,
// limit], in place. Parameters without a gradient are skipped. It panics with
// ErrNil or ErrClosed for a nil or closed parameter and with ErrValue for a limit that
// is negative or not finite. Follows torch.nn.utils.clip_grad_value_.
func ClipGradValue_(params []*torch.Tensor, limit float64, opts ...ClipValueOption) {
	const op = "ClipGradValue_(params)"
	foreach := readClipValue(op, opts)
	if !(limit >= 0) || math.IsInf(limit, 0) {
		panic(torch.NewError(op, torch.ErrValue, "limit",
			fmt.Sprintf("expected a finite number that is not negative, got %v", limit)))
	}
	hs := torch.Handles(op, params, false)
	r := torch.BeginRaw(op)
	r.Use(params...)
	st := native.ClipGradValue(r.Ctx, hs, limit, foreach)
	r.Status(st)
}
