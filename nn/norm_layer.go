package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// LayerNorm normalizes over the last dimensions. Follows torch.nn.LayerNorm.
type LayerNorm struct {
	Base
	Weight            *torch.Tensor // of the normalized shape, or nil
	Bias              *torch.Tensor // of the normalized shape, or nil
	NormalizedShape   torch.Shape
	Eps               float64
	ElementwiseAffine bool
}

// NewLayerNorm makes a LayerNorm over the last dimensions, which have the sizes in
// shape. It panics with ErrValue for a size that is negative or too large.
// Follows torch.nn.LayerNorm.
func NewLayerNorm(shape torch.Shape, opts ...LayerNormOption) *LayerNorm {
	const op = "NewLayerNorm"
	l := &LayerNorm{NormalizedShape: slices.Clone(shape), Eps: defaultEps, ElementwiseAffine: true}
	bias := true
	var maker paramMaker
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			l.Eps = float64(o)
		case ElementwiseAffine:
			l.ElementwiseAffine = bool(o)
		case Bias:
			bias = bool(o)
		default:
			maker.read(op, o)
		}
	}
	maker.setSizes(op, sizesOf("shape", shape)...)
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.onesIf(l.ElementwiseAffine, shape...))
	l.parameter("bias", &l.Bias, maker.zerosIf(l.ElementwiseAffine && bias, shape...))
	maker.as.register(l)
	returned = true
	return l
}

func (l *LayerNorm) describe() string {
	return fmt.Sprintf("%v, eps=%s, elementwise_affine=%s", l.NormalizedShape, tensorfmt.PyFloat(l.Eps),
		tensorfmt.PyBool(l.ElementwiseAffine))
}

// ResetParameters resets Weight and Bias to the initial values.
// Follows reset_parameters.
func (l *LayerNorm) ResetParameters() {
	mustBeMade("LayerNorm.ResetParameters", l)
	resetAffine(l.Weight, l.Bias)
}

// Forward takes x whose shape ends in the normalized shape. It panics with ErrShape
// for any other shape.
func (l *LayerNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.LayerNorm(x, l.NormalizedShape, l.Weight, l.Bias, F.Eps(l.Eps))
	})
}

// RMSNorm divides by the root of the mean square over the last dimensions.
// Follows torch.nn.RMSNorm.
type RMSNorm struct {
	Base
	Weight            *torch.Tensor // of the normalized shape, or nil
	NormalizedShape   torch.Shape
	Eps               *float64 // nil, None in Python, stands for the default of F.RMSNorm
	ElementwiseAffine bool
}

// NewRMSNorm makes an RMSNorm over the last dimensions, which have the sizes in
// shape. It panics with ErrValue for a size that is negative or too large.
// Follows torch.nn.RMSNorm.
func NewRMSNorm(shape torch.Shape, opts ...RMSNormOption) *RMSNorm {
	const op = "NewRMSNorm"
	l := &RMSNorm{NormalizedShape: slices.Clone(shape), ElementwiseAffine: true}
	var maker paramMaker
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			l.Eps = new(float64(o))
		case ElementwiseAffine:
			l.ElementwiseAffine = bool(o)
		default:
			maker.read(op, o)
		}
	}
	maker.setSizes(op, sizesOf("shape", shape)...)
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.onesIf(l.ElementwiseAffine, shape...))
	maker.as.register(l)
	returned = true
	return l
}

func (l *RMSNorm) describe() string {
	eps := "None"
	if l.Eps != nil {
		eps = tensorfmt.PyFloat(*l.Eps)
	}
	return fmt.Sprintf("%v, eps=%s, elementwise_affine=%s", l.NormalizedShape, eps,
		tensorfmt.PyBool(l.ElementwiseAffine))
}

// ResetParameters resets Weight to the initial values. Follows reset_parameters.
func (l *RMSNorm) ResetParameters() {
	mustBeMade("RMSNorm.ResetParameters", l)
	resetAffine(l.Weight, nil)
}

// Forward takes x whose shape ends in the normalized shape. It panics with ErrShape
// for any other shape.
func (l *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Eps == nil {
			return F.RMSNorm(x, l.NormalizedShape, l.Weight)
		}
		return F.RMSNorm(x, l.NormalizedShape, l.Weight, F.Eps(*l.Eps))
	})
}

// GroupNorm normalizes over groups of channels. Follows torch.nn.GroupNorm.
type GroupNorm struct {
	Base
	Weight                 *torch.Tensor // shape (C), or nil
	Bias                   *torch.Tensor // shape (C), or nil
	NumGroups, NumChannels int64
	Eps                    float64
	Affine                 bool
}

// NewGroupNorm makes a GroupNorm. It panics with ErrValue unless groups divides
// channels, and if channels is negative or too large. Follows torch.nn.GroupNorm.
func NewGroupNorm(groups, channels int64, opts ...GroupNormOption) *GroupNorm {
	const op = "NewGroupNorm"
	var maker paramMaker
	eps, affine := opt.ReadOr2(op, opts, maker.read, Eps(defaultEps), Affine(true))
	l := &GroupNorm{NumGroups: groups, NumChannels: channels, Eps: float64(eps), Affine: bool(affine)}
	maker.setSizes(op, size{"channels", channels})
	if groups <= 0 || channels%groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "groups", fmt.Sprintf(
			"expected a divisor of the %[2]d channels, got %[1]d", groups, channels)))
	}
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.onesIf(l.Affine, channels))
	l.parameter("bias", &l.Bias, maker.zerosIf(l.Affine, channels))
	maker.as.register(l)
	returned = true
	return l
}

func (l *GroupNorm) describe() string {
	return fmt.Sprintf("%d, %d, eps=%s, affine=%s", l.NumGroups, l.NumChannels, tensorfmt.PyFloat(l.Eps),
		tensorfmt.PyBool(l.Affine))
}

// ResetParameters resets Weight and Bias to the initial values.
// Follows reset_parameters.
func (l *GroupNorm) ResetParameters() {
	mustBeMade("GroupNorm.ResetParameters", l)
	resetAffine(l.Weight, l.Bias)
}

// Forward takes x of shape (N, C, *). It panics with ErrShape for any other number of
// channels.
func (l *GroupNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.GroupNorm(x, l.NumGroups, l.Weight, l.Bias, F.Eps(l.Eps))
	})
}
