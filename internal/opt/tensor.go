package opt

import (
	"unsafe"

	"github.com/gotorch/gotorch/torch"
)

// Options that are tensors. A pointer type has no methods, so each is a struct
// that a function of the package makes: F.Weight(w). A nil tensor is Python's None.

// Weight holds factors of classes or elements.
type Weight struct{ t *torch.Tensor }

// NewWeight returns the option for t.
func NewWeight(t *torch.Tensor) Weight { return Weight{t} }

// Tensor returns what the option holds.
func (o Weight) Tensor() *torch.Tensor { return hidden(o.t) }

// PosWeight holds factors of positive targets.
type PosWeight struct{ t *torch.Tensor }

// NewPosWeight returns the option for t.
func NewPosWeight(t *torch.Tensor) PosWeight { return PosWeight{t} }

// Tensor returns what the option holds.
func (o PosWeight) Tensor() *torch.Tensor { return hidden(o.t) }

// hidden returns t without the compiler seeing that it does. A tensor that is
// handed on would take the options beside it to the heap; it is there itself.
func hidden(t *torch.Tensor) *torch.Tensor {
	p := uintptr(unsafe.Pointer(t))
	return *(**torch.Tensor)(unsafe.Pointer(&p))
}
