package torch

import (
	"errors"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/render"
	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// String returns the text that Python's print(t) prints, including grad_fn. A
// parameter of a module starts with "Parameter containing:". Only the elements
// shown are copied from the device. It never panics: a nil tensor is "None",
// and a closed one "tensor(<closed>)".
func (t *Tensor) String() string { return t.text(currentPrintOptions()) }

func (t *Tensor) text(o tensorfmt.Options) (text string) {
	switch {
	case t == nil:
		return "None"
	case t.IsClosed():
		return "tensor(<closed>)"
	}
	err := Try(func() { text = t.render(o) })
	if e := (*Error)(nil); errors.As(err, &e) {
		text = "tensor(<" + e.Message + ">)"
	}
	if t.uses.Mark() && strings.HasPrefix(text, "tensor(") {
		text = "Parameter containing:\n" + text
	}
	return text
}

const printing = "String(self)"

// render reads and formats t. It panics with the *Error of a failed call.
func (t *Tensor) render(o tensorfmt.Options) string {
	h := t.hold(printing, 0)
	defer t.release()
	text, err := render.Text(printed{t, o}, h, o)
	if err != nil {
		panic(argError(printing, ErrRuntime, "self", err.Error()))
	}
	return text
}

// printed gives package render access to a tensor.
type printed struct {
	t    *Tensor
	opts tensorfmt.Options
}

// Call runs f as a native call with gradients off.
func (p printed) Call(f func(cx abi.Ctx) abi.Status) {
	r := BeginRaw(printing, p.t)
	r.Ctx |= abi.CtxNoGrad
	r.Status(f(r.Ctx))
}

// Part formats the tensor with handle h, and frees h.
func (p printed) Part(h abi.Tensor) string {
	t := newTensor(h)
	text := t.text(p.opts)
	_ = t.Close()
	return text
}

// Kind returns the kind of numbers that a dtype holds.
func (printed) Kind(dtype int8) abi.ScalarKind {
	switch d := DTypeOf(dtype); {
	case d.IsComplex():
		return abi.ScalarComplex
	case d.IsFloatingPoint():
		return abi.ScalarFloat
	case d == Bool:
		return abi.ScalarBool
	}
	return abi.ScalarInt
}

func (printed) IsQuantized(dtype int8) bool    { return DTypeOf(dtype).IsQuantized() }
func (printed) DTypeName(dtype int8) string    { return DTypeOf(dtype).String() }
func (printed) LayoutName(layout int8) string  { return Layout(layout + 1).String() }
func (printed) DeviceName(device int32) string { return DeviceOf(device).String() }
