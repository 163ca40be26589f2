package operand

import "github.com/gotorch/gotorch/torch"

// Overlaps reports whether several elements of t share memory, using libtorch's own
// check. libtorch refuses to write to such tensors.
func Overlaps(t *torch.Tensor) bool {
	if t.Layout() != torch.Strided || t.Numel() == 0 {
		return false
	}
	strides := t.Stride()
	for i, n := range t.Shape() {
		if n > 1 && strides[i] == 0 {
			return true
		}
	}
	return false
}
