package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// ReflectionPad1d pads with the mirror image of the input.
// Follows torch.nn.ReflectionPad1d.
type ReflectionPad1d struct{ PadBase }

// NewReflectionPad1d makes a layer that pads by an int, or by a slice of 2: left and
// right. Negative numbers remove elements. It panics with ErrType or ErrValue for
// anything else. Follows torch.nn.ReflectionPad1d.
func NewReflectionPad1d(padding any, opts ...InitOption) *ReflectionPad1d {
	l := new(ReflectionPad1d)
	l.buildPadding(l, "NewReflectionPad1d", 1, padding, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.Pad does.
func (l *ReflectionPad1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReflect) })
}

// ReflectionPad2d pads with the mirror image of the input.
// Follows torch.nn.ReflectionPad2d.
type ReflectionPad2d struct{ PadBase }

// NewReflectionPad2d makes a layer that pads by an int, or by a slice of 4: left,
// right, top and bottom. Negative numbers remove elements. It panics with ErrType or
// ErrValue for anything else. Follows torch.nn.ReflectionPad2d.
func NewReflectionPad2d(padding any, opts ...InitOption) *ReflectionPad2d {
	l := new(ReflectionPad2d)
	l.buildPadding(l, "NewReflectionPad2d", 2, padding, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.Pad does.
func (l *ReflectionPad2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReflect) })
}

// ReflectionPad3d pads with the mirror image of the input.
// Follows torch.nn.ReflectionPad3d.
type ReflectionPad3d struct{ PadBase }

// NewReflectionPad3d makes a layer that pads by an int, or by a slice of 6: left,
// right, top, bottom, front and back. Negative numbers remove elements. It panics
// with ErrType or ErrValue for anything else. Follows torch.nn.ReflectionPad3d.
func NewReflectionPad3d(padding any, opts ...InitOption) *ReflectionPad3d {
	l := new(ReflectionPad3d)
	l.buildPadding(l, "NewReflectionPad3d", 3, padding, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as F.Pad
// does.
func (l *ReflectionPad3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReflect) })
}

// ReplicationPad1d pads with the values at the edges.
// Follows torch.nn.ReplicationPad1d.
type ReplicationPad1d struct{ PadBase }

// NewReplicationPad1d makes a layer that pads by an int, or by a slice of 2: left and
// right. Negative numbers remove elements. It panics with ErrType or ErrValue for
// anything else. Follows torch.nn.ReplicationPad1d.
func NewReplicationPad1d(padding any, opts ...InitOption) *ReplicationPad1d {
	l := new(ReplicationPad1d)
	l.buildPadding(l, "NewReplicationPad1d", 1, padding, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.Pad does.
func (l *ReplicationPad1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReplicate) })
}

// ReplicationPad2d pads with the values at the edges.
// Follows torch.nn.ReplicationPad2d.
type ReplicationPad2d struct{ PadBase }

// NewReplicationPad2d makes a layer that pads by an int, or by a slice of 4: left,
// right, top and bottom. Negative numbers remove elements. It panics with ErrType or
// ErrValue for anything else. Follows torch.nn.ReplicationPad2d.
func NewReplicationPad2d(padding any, opts ...InitOption) *ReplicationPad2d {
	l := new(ReplicationPad2d)
	l.buildPadding(l, "NewReplicationPad2d", 2, padding, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.Pad does.
func (l *ReplicationPad2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReplicate) })
}

// ReplicationPad3d pads with the values at the edges.
// Follows torch.nn.ReplicationPad3d.
type ReplicationPad3d struct{ PadBase }

// NewReplicationPad3d makes a layer that pads by an int, or by a slice of 6: left,
// right, top, bottom, front and back. Negative numbers remove elements. It panics
// with ErrType or ErrValue for anything else. Follows torch.nn.ReplicationPad3d.
func NewReplicationPad3d(padding any, opts ...InitOption) *ReplicationPad3d {
	l := new(ReplicationPad3d)
	l.buildPadding(l, "NewReplicationPad3d", 3, padding, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as F.Pad
// does.
func (l *ReplicationPad3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.ModeReplicate) })
}

// CircularPad1d pads each end with the values at the opposite end.
// Follows torch.nn.CircularPad1d.
type CircularPad1d struct{ PadBase }

// NewCircularPad1d makes a layer that pads by an int, or by a slice of 2: left and
// right. Negative numbers remove elements. It panics with ErrType or ErrValue for
// anything else. Follows torch.nn.CircularPad1d.
func NewCircularPad1d(padding any, opts ...InitOption) *CircularPad1d {
	l := new(CircularPad1d)
	l.buildPadding(l, "NewCircularPad1d", 1, padding, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.Pad does.
func (l *CircularPad1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.runCircular("CircularPad1d", 1, x) })
}

// CircularPad2d pads each end with the values at the opposite end.
// Follows torch.nn.CircularPad2d.
type CircularPad2d struct{ PadBase }

// NewCircularPad2d makes a layer that pads by an int, or by a slice of 4: left,
// right, top and bottom. Negative numbers remove elements. It panics with ErrType or
// ErrValue for anything else. Follows torch.nn.CircularPad2d.
func NewCircularPad2d(padding any, opts ...InitOption) *CircularPad2d {
	l := new(CircularPad2d)
	l.buildPadding(l, "NewCircularPad2d", 2, padding, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.Pad does.
func (l *CircularPad2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.runCircular("CircularPad2d", 2, x) })
}

// CircularPad3d pads each end with the values at the opposite end.
// Follows torch.nn.CircularPad3d.
type CircularPad3d struct{ PadBase }

// NewCircularPad3d makes a layer that pads by an int, or by a slice of 6: left,
// right, top, bottom, front and back. Negative numbers remove elements. It panics
// with ErrType or ErrValue for anything else. Follows torch.nn.CircularPad3d.
func NewCircularPad3d(padding any, opts ...InitOption) *CircularPad3d {
	l := new(CircularPad3d)
	l.buildPadding(l, "NewCircularPad3d", 3, padding, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as F.Pad
// does.
func (l *CircularPad3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.runCircular("CircularPad3d", 3, x) })
}
