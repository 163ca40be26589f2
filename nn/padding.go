package nn

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// PadBase holds the fields common to the padding layers. You may assign to its settings:
// Forward and String use the new values.
type PadBase struct {
	Base
	Padding torch.Shape // two numbers for each dimension, starting with the last dimension
}

// buildPadding reads the padding of n dimensions and registers the layer self.
func (p *PadBase) buildPadding(self Module, op string, n int, by any, opts []InitOption) {
	p.Padding = opt.ReadList(op, "padding", by, 2*n)
	p.buildPlain(self, opts)
}

func (p *PadBase) describe() string { return p.Padding.String() }

func (p *PadBase) run(x *torch.Tensor, how ...F.PadOption) *torch.Tensor {
	return F.Pad(x, p.Padding, how...)
}

// runCircular runs circular padding in n dimensions. Its input has n+1 or n+2 dimensions.
func (p *PadBase) runCircular(op string, n int64, x *torch.Tensor) *torch.Tensor {
	_ = x.HandleFor(op+"(input)", 0)
	if d := x.Dim(); d != n+1 && d != n+2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, x.Shape())))
	}
	return p.run(x, F.ModeCircular)
}

// ConstantPadBase holds the fields common to the layers that pad with a constant.
type ConstantPadBase struct {
	PadBase
	Value float64
}

func (p *ConstantPadBase) describe() string {
	return fmt.Sprintf("padding=%v, value=%s", p.Padding, formatValue(p.Value))
}

// formatValue formats a number as the program most likely wrote it, for example 2 or
// 3.5.
func formatValue(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e16 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// ZeroPad1d pads the last dimension with zeros. Follows torch.nn.ZeroPad1d.
type ZeroPad1d struct{ PadBase }

// NewZeroPad1d makes a layer that pads by an int, or by a slice of 2: left and right.
// Negative numbers remove elements. It panics with ErrType or ErrValue for anything
// else. Follows torch.nn.ZeroPad1d.
func NewZeroPad1d(padding any, opts ...InitOption) *ZeroPad1d {
	l := new(ZeroPad1d)
	l.buildPadding(l, "NewZeroPad1d", 1, padding, opts)
	return l
}

// Forward takes x with at least one dimension. It panics as F.Pad does.
func (l *ZeroPad1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x) })
}

// ZeroPad2d pads the last two dimensions with zeros. Follows torch.nn.ZeroPad2d.
type ZeroPad2d struct{ PadBase }

// NewZeroPad2d makes a layer that pads by an int, or by a slice of 4: left, right,
// top and bottom. Negative numbers remove elements. It panics with ErrType or
// ErrValue for anything else. Follows torch.nn.ZeroPad2d.
func NewZeroPad2d(padding any, opts ...InitOption) *ZeroPad2d {
	l := new(ZeroPad2d)
	l.buildPadding(l, "NewZeroPad2d", 2, padding, opts)
	return l
}

// Forward takes x with at least two dimensions. It panics as F.Pad does.
func (l *ZeroPad2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x) })
}

// ZeroPad3d pads the last three dimensions with zeros. Follows torch.nn.ZeroPad3d.
type ZeroPad3d struct{ PadBase }

// NewZeroPad3d makes a layer that pads by an int, or by a slice of 6: left, right,
// top, bottom, front and back. Negative numbers remove elements. It panics with
// ErrType or ErrValue for anything else. Follows torch.nn.ZeroPad3d.
func NewZeroPad3d(padding any, opts ...InitOption) *ZeroPad3d {
	l := new(ZeroPad3d)
	l.buildPadding(l, "NewZeroPad3d", 3, padding, opts)
	return l
}

// Forward takes x with at least three dimensions. It panics as F.Pad does.
func (l *ZeroPad3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x) })
}

// ConstantPad1d pads the last dimension with a value. Follows torch.nn.ConstantPad1d.
type ConstantPad1d struct{ ConstantPadBase }

// NewConstantPad1d makes a layer that pads by an int, or by a slice of 2: left and
// right, with the value v. Negative numbers remove elements. It panics with ErrType
// or ErrValue for anything else. Follows torch.nn.ConstantPad1d.
func NewConstantPad1d(padding any, v float64, opts ...InitOption) *ConstantPad1d {
	l := new(ConstantPad1d)
	l.Value = v
	l.buildPadding(l, "NewConstantPad1d", 1, padding, opts)
	return l
}

// Forward takes x with at least one dimension. It panics as F.Pad does.
func (l *ConstantPad1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.Value(l.Value)) })
}

// ConstantPad2d pads the last two dimensions with a value.
// Follows torch.nn.ConstantPad2d.
type ConstantPad2d struct{ ConstantPadBase }

// NewConstantPad2d makes a layer that pads by an int, or by a slice of 4: left,
// right, top and bottom, with the value v. Negative numbers remove elements. It
// panics with ErrType or ErrValue for anything else. Follows torch.nn.ConstantPad2d.
func NewConstantPad2d(padding any, v float64, opts ...InitOption) *ConstantPad2d {
	l := new(ConstantPad2d)
	l.Value = v
	l.buildPadding(l, "NewConstantPad2d", 2, padding, opts)
	return l
}

// Forward takes x with at least two dimensions. It panics as F.Pad does.
func (l *ConstantPad2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.Value(l.Value)) })
}

// ConstantPad3d pads the last three dimensions with a value.
// Follows torch.nn.ConstantPad3d.
type ConstantPad3d struct{ ConstantPadBase }

// NewConstantPad3d makes a layer that pads by an int, or by a slice of 6: left,
// right, top, bottom, front and back, with the value v. Negative numbers remove
// elements. It panics with ErrType or ErrValue for anything else.
// Follows torch.nn.ConstantPad3d.
func NewConstantPad3d(padding any, v float64, opts ...InitOption) *ConstantPad3d {
	l := new(ConstantPad3d)
	l.Value = v
	l.buildPadding(l, "NewConstantPad3d", 3, padding, opts)
	return l
}

// Forward takes x with at least three dimensions. It panics as F.Pad does.
func (l *ConstantPad3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run(x, F.Value(l.Value)) })
}
