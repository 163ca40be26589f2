package conformance_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

const (
	strides    = 1 << iota // compare strides as well
	layoutOnly             // compare no values
)

// differences are the differences between a sample's results and Python's recorded
// results.
type differences struct {
	name  string // the name of the sample
	all   []string
	close int // the number of tensors that differ only by rounding
}

func (d *differences) add(format string, a ...any) { d.all = append(d.all, fmt.Sprintf(format, a...)) }

// same compares tensors with the recorded ones. what is the name of the tensors in
// messages, and how selects what is compared.
func (d *differences) same(f *file, what string, want []*int, got []*torch.Tensor, how int) {
	if len(want) != len(got) {
		d.add("%s: %d tensors, in Python %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		d.tensor(f, fmt.Sprintf("%s %d", what, i), w, got[i], how)
	}
}

func (d *differences) sameState(f *file, what string, want []named, got nn.StateDict) {
	var names []string
	for _, w := range want {
		names = append(names, w.name)
	}
	if !slices.Equal(names, got.Names()) {
		d.add("%s: %v, in Python %v", what, got.Names(), names)
		return
	}
	for i, w := range want {
		d.tensor(f, what+" "+w.name, w.tensor, got[i].Tensor, 0)
	}
}

func (d *differences) tensor(f *file, what string, want *int, got *torch.Tensor, how int) {
	if want == nil || got == nil {
		if (want == nil) != (got == nil) {
			d.add("%s: None in one of the two (Go %v)", what, got == nil)
		}
		return
	}
	d.equal(what, f.tensor(*want), got.Detach(), how)
}

func (d *differences) equal(what string, want, got *torch.Tensor, how int) {
	switch {
	case want.DType() != got.DType():
		d.add("%s: dtype %v, in Python %v", what, got.DType(), want.DType())
		return
	case !slices.Equal(want.Shape(), got.Shape()):
		d.add("%s: shape %v, in Python %v", what, got.Shape(), want.Shape())
		return
	case want.Layout() != got.Layout():
		d.add("%s: layout %v, in Python %v", what, got.Layout(), want.Layout())
		return
	case want.Layout() != torch.Strided:
		d.equal(what+" dense", want.ToDense(), got.ToDense(), 0)
		return
	case how&strides != 0 && !sameStrides(want, got):
		d.add("%s: strides %v, in Python %v", what, got.Stride(), want.Stride())
	}
	if how&layoutOnly != 0 {
		return
	}
	if want.IsConj() != got.IsConj() {
		d.add("%s: conjugated %v, in Python %v", what, got.IsConj(), want.IsConj())
	}
	want, got = want.ResolveConj().ResolveNeg(), got.ResolveConj().ResolveNeg()
	if bytes.Equal(contents(want), contents(got)) {
		return
	}
	if floating := want.IsFloatingPoint() || want.DType().IsComplex(); floating {
		diff := torchtest.Difference(want, got, torchtest.RTol(0), torchtest.ATol(0), torchtest.EqualNaN(true))
		if diff == "" { // equal, except for NaN payloads and signs of zeros
			if !bytes.Equal(contents(withoutNaN(want)), contents(withoutNaN(got))) {
				// Processors other than AMD64 sum products in a different order, so the
				// sign of a zero may differ.
				if d.close++; loose && runtime.GOARCH == "amd64" || !loose && closePercent == 0 {
					d.add("%s: zeros of another sign", what)
				}
			}
			return
		}
		if tol := torchtest.Rounding(roundings, want.DType()); torchtest.Difference(want, got, tol,
			torchtest.EqualNaN(true)) == "" {
			d.close++
			if !loose && closePercent == 0 {
				d.add("%s: bits: %s", what, diff)
			}
			return
		}
		d.add("%s: %s", what, diff)
		return
	}
	d.add("%s: %s", what, torchtest.Difference(want, got, torchtest.RTol(0), torchtest.ATol(0)))
}

// roundings is the assumed number of roundings between an input and a result. It suits
// sums over a few hundred elements and networks of a few layers.
const roundings = 256

func sameStrides(a, b *torch.Tensor) bool {
	if a.Numel() == 0 {
		return true
	}
	for i, n := range a.Shape() {
		if n > 1 && a.Stride()[i] != b.Stride()[i] {
			return false
		}
	}
	return true
}

func withoutNaN(t *torch.Tensor) *torch.Tensor {
	if t.DType().IsComplex() {
		t = t.ResolveConj().ViewAsReal()
	}
	return t.MaskedFill(t.IsNaN(), 0)
}

// contents returns the bytes of the elements, in row-major order.
func contents(t *torch.Tensor) []byte {
	if t.Numel() == 0 {
		return nil
	}
	t = t.Clone(torch.ContiguousFormat) // normalizes strides, which are arbitrary in dimensions of size 1
	b := make([]byte, t.NBytes())
	t.View(-1).ViewDType(torch.Uint8).CopyTo(b)
	return b
}
