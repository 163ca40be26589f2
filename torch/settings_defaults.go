package torch

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
)

// These are the process's default device and dtype of new tensors. A goroutine's own
// defaults are in its goroutineState. Zero means PyTorch's defaults: CPU and Float32.
var defaultDevice, defaultDType atomic.Int32

// SetDefaultDevice sets the device of new tensors if no option sets it, for functions
// such as Zeros, Rand and FromSlice and the constructors of package nn. It applies to the
// whole process, except inside [WithDevice]. The zero Device means the CPU, which is the
// default. Functions such as ZerosLike use the device of their argument, FromSliceShared
// always uses the CPU, and the functions of torch/aten use the device passed to them.
//
// It panics with ErrDevice if the device does not exist.
// Follows torch.set_default_device, which sets it for one thread.
func SetDefaultDevice(d Device) {
	d.need("SetDefaultDevice")
	defaultDevice.Store(int32(d))
}

// DefaultDevice returns the default device of new tensors of this goroutine: the device
// of the innermost [WithDevice], or else the process's default.
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

// WithDevice runs fn with d as the default device of this goroutine. Goroutines
// started in fn use the process's default. The zero Device changes nothing. It
// panics with ErrDevice if the device does not exist, and with ErrNil for a nil
// fn. Follows "with torch.device(d)".
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

// SetDefaultDType sets the default floating-point type of new tensors. It applies to
// functions such as Zeros, Rand and Full with a float, and to operators that make floats
// from integers, such as a division. It applies to the whole process. The zero DType
// means Float32, which is the default. Call it before other goroutines make tensors,
// because libtorch reads it without a lock.
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

// DefaultDType returns the default floating-point type of new tensors of this goroutine:
// the type of the innermost [WithDType], or else the process's default.
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

// WithDType runs fn with d as the default floating-point type of this
// goroutine, for functions and constructors that make tensors. Goroutines
// started in fn use the process's default. Operators on existing tensors, such
// as the division of integers, still use the process's type. The zero DType
// changes nothing. It panics with ErrType for a type that is not
// floating-point, and with ErrNil for a nil fn. PyTorch has only the
// process-wide setting.
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

// scopedDType returns the type of the innermost WithDType, or zero.
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

// orDefault returns d, or the default device for the zero Device.
func (d Device) orDefault() Device {
	if d == 0 {
		return DefaultDevice()
	}
	return d
}
