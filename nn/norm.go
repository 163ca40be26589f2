package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// LayerNorm normalizes over the last dimensions. Follows torch.nn.LayerNorm.
type LayerNorm struct {
	Base
	Weight *torch.Tensor // of the normalized shape, or nil
	Bias   *torch.Tensor // of the normalized shape, or nil
	shape  torch.Shape
	eps    float64
}

// NewLayerNorm makes a LayerNorm over the last dimensions, whose sizes are
// shape. It panics with ErrValue for a size that is negative or too large, with
// ErrOutOfMemory, and with ErrNil for a nil option. Follows torch.nn.LayerNorm.
func NewLayerNorm(shape torch.Shape, opts ...LayerNormOption) *LayerNorm {
	const op = "NewLayerNorm"
	l := &LayerNorm{shape: slices.Clone(shape), eps: defaultEps}
	affine, bias := true, true
	var made making
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			l.eps = float64(o)
		case ElementwiseAffine:
			affine = bool(o)
		case Bias:
			bias = bool(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, sizesOf("shape", shape)...)
	l.start(l)
	returned := false
	defer made.undo(&l.Base, &returned)
	l.parameter("weight", &l.Weight, made.onesIf(affine, l.shape...))
	l.parameter("bias", &l.Bias, made.zerosIf(affine && bias, l.shape...))
	l.extraf("%v, eps=%s, elementwise_affine=%s", l.shape, tensorfmt.PyFloat(l.eps), tensorfmt.PyBool(affine))
	made.as.register(l)
	returned = true
	return l
}

// ResetParameters resets Weight and Bias to the initial values. Follows
// reset_parameters.
func (l *LayerNorm) ResetParameters() { resetAffine(l.Weight, l.Bias) }

// Forward takes x whose shape ends in the normalized shape. Otherwise it panics
// with ErrShape.
func (l *LayerNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.LayerNorm(x, l.shape, l.Weight, l.Bias, F.Eps(l.eps))
	})
}

// RMSNorm divides by the root of the mean square over the last dimensions.
// Follows torch.nn.RMSNorm.
type RMSNorm struct {
	Base
	Weight *torch.Tensor // of the normalized shape, or nil
	shape  torch.Shape
	eps    []F.NormOption // none: F.RMSNorm's default
}

// NewRMSNorm makes an RMSNorm over the last dimensions, whose sizes are shape.
// It panics with ErrValue for a size that is negative or too large, with
// ErrOutOfMemory, and with ErrNil for a nil option. Follows torch.nn.RMSNorm.
func NewRMSNorm(shape torch.Shape, opts ...RMSNormOption) *RMSNorm {
	const op = "NewRMSNorm"
	l := &RMSNorm{shape: slices.Clone(shape)}
	affine, eps := true, "None"
	var made making
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			l.eps, eps = []F.NormOption{o}, tensorfmt.PyFloat(float64(o))
		case ElementwiseAffine:
			affine = bool(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, sizesOf("shape", shape)...)
	l.start(l)
	returned := false
	defer made.undo(&l.Base, &returned)
	l.parameter("weight", &l.Weight, made.onesIf(affine, l.shape...))
	l.extraf("%v, eps=%s, elementwise_affine=%s", l.shape, eps, tensorfmt.PyBool(affine))
	made.as.register(l)
	returned = true
	return l
}

// ResetParameters resets Weight to the initial values. Follows
// reset_parameters.
func (l *RMSNorm) ResetParameters() { resetAffine(l.Weight, nil) }

// Forward takes x whose shape ends in the normalized shape. Otherwise it panics
// with ErrShape.
func (l *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.RMSNorm(x, l.shape, l.Weight, l.eps...) })
}

// GroupNorm normalizes over groups of channels. Follows torch.nn.GroupNorm.
type GroupNorm struct {
	Base
	Weight *torch.Tensor // (C), or nil
	Bias   *torch.Tensor // (C), or nil
	groups int64
	eps    float64
}

// NewGroupNorm makes a GroupNorm. It panics with ErrValue unless groups divides
// channels, and for channels that are negative or too large, with ErrOutOfMemory,
// and with ErrNil for a nil option. Follows torch.nn.GroupNorm.
func NewGroupNorm(groups, channels int64, opts ...GroupNormOption) *GroupNorm {
	const op = "NewGroupNorm"
	l := &GroupNorm{groups: groups, eps: defaultEps}
	affine := true
	var made making
	for _, o := range opts {
		switch o := o.(type) {
		case Eps:
			l.eps = float64(o)
		case Affine:
			affine = bool(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, size{"channels", channels})
	if groups <= 0 || channels%groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "groups", fmt.Sprintf("%d groups of %d channels", groups, channels)))
	}
	l.start(l)
	returned := false
	defer made.undo(&l.Base, &returned)
	l.parameter("weight", &l.Weight, made.onesIf(affine, channels))
	l.parameter("bias", &l.Bias, made.zerosIf(affine, channels))
	l.extraf("%d, %d, eps=%s, affine=%s", groups, channels, tensorfmt.PyFloat(l.eps), tensorfmt.PyBool(affine))
	made.as.register(l)
	returned = true
	return l
}

// ResetParameters resets Weight and Bias to the initial values. Follows
// reset_parameters.
func (l *GroupNorm) ResetParameters() { resetAffine(l.Weight, l.Bias) }

// Forward takes x of shape (N, C, *). It panics with ErrShape for another
// number of channels.
func (l *GroupNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.GroupNorm(x, l.groups, l.Weight, l.Bias, F.Eps(l.eps))
	})
}
