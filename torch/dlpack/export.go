package dlpack

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// These are the flags of a versioned struct.
const (
	flagReadOnly = 1 << 0
	flagCopied   = 1 << 1
)

// ToDLPack returns a struct over the tensor's memory. The struct keeps the memory until
// its taker calls the deleter, even if the tensor is closed. Both sides see each other's
// writes, but not changes to the tensor's shape. The memory can no longer be resized, as
// after Tensor.numpy in Python.
//
// It panics with
//
//   - ErrNil or ErrClosed for a nil or closed tensor, and ErrNil for a nil option;
//   - ErrAutograd for a tensor that requires gradients (use Detach);
//   - ErrValue for a tensor with the conjugate or negative bit or without memory, and for
//     conflicting options;
//   - ErrNotImplemented for sparse, nested and other layouts;
//   - ErrDType for dtypes that DLPack does not support, such as quantized ones;
//   - ErrDevice for devices other than the CPU and CUDA, or an unavailable device.
//
// Follows torch.utils.dlpack.to_dlpack and Tensor.__dlpack__.
func ToDLPack(x *torch.Tensor, opts ...ExportOption) *Capsule {
	const op = "dlpack.ToDLPack"
	e := readExport(op, opts)
	if x.IsClosed() {
		panic(unusable(op, x))
	}
	var flags uint64
	if e.readOnly {
		flags |= flagReadOnly
	}
	if e.copy == always || e.device != 0 && e.device != x.Device() {
		refuse(op, refuses(x), x)
		if e.copy == never {
			panic(torch.NewError(op, torch.ErrValue, "Copy",
				fmt.Sprintf("cannot move a tensor from %v to %v without copying it", x.Device(), e.device)))
		}
		copied := x.To(e.device, torch.Copy(true))
		defer func() { _ = copied.Close() }() // the struct keeps the copy's memory
		x = copied
		flags |= flagCopied
	}
	e.stream.wait(op, x)
	h := x.Handle()
	r := torch.BeginRaw(op+"(x)", x)
	s, why, st := native.Export(r.Ctx, h, e.versioned, flags)
	r.Status(st)
	refuse(op, why, x)
	kind := KindLegacy
	if e.versioned {
		kind = KindVersioned
	}
	return newCapsule(held{Struct: s, own: true}, kind)
}

// refuses returns why a tensor cannot be exported.
func refuses(x *torch.Tensor) native.Refusal {
	h := x.Handle()
	r := torch.BeginRaw("dlpack.ToDLPack(x)", x)
	why := native.Refuses(h)
	r.End()
	return why
}

func refuse(op string, why native.Refusal, x *torch.Tensor) {
	fault := func(kind error, message string) *torch.Error { return torch.NewError(op, kind, "x", message) }
	switch why {
	case native.Exported:
	case native.RequiresGrad:
		panic(fault(torch.ErrAutograd,
			"the tensor requires gradients, which other libraries would ignore; use Detach"))
	case native.Conjugate:
		panic(fault(torch.ErrValue, "the tensor has the conjugate bit, which DLPack does not support; use ResolveConj"))
	case native.Negative:
		panic(fault(torch.ErrValue, "the tensor has the negative bit, which DLPack does not support; use ResolveNeg"))
	case native.Layout:
		panic(fault(torch.ErrNotImplemented,
			"the tensor is not strided; DLPack does not support sparse or nested tensors"))
	case native.Device:
		panic(fault(torch.ErrDevice,
			fmt.Sprintf("the tensor is on %v; only tensors on the CPU and on CUDA can be exported", x.Device())))
	case native.DType:
		panic(fault(torch.ErrDType, fmt.Sprintf("DLPack does not support %v", x.DType())))
	default:
		panic(fault(torch.ErrValue, "the tensor has no memory"))
	}
}

// wait makes the taker's stream wait for the current stream of the tensor's device.
func (s Stream) wait(op string, x *torch.Tensor) {
	if s == -1 {
		return
	}
	wrong := func(message string) *torch.Error { return torch.NewError(op, torch.ErrValue, "Stream", message) }
	dev := cuda.Device(x.Device())
	var taker *cuda.Stream
	switch {
	case !x.IsCUDA():
		panic(wrong("a tensor on the CPU has no stream"))
	case s == 1:
		taker = cuda.DefaultStream(dev)
	case s <= 0 || s == 2:
		panic(wrong(fmt.Sprintf("expected -1, 1 or a cudaStream_t, got %d; a per-thread stream has no number",
			int64(s))))
	default:
		taker = cuda.NewExternalStream(uintptr(s), dev)
	}
	if current := cuda.CurrentStream(dev); !taker.Equal(current) {
		taker.WaitStream(current)
	}
}
