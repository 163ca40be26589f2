package torch

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
)

// What a function that makes a tensor from nothing takes where neither its
// options nor its arguments say it. A goroutine's own choice lies in its state,
// as its modes do; these are the process's. Zero is PyTorch's: CPU and Float32.
var defaultDevice, defaultDType atomic.Int32

// SetDefaultDevice sets the device on which tensors are made that are told no
// other: by Zeros, Rand, FromSlice and their like, and by the constructors of
// package nn. It holds for the whole process, except inside [WithDevice], and is
// the CPU at first; the zero Device is the CPU again. Tensors that are made from
// others, such as ZerosLike, are made on the other's device. FromSliceShared
// always gives a tensor on the CPU, and the functions of torch/aten take the
// device that they are given.
//
// It panics with ErrDevice if there is no such device.
// Follows torch.set_default_device, which sets it for one thread.
func SetDefaultDevice(d Device) {
	d.need("SetDefaultDevice")
	defaultDevice.Store(int32(d))
}

// DefaultDevice returns the device on which this goroutine makes tensors that
// are told no other: that of the innermost WithDevice, else the process's.
// Follows torch.get_default_device.
func DefaultDevice() Device {
	if st := states.Get(); st != nil && st.device != 0 {
		return st.device
	}
	if d := Device(defaultDevice.Load()); d != 0 {
		return d
	}
	return CPU
}

// WithDevice runs fn with d as the default device of this goroutine, as Python's
// "with torch.device(d)". Goroutines started in fn have the process's. The zero
// Device changes nothing. It panics with ErrDevice if there is no such device, and with
// ErrNil for a nil fn.
//
//	torch.WithDevice(torch.Meta, func() {
//		model = nn.NewLinear(4096, 4096) // shapes only, no memory
//	})
func WithDevice(d Device, fn func()) {
	if fn == nil {
		panic(NilFunc("WithDevice", "fn"))
	}
	d.need("WithDevice")
	st := enterState()
	saved := st.device
	if d != 0 {
		st.device = d
	}
	defer func() {
		st.device = saved
		st.leave()
	}()
	fn()
}

// SetDefaultDType sets the floating-point type of tensors that are told no other:
// those of Zeros, Rand, a Full of a float, and of an operator that makes floats
// from integers, as a division does. It holds for the whole process and is
// Float32 at first; the zero DType is Float32 again. It is to be called before
// other goroutines make tensors: libtorch reads it without a lock.
//
// It panics with ErrType for a type that is not floating-point.
// Follows torch.set_default_dtype.
func SetDefaultDType(d DType) {
	const op = "SetDefaultDType"
	if d == 0 {
		d = Float32
	}
	checkDefaultDType(op, d)
	if st := cgotorch.SetDefaultDType(d.code()); st != 0 {
		panic(statusError(op+"()", st, nil))
	}
	defaultDType.Store(int32(d))
}

// DefaultDType returns the floating-point type of tensors of this goroutine that
// are told no other: that of the innermost WithDType, else the process's.
// Follows torch.get_default_dtype.
func DefaultDType() DType {
	if d := scopedDType(); d != 0 {
		return d
	}
	if d := DType(defaultDType.Load()); d != 0 {
		return d
	}
	return Float32
}

// WithDType runs fn with d as the default floating-point type of this goroutine,
// for the functions and constructors that make tensors. Goroutines started in fn
// have the process's. What operators make of tensors that are there already, as
// the quotient of integers, still has the process's type: libtorch knows no
// other. The zero DType changes nothing. It panics with ErrType for a type that
// is not floating-point, and with ErrNil for a nil fn. PyTorch sets its default for the process alone.
func WithDType(d DType, fn func()) {
	if fn == nil {
		panic(NilFunc("WithDType", "fn"))
	}
	if d != 0 {
		checkDefaultDType("WithDType", d)
	}
	st := enterState()
	saved := st.dtype
	if d != 0 {
		st.dtype = d
	}
	defer func() {
		st.dtype = saved
		st.leave()
	}()
	fn()
}

// scopedDType returns the type of the innermost WithDType, zero outside.
func scopedDType() DType {
	if st := states.Get(); st != nil {
		return st.dtype
	}
	return 0
}

func checkDefaultDType(op string, d DType) {
	switch d {
	case Float16, Float32, Float64, BFloat16:
	default:
		panic(argError(op, ErrType, "d", fmt.Sprintf("expected float16, bfloat16, float32 or float64, got %s", d)))
	}
}

// orDefault is d, or the default device for the zero Device.
func (d Device) orDefault() Device {
	if d == 0 {
		return DefaultDevice()
	}
	return d
}
