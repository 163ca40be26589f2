package amp

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Autocast runs fn with automatic mixed precision: operators of this goroutine on devices
// of dev's type run in a suitable dtype. Matrix products and convolutions cast their
// arguments to dtype, which makes them faster. Sums, exponentials and losses cast their
// arguments to float32, which makes them more precise. Other operators use the widest
// dtype of their arguments. float64 arguments are not cast. If dtype is the zero dtype,
// Autocast uses [AutocastDType], by default bfloat16 on the CPU and float16 on CUDA. Only
// the type of dev matters.
//
// Casts of parameters are cached until the outermost Autocast of the goroutine ends; see
// [CacheEnabled]. Inside another Autocast, Enabled(false) disables autocast. There, you
// may have to cast results of the outer Autocast yourself.
//
// As in Python, Autocast prints a warning if CUDA is unavailable, or if the dtype on the
// CPU is neither bfloat16 nor float16. fn then runs without autocast. Autocast panics
// with ErrDevice for a device that is neither the CPU nor CUDA, with ErrDType for a dtype
// that is not floating point, with ErrNil for a nil fn or option, and if fn panics.
// Follows torch.autocast.
func Autocast(dev torch.Device, dtype torch.DType, fn func(), opts ...AutocastOption) {
	const op = "amp.Autocast"
	c := columnsOf(op, dev)
	on, cache := opt.Read2(op, opts, Enabled(true), CacheEnabled(IsAutocastCacheEnabled()))
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	if dtype == 0 {
		dtype = AutocastDType(dev)
	}
	if !dtype.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "dtype",
			fmt.Sprintf("expected a floating-point dtype, got %v", dtype)))
	}
	enabled := bool(on) && c.possible(dtype)

	r := enter()
	defer r.leave(r.cache)
	r.cache = bool(cache)
	m := modes.Current()
	c.set(&m, enabled, dtype)
	m.NoCache = !r.keeps(enabled)
	modes.With(op, &m, fn)
}

// columns selects libtorch's autocast settings for one type of device, the CPU or CUDA.
type columns struct {
	cuda  bool
	dtype *atomic.Int32 // the torch.DType that the zero dtype stands for
}

// cpuDType and cudaDType are the default dtypes of Autocast in this process, which
// SetAutocastDType changes.
var cpuDType, cudaDType = initial(torch.BFloat16), initial(torch.Float16)

func initial(d torch.DType) *atomic.Int32 {
	var a atomic.Int32
	a.Store(int32(d))
	return &a
}

// columnsOf returns the settings for dev's type. It panics with ErrDevice if autocast
// does not support the device.
func columnsOf(op string, dev torch.Device) columns {
	switch {
	case dev == torch.CPU:
		return columns{dtype: cpuDType}
	case dev.IsCUDA():
		return columns{cuda: true, dtype: cudaDType}
	}
	panic(torch.NewError(op, torch.ErrDevice, "dev", fmt.Sprintf("expected the CPU or CUDA, got %s", dev)))
}

// possible reports whether autocast to dtype is supported. If not, it prints a warning.
func (c columns) possible(dtype torch.DType) bool {
	switch {
	case c.cuda:
		if cuda.IsAvailable() {
			return true
		}
		cgotorch.Warn("CUDA is not available. Disabling autocast.")
	case dtype == torch.BFloat16 || dtype == torch.Float16:
		return true
	default:
		cgotorch.Warn("In CPU autocast, but the target dtype is not supported. Disabling autocast.\n" +
			"CPU Autocast only supports dtypes of bfloat16, float16 currently.")
	}
	return false
}

func (c columns) set(m *modes.Modes, enabled bool, dtype torch.DType) {
	if c.cuda {
		m.AutocastCUDA, m.DTypeCUDA = enabled, uint8(dtype)
	} else {
		m.AutocastCPU, m.DTypeCPU = enabled, uint8(dtype)
	}
}

func (c columns) get(m *modes.Modes) (enabled bool, dtype torch.DType) {
	if c.cuda {
		return m.AutocastCUDA, torch.DType(m.DTypeCUDA)
	}
	return m.AutocastCPU, torch.DType(m.DTypeCPU)
}

// IsAutocastEnabled reports whether the goroutine is within an enabled [Autocast] for
// devices of dev's type. It panics with ErrDevice as Autocast does. Follows
// torch.is_autocast_enabled.
func IsAutocastEnabled(dev torch.Device) bool {
	c, m := columnsOf("amp.IsAutocastEnabled", dev), modes.Current()
	enabled, _ := c.get(&m)
	return enabled
}

// AutocastDType returns the dtype of the goroutine's innermost [Autocast] for devices of
// dev's type, whether or not it is enabled. Outside of Autocast it returns the dtype that
// Autocast uses if its dtype argument is zero. It panics with ErrDevice as Autocast does.
// Follows torch.get_autocast_dtype.
func AutocastDType(dev torch.Device) torch.DType {
	c, m := columnsOf("amp.AutocastDType", dev), modes.Current()
	if _, dtype := c.get(&m); dtype != 0 {
		return dtype
	}
	return torch.DType(c.dtype.Load())
}

// SetAutocastDType sets the dtype that [Autocast] uses for devices of dev's type if its
// dtype argument is zero. The setting applies to all goroutines; in Python it is per
// thread. An Autocast that is running keeps its dtype. It panics with ErrDevice as
// Autocast does, and with ErrDType for a dtype that is not floating point. Follows
// torch.set_autocast_dtype.
func SetAutocastDType(dev torch.Device, dtype torch.DType) {
	const op = "amp.SetAutocastDType"
	c := columnsOf(op, dev)
	if !dtype.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "dtype",
			fmt.Sprintf("expected a floating-point dtype, got %v", dtype)))
	}
	c.dtype.Store(int32(dtype))
}

// IsAutocastAvailable reports whether [Autocast] supports the type of device. Follows
// torch.amp.is_autocast_available.
func IsAutocastAvailable(dev torch.Device) bool { return dev == torch.CPU || dev.IsCUDA() }
