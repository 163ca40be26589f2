package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// A WeightingOption is an option of the window functions, such as [HannWindow]:
// [Periodic], a [DType] or a [Device].
//
//gotorch:options Periodic DType Device
type WeightingOption interface{ weightingOption() }

// Periodic says whether a window is periodic, as Fourier transforms need it, or
// symmetric. The default is true.
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

// HannWindow returns a Hann window of n weights, in the default float type
// unless a [DType] is given. It panics with ErrValue or ErrRuntime for a
// negative n, with ErrDType for a DType that is not floating point, and with
// ErrNil for a nil option. Follows torch.hann_window.
func HannWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("HannWindow()", aten.HannWindowPeriodic, n, opts)
}

// HammingWindow returns a Hamming window of n weights: a raised cosine that is
// 0.08 at its ends. It panics as HannWindow does. Follows torch.hamming_window.
func HammingWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("HammingWindow()", aten.HammingWindowPeriodic, n, opts)
}

// BlackmanWindow returns a Blackman window of n weights. It panics as
// HannWindow does. Follows torch.blackman_window.
func BlackmanWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("BlackmanWindow()", aten.BlackmanWindowPeriodic, n, opts)
}

// BartlettWindow returns a triangular window of n weights. It panics as
// HannWindow does. Follows torch.bartlett_window.
func BartlettWindow(n int64, opts ...WeightingOption) *Tensor {
	return window("BartlettWindow()", aten.BartlettWindowPeriodic, n, opts)
}
