package nn

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// paramMaker makes the parameters of a layer. It holds the options that all layers with
// parameters accept.
type paramMaker struct {
	dtype  torch.DType
	device torch.Device
	as     Registration

	op   string // the constructor
	args string // the constructor's sizes, for errors
}

// read handles the options that all layers accept.
func (m *paramMaker) read(op string, o any) {
	switch o := o.(type) {
	case Device:
		m.device = torch.Device(o)
		opt.CheckDevice(op, m.device)
	case DType:
		m.dtype = torch.DType(o)
	case Registration:
		m.as = o
	default:
		panic(opt.Unknown(op, o))
	}
}

// size is one number of a constructor argument that determines the shape of a
// parameter.
type size struct {
	arg string
	n   int64
}

// sizesOf converts ns to sizes. arg is the name of the argument, for errors.
func sizesOf(arg string, ns []int64) []size {
	sizes := make([]size, len(ns))
	for i, n := range ns {
		sizes[i] = size{arg, n}
	}
	return sizes
}

// maxSize is the largest size that a constructor accepts. It is more elements than any
// memory can hold, and small enough for arithmetic without overflow.
const maxSize = 1 << 60

// setSizes checks the sizes and the dtype given to op, before the first parameter is
// made.
func (m *paramMaker) setSizes(op string, sizes ...size) {
	if d := m.dtype; d != 0 && !d.IsFloatingPoint() && !d.IsComplex() {
		panic(torch.NewError(op, torch.ErrDType, "DType",
			"expected a floating-point or complex dtype, because parameters need gradients, got "+d.String()))
	}
	args := make([]string, len(sizes))
	for i, s := range sizes {
		if s.n < 0 || s.n > maxSize {
			panic(torch.NewError(op, torch.ErrValue, s.arg, fmt.Sprintf("expected a size from 0 to 2^60, got %d", s.n)))
		}
		args[i] = fmt.Sprintf("%s %d", s.arg, s.n)
	}
	m.op, m.args = op, strings.Join(args, ", ")
}

// addSizesToPanic adds the sizes to an error about a parameter; closeAfterPanic adds the constructor. It
// must be deferred directly, since recover works only there.
func (m *paramMaker) addSizesToPanic(returned *bool) {
	if *returned {
		return
	}
	p := recover()
	if e, ok := p.(*torch.Error); ok && errors.Is(e, torch.ErrOutOfMemory) {
		e.Message = "arguments " + m.args + ": " + e.Message
	}
	if p != nil {
		panic(p)
	}
}

// closeAfterPanic is deferred by constructors before the first parameter. After a panic it frees
// the parameters made so far and adds the constructor's name to the error.
func (m *paramMaker) closeAfterPanic(b *Base, returned *bool) {
	if *returned {
		return
	}
	for _, e := range b.params {
		_ = (*e.slot).Close()
	}
	for _, e := range b.buffers {
		_ = (*e.slot).Close()
	}
	for _, c := range b.children {
		_ = c.Module.Close()
	}
	p := recover()
	if e, ok := p.(*torch.Error); ok {
		e.Op = m.op
	}
	if p != nil {
		panic(p)
	}
}

// empty makes an uninitialized tensor for a parameter, in no scope.
func (m *paramMaker) empty(shape ...int64) *torch.Tensor {
	returned := false
	defer m.addSizesToPanic(&returned)
	t := torch.Disown(torch.Empty(torch.Shape(shape), m.dtype, m.device))
	returned = true
	return t
}

// emptyIf is like empty, but returns nil unless on is true. It makes parameters that an
// option can leave out.
func (m *paramMaker) emptyIf(on bool, shape ...int64) *torch.Tensor {
	if !on {
		return nil
	}
	return m.empty(shape...)
}

func (m *paramMaker) zerosIf(on bool, shape ...int64) *torch.Tensor {
	if !on {
		return nil
	}
	return m.zeros(shape...)
}

func (m *paramMaker) onesIf(on bool, shape ...int64) *torch.Tensor {
	if !on {
		return nil
	}
	return m.ones(shape...)
}

func (m *paramMaker) zeros(shape ...int64) *torch.Tensor { return m.newFilled(nninit.Zeros_, shape) }
func (m *paramMaker) ones(shape ...int64) *torch.Tensor  { return m.newFilled(nninit.Ones_, shape) }

func (m *paramMaker) newFilled(fill func(*torch.Tensor) *torch.Tensor, shape []int64) *torch.Tensor {
	t := m.empty(shape...)
	returned := false
	defer func() {
		if !returned {
			_ = t.Close()
		}
	}()
	fill(t)
	returned = true
	return t
}

// buildPlain makes a layer that has no options of its own.
func (b *Base) buildPlain(self Module, opts []InitOption) {
	b.startLayer(self)
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case TypeName:
			b.typeName = string(o)
		case Registration:
			as = o
		default:
			panic(opt.Unknown("New"+goName(self), o))
		}
	}
	as.register(self)
}
