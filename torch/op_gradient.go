package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file computes numerical gradients of sampled functions.

// Spacing is the distance between neighboring samples in all dimensions. The default is
// 1. It is spacing in Python.
type Spacing float64

// Spacings are the distances in each dimension for [Tensor.Gradient], for example
// Spacings{2, 0.5}.
type Spacings []float64

// SpacingTensors are the positions of the samples in each dimension for
// [Tensor.Gradient]: vectors with one number for each sample.
type SpacingTensors []*Tensor

// EdgeOrder is the order of the estimate at both ends, 1 or 2. The default is
// 1. It is edge_order in Python.
type EdgeOrder int64

// A GradientOption is an option of [Tensor.Gradient]: [Spacing], [Spacings] or
// [SpacingTensors], [Dim] or [Dims], or [EdgeOrder].
//
//gotorch:options Spacing Spacings SpacingTensors EdgeOrder Dim Dims
type GradientOption interface{ gradientOption() }

// Gradient uses central differences to estimate the gradient of a function whose samples
// are in t. It returns a tensor of t's shape for each dimension in [Dim] or [Dims]
// (default all dimensions). Gradients flow back. It panics with ErrIndex for a dimension
// out of range. It panics with ErrShape or ErrRuntime for a repeated dimension, for a
// dimension with at most [EdgeOrder] samples, and for SpacingTensors of the wrong shape.
// It panics with ErrValue for an invalid EdgeOrder or a wrong number of spacings, and
// with ErrDType or ErrRuntime for bools. Follows torch.gradient.
func (t *Tensor) Gradient(opts ...GradientOption) []*Tensor {
	const op = "Gradient(self)"
	h := t.handle(op, 0)
	along, order := along{dtype: -1}, int64(1)
	spacing := Spacing(1)
	var each Spacings
	var places SpacingTensors
	for _, o := range opts {
		switch o := o.(type) {
		case Spacing:
			spacing, each, places = o, nil, nil
		case Spacings:
			each, places = o, nil
		case SpacingTensors:
			each, places = nil, o
		case EdgeOrder:
			order = int64(o)
		default:
			if !along.take(o) {
				panic(badOption(op, o))
			}
		}
	}
	if order != 1 && order != 2 {
		panic(argError(op, ErrValue, "EdgeOrder", fmt.Sprintf("expected 1 or 2, got %d", order)))
	}
	dims := along.list()
	if each == nil && places == nil {
		return list(op, t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
			if dims == nil {
				return aten.GradientScalarint(cx, h, wholeScalar(float64(spacing)), nil, order)
			}
			return aten.GradientScalararray(cx, h, wholeScalar(float64(spacing)), dims, order)
		})
	}
	t.checkSpacings(op, len(each)+len(places), dims)
	if places == nil {
		numbers := make([]abi.Scalar, len(each))
		for i, v := range each {
			numbers[i] = wholeScalar(v)
		}
		return list(op, t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
			if dims == nil {
				return aten.GradientScalarrayint(cx, h, numbers, nil, order)
			}
			return aten.GradientScalarrayarray(cx, h, numbers, dims, order)
		})
	}
	hs := Handles("Gradient(spacing)", places, false)
	t.checkPlaces(op, places, dims)
	r := BeginRaw(op, t)
	r.Use(places...)
	var res []abi.Tensor
	var st abi.Status
	if dims == nil {
		res, st = aten.GradientTensorarrayint(r.Ctx, h, hs, nil, order)
	} else {
		res, st = aten.GradientTensorarray(r.Ctx, h, hs, dims, order)
	}
	r.Status(st)
	return r.WrapAll(res)
}

// checkSpacings panics unless n, the number of spacings, equals the number of
// dimensions.
func (t *Tensor) checkSpacings(op string, n int, dims []int64) {
	want := len(dims)
	if dims == nil {
		want = int(t.Dim())
	}
	if n != want {
		panic(argError(op, ErrValue, "spacing", fmt.Sprintf("expected one spacing for each of %d dimensions, got %d",
			want, n)))
	}
}

// checkPlaces panics unless places has one position for each sample. libtorch does not check this.
func (t *Tensor) checkPlaces(op string, places []*Tensor, dims []int64) {
	shape := t.Shape()
	for i, p := range places {
		d := int64(i)
		if dims != nil {
			d = dims[i]
		}
		if d < 0 {
			d += int64(len(shape))
		}
		if d < 0 || d >= int64(len(shape)) {
			continue // the dimension is out of range, which libtorch reports
		}
		if got := p.Shape(); len(got) != 1 || got[0] != shape[d] {
			panic(argError(op, ErrShape, "spacing",
				fmt.Sprintf("expected a vector of length %d for dimension %d, got size %v", shape[d], d, got)))
		}
	}
}
