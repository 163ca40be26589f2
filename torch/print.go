package torch

import (
	"errors"
	"strings"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// String returns what Python's print(t) prints, from "tensor(" to grad_fn; a
// parameter of a module starts with "Parameter containing:". Of a large tensor
// only the elements shown are copied, from whatever device. It never panics: a
// nil tensor, such as the gradient of a parameter that has none, is "None", and a
// closed one "tensor(<closed>)".
func (t *Tensor) String() string { return t.text(currentPrintOptions()) }

func (t *Tensor) text(o tensorfmt.Options) (text string) {
	switch {
	case t == nil:
		return "None"
	case t.IsClosed():
		return "tensor(<closed>)"
	}
	err := Try(func() { text = render(t, o) })
	if e := (*Error)(nil); errors.As(err, &e) {
		text = "tensor(<" + e.Message + ">)"
	}
	if t.uses.Mark() && strings.HasPrefix(text, "tensor(") {
		text = "Parameter containing:\n" + text
	}
	return text
}

// render collects what package tensorfmt needs of t.
func render(t *Tensor, o tensorfmt.Options) string {
	const op = "String(self)"
	info := t.info(op)
	p := printer{t: t, opts: o}
	out := tensorfmt.Tensor{
		Shape:        t.Shape(),
		DType:        DTypeOf(info.DType).String(),
		Meta:         DeviceOf(info.Device) == Meta,
		RequiresGrad: info.RequiresGrad,
	}
	if info.HasGradFn {
		out.GradFn = t.GradFn()
	}
	if d := DeviceOf(info.Device); !d.IsCPU() {
		out.Device = d.String()
	}
	h := t.hold(op, 0)
	defer t.release()
	switch layout := Layout(info.Layout + 1); {
	case info.IsNested:
		p.nestedTensor(h, &out)
	case layout != Strided:
		p.sparse(h, layout, &out)
	case out.Meta:
	case isQuantized(DTypeOf(info.DType)):
		p.quantized(h, &out)
	default:
		out.Values = p.values(h, out.Shape, DTypeOf(info.DType))
	}
	text, err := tensorfmt.Format(out, p.opts)
	if err != nil {
		panic(argError(op, ErrRuntime, "self", err.Error()))
	}
	return text
}
