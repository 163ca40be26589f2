package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// toFlag is an option of To alone.
type toFlag int8

// Options of [Tensor.To].
const (
	NonBlocking toFlag = 1 // do not wait for the copy between host and device
	Copy        toFlag = 2 // copy even if nothing changes
)

func (toFlag) option() {}

// To returns the tensor with another dtype, on another device or in another
// memory format. If nothing changes and Copy is not given, the result shares
// t's memory (it is a handle of its own all the same, to be closed on its own).
// It panics with ErrDevice if the device is not there. Follows Tensor.to.
func (t *Tensor) To(opts ...Option) *Tensor {
	const op = "To(self)"
	h := t.handle(op, 0)
	c := readOptions(opts)
	var nonBlocking, copyAlways bool
	for _, o := range opts {
		nonBlocking = nonBlocking || o == NonBlocking
		copyAlways = copyAlways || o == Copy
	}
	r := BeginRaw(op)
	return r.Tensor(aten.ToDtypeLayout(r.Ctx, h, c.dtype, c.layout, c.device, c.pin, nonBlocking, copyAlways, c.format), t)
}
