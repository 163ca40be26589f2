package checkpoint

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// hostCopies is host memory for copies of a state's tensors. The next save reuses the
// memory, so there is never more than one copy.
type hostCopies struct {
	slots   []slot
	numUsed int
}

// slot is a copy of a tensor, and the strides and device of the original.
type slot struct {
	tensor *torch.Tensor
	stride []int64
	device torch.Device
}

// tensorKey identifies the values of a tensor. Tensors with equal keys share a copy, so
// tied weights are tied in the file.
type tensorKey struct {
	data          uintptr
	device        torch.Device
	dtype         torch.DType
	conj, neg     bool // true if the tensor is a view that conjugates or negates the values in memory
	shape, stride string
}

// snapshot returns v, a value for a file, with its tensors replaced. If all is true, it
// replaces each strided tensor with a copy in host memory. Otherwise it copies only
// tensors on devices and views of larger storages, and detaches the other tensors. It
// always copies sparse and nested tensors. The copies belong to h; detached tensors
// belong to the innermost scope.
func (h *hostCopies) snapshot(v any, all bool) any {
	h.numUsed = 0
	seen := map[tensorKey]*torch.Tensor{}
	same := map[*torch.Tensor]*torch.Tensor{}
	devices := map[torch.Device]bool{}
	var out any
	torch.NoGrad(func() {
		out = replaceTensors(v, func(t *torch.Tensor) (c *torch.Tensor) {
			if t == nil {
				return nil
			}
			if twin := same[t]; twin != nil {
				return twin
			}
			defer func() { same[t] = c }()
			strided := t.Layout() == torch.Strided && !t.IsNested()
			if strided && !all && t.Device().IsCPU() && t.StorageBytes() == t.Numel()*t.DType().Size() {
				return t.Detach()
			}
			if !strided {
				return h.put(h.numUsed, slot{tensor: torch.Disown(t.Detach().To(torch.CPU, torch.Copy(true)))})
			}
			at := tensorKey{
				device: t.Device(), dtype: t.DType(), conj: t.IsConj(), neg: t.IsNeg(),
				shape: fmt.Sprint(t.Shape()), stride: fmt.Sprint(t.Stride()),
			}
			if t.Numel() > 0 {
				at.data = t.DataPtr()
				if twin := seen[at]; twin != nil {
					return twin
				}
			}
			c = h.copy(t)
			seen[at] = c
			if t.Device().IsCUDA() {
				devices[t.Device()] = true
			}
			return c
		})
		for d := range devices {
			cuda.CurrentStream(cuda.Device(d)).Synchronize()
		}
	})
	for _, s := range h.slots[h.numUsed:] {
		_ = s.tensor.Close()
	}
	h.slots = h.slots[:h.numUsed]
	return out
}

// copy copies a tensor into the next slot.
func (h *hostCopies) copy(t *torch.Tensor) *torch.Tensor {
	i := h.numUsed
	pin := torch.PinMemory(t.Device().IsCUDA())
	if i < len(h.slots) {
		s := h.slots[i]
		if c := s.tensor; c.Layout() == torch.Strided && c.DType() == t.DType() && s.device == t.Device() &&
			slices.Equal(c.Shape(), t.Shape()) && slices.Equal(s.stride, t.Stride()) {
			h.numUsed++
			return c.Copy_(t, torch.NonBlocking(pin))
		}
	}
	c := torch.Disown(torch.EmptyLike(t, torch.CPU, pin))
	h.put(i, slot{c, slices.Clone(t.Stride()), t.Device()})
	return c.Copy_(t, torch.NonBlocking(pin))
}

func (h *hostCopies) put(i int, s slot) *torch.Tensor {
	if i < len(h.slots) {
		_ = h.slots[i].tensor.Close()
		h.slots[i] = s
	} else {
		h.slots = append(h.slots, s)
	}
	h.numUsed = i + 1
	return s.tensor
}

func (h *hostCopies) close() {
	for _, s := range h.slots {
		_ = s.tensor.Close()
	}
	h.slots = nil
}
