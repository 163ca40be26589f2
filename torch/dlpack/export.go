package dlpack

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// The flags of a struct with a version.
const (
	flagReadOnly = 1 << 0
	flagCopied   = 1 << 1
)

// ToDLPack returns a struct over the tensor's memory, which keeps that memory until the
// struct's taker calls its deleter, whatever becomes of the tensor. Writes on either side
// are seen on the other; what is done to the tensor's shape is not. The memory can no
// longer be resized, as after Tensor.numpy in Python.
//
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrAutograd
// for one that requires gradients (use Detach), with ErrValue for one with the conjugate or
// negative bit, or without memory, with ErrNotImplemented for sparse, nested and other
// layouts, with ErrDType for dtypes that DLPack does not have, such as quantized ones, and
// with ErrDevice for tensors on other devices than the CPU and CUDA, or a device that is
// not there; with ErrValue for options that do not fit, and with ErrNil for a nil one.
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
			panic(torch.NewError(op, torch.ErrValue, "Copy", fmt.Sprintf("cannot move a tensor from %v to %v without copying it", x.Device(), e.device)))
		}
		copied := x.To(e.device, torch.Copy(true))
		defer func() { _ = copied.Close() }() // the struct keeps its memory
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

// refuses says why there is no struct of a tensor.
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
		panic(fault(torch.ErrAutograd, "a tensor that requires gradients, which others would not see; use its Detach"))
	case native.Conjugate:
		panic(fault(torch.ErrValue, "a tensor with the conjugate bit, which others do not know; use its ResolveConj"))
	case native.Negative:
		panic(fault(torch.ErrValue, "a tensor with the negative bit, which others do not know; use its ResolveNeg"))
	case native.Layout:
		panic(fault(torch.ErrNotImplemented, "a tensor that is not strided: DLPack has no sparse or nested ones"))
	case native.Device:
		panic(fault(torch.ErrDevice, fmt.Sprintf("a tensor on %v: only those on the CPU and on CUDA have memory for others", x.Device())))
	case native.DType:
		panic(fault(torch.ErrDType, fmt.Sprintf("DLPack has no %v", x.DType())))
	default:
		panic(fault(torch.ErrValue, "a tensor whose elements have no memory"))
	}
}

// wait has the taker's stream wait for the current one of the tensor's device.
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
		panic(wrong(fmt.Sprintf("expected -1, 1 or a cudaStream_t, got %d; streams of threads have no number", int64(s))))
	default:
		taker = cuda.NewExternalStream(uintptr(s), dev)
	}
	if current := cuda.CurrentStream(dev); !taker.Equal(current) {
		taker.WaitStream(current)
	}
}
