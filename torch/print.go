package torch

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// PrintProfile is a named set of print settings, the profile argument of
// torch.set_printoptions.
type PrintProfile int8

// The profiles.
const (
	PrintDefault PrintProfile = iota // 4 digits, at most 1000 elements, 3 at each edge, lines of 80
	PrintShort                       // 2 digits, 2 at each edge
	PrintFull                        // every element
)

// SciMode says when floating-point numbers are printed with an exponent.
type SciMode int8

// The modes.
const (
	SciAuto SciMode = iota // where the numbers shown are far apart, huge or tiny
	SciOn                  // always
	SciOff                 // never
)

// PrintOptions are how tensors are turned into text, the arguments of
// torch.set_printoptions. The zero value is PyTorch's default: a field left at
// zero takes its value from Profile. A negative number stands for zero itself.
type PrintOptions struct {
	Profile   PrintProfile
	Precision int // digits behind the point
	Threshold int // tensors with more elements are summarized
	EdgeItems int // entries shown at each end of a summarized dimension
	LineWidth int // where lines wrap
	SciMode   SciMode
}

var printOptions atomic.Pointer[PrintOptions]

func currentPrintOptions() PrintOptions {
	if o := printOptions.Load(); o != nil {
		return *o
	}
	return PrintOptions{}
}

// SetPrintOptions changes how String and package fmt print tensors, for the
// whole process, and returns what held before. Unlike Python's function it
// sets every option: fields left at zero go back to the default.
// Follows torch.set_printoptions.
func SetPrintOptions(o PrintOptions) (previous PrintOptions) {
	previous = currentPrintOptions()
	printOptions.Store(&o)
	return previous
}

// String returns what Python's print(t) prints, from "tensor(" to grad_fn. Of
// a large tensor only the elements shown are copied, from whatever device. It
// never panics: a nil tensor is "tensor(<nil>)" and a closed one
// "tensor(<closed>)".
func (t *Tensor) String() string { return t.StringWith(currentPrintOptions()) }

// StringWith is String with print options of its own.
func (t *Tensor) StringWith(o PrintOptions) (text string) {
	switch {
	case t == nil:
		return "tensor(<nil>)"
	case t.IsClosed():
		return "tensor(<closed>)"
	}
	err := Try(func() { text = render(t, o) })
	if e := (*Error)(nil); errors.As(err, &e) {
		return "tensor(<" + e.Message + ">)"
	}
	return text
}

// Format makes package fmt print tensors: %v and %s as String does, %f and %e
// without and with exponents. A precision, as in "%.2v", is the number of
// digits.
func (t *Tensor) Format(f fmt.State, verb rune) {
	o := currentPrintOptions()
	switch verb {
	case 'v', 's':
	case 'f', 'F':
		o.SciMode = SciOff
	case 'e', 'E':
		o.SciMode = SciOn
	default:
		fmt.Fprintf(f, "%%!%c(*torch.Tensor=%s)", verb, t.StringWith(o))
		return
	}
	if digits, ok := f.Precision(); ok {
		if o.Precision = digits; digits == 0 {
			o.Precision = -1
		}
	}
	_, _ = io.WriteString(f, t.StringWith(o))
}

func (o PrintOptions) internal() tensorfmt.Options {
	return tensorfmt.Options{
		Profile: tensorfmt.Profile(o.Profile), SciMode: tensorfmt.SciMode(o.SciMode),
		Precision: o.Precision, Threshold: o.Threshold, EdgeItems: o.EdgeItems, LineWidth: o.LineWidth,
	}
}

// render collects what package tensorfmt needs of t.
func render(t *Tensor, o PrintOptions) string {
	const op = "String(self)"
	info := t.info(op)
	p := printer{t: t, given: o, opts: o.internal()}
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
	h := t.handle(op, 0)
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
	runtime.KeepAlive(t)
	text, err := tensorfmt.Format(out, p.opts)
	if err != nil {
		panic(argError(op, ErrRuntime, "self", err.Error()))
	}
	return text
}
