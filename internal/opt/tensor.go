package opt

import (
	"unsafe"

	"github.com/gotorch/gotorch/torch"
)

// Options that hold tensors. A pointer type cannot have methods, so each option is a
// struct, which a function of package nn or functional creates, such as F.Weight(w). A
// nil tensor is Python's None.

// Weight holds factors of classes or elements.
type Weight struct{ t *torch.Tensor }

// NewWeight returns the option for t.
func NewWeight(t *torch.Tensor) Weight { return Weight{t} }

// Tensor returns the tensor in the option.
func (o Weight) Tensor() *torch.Tensor { return hidden(o.t) }

// PosWeight holds factors for the losses of positive targets.
type PosWeight struct{ t *torch.Tensor }

// NewPosWeight returns the option for t.
func NewPosWeight(t *torch.Tensor) PosWeight { return PosWeight{t} }

// Tensor returns the tensor in the option.
func (o PosWeight) Tensor() *torch.Tensor { return hidden(o.t) }

// hidden returns t in a way that the compiler's escape analysis does not follow.
// Otherwise passing the tensor on would move the options to the heap. The tensor itself
// is already on the heap.
func hidden(t *torch.Tensor) *torch.Tensor {
	p := uintptr(unsafe.Pointer(t))
	return *(**torch.Tensor)(unsafe.Pointer(&p))
}
