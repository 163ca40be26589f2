package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// A WeightingOption says how a window is made, such as [HannWindow]: [Periodic],
// a [DType], a [Device].
//
//gotorch:options Periodic DType Device
type WeightingOption interface{ weightingOption() }

// Periodic says that a window is one period of a function, as the Fourier
// transform wants it; otherwise it is symmetric. The default is true.
type Periodic bool

type windowFunc func(cx abi.Ctx, n int64, periodic bool, dtype, layout int8, device int32, pin *bool) abi.Ret

func window(op string, f windowFunc, n int64, opts []WeightingOption) *Tensor {
	var periodic Periodic = true
	c := readCreation[WeightingOption](op, nil)
	for _, o := range opts {
		switch o := o.(type) {
		case Periodic:
			periodic = o
		default:
			if !c.take(op, o) {
				panic(badOption(op, o))
			}
		}
	}
	c.onDefault()
	c.defaultFloat()
	r := BeginRaw(op)
	return r.Tensor(f(r.Ctx, n, bool(periodic), c.dtype, c.layout, c.device, c.pin))
}

// HannWindow returns n weights that rise and fall as a raised cosine, in the
// default float type unless a DType is given. As all windows it is a new
// tensor, owned by the innermost scope, else by the collector; it panics with
// ErrValue or ErrRuntime for a negative n, with ErrDType for a DType that is not
// floating point, and with ErrNil for a nil option. Follows torch.hann_window.
func HannWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("HannWindow()", aten.HannWindowPeriodic, n, opts)
}

// HammingWindow is HannWindow raised to 0.08 at its ends. Owner and panics are
// those of HannWindow. Follows torch.hamming_window.
func HammingWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("HammingWindow()", aten.HammingWindowPeriodic, n, opts)
}

// BlackmanWindow returns n weights of a sum of two cosines. Shape, dtype and
// errors are those of HannWindow. Owner and panics are those of HannWindow.
// Follows torch.blackman_window.
func BlackmanWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("BlackmanWindow()", aten.BlackmanWindowPeriodic, n, opts)
}

// BartlettWindow returns n weights that rise and fall in straight lines. Shape,
// dtype and errors are those of HannWindow. Owner and panics are those of
// HannWindow. Follows torch.bartlett_window.
func BartlettWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("BartlettWindow()", aten.BartlettWindowPeriodic, n, opts)
}
