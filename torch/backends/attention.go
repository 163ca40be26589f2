package backends

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// SDPBackend is an implementation of scaled dot product attention. Follows
// torch.nn.attention.SDPBackend.
type SDPBackend string

// These are the implementations of attention: a computation from other operators,
// FlashAttention, the memory-efficient kernel, and cuDNN.
const (
	SDPBackendMath               SDPBackend = "math"
	SDPBackendFlashAttention     SDPBackend = "flash_attention"
	SDPBackendEfficientAttention SDPBackend = "efficient_attention"
	SDPBackendCuDNNAttention     SDPBackend = "cudnn_attention"
)

// sdpBackends returns the implementations and their switches. The index of an
// implementation in the slices is its number in libtorch. libtorch's number 4, which is
// for extensions, is not included.
func sdpBackends() ([]SDPBackend, []toggle) {
	return []SDPBackend{
			SDPBackendMath, SDPBackendFlashAttention, SDPBackendEfficientAttention,
			SDPBackendCuDNNAttention,
		},
		[]toggle{
			toggle(cgotorch.MathSDP), toggle(cgotorch.FlashSDP), toggle(cgotorch.MemEfficientSDP),
			toggle(cgotorch.CuDNNSDP),
		}
}

// An SDPAKernelOption is an option of [SDPAKernel]: [SetPriority].
//
//gotorch:options SetPriority
type SDPAKernelOption interface{ sdpaKernelOption() }

// SetPriority says whether attention tries the kernels in the given order; set_priority
// in Python. The default, false, does not change the order.
type SetPriority bool

// SDPAKernel runs fn with only the given kernels allowed for scaled dot product
// attention. If none of them supports the arguments, the operator panics with ErrRuntime.
// The CPU has SDPBackendMath and SDPBackendFlashAttention. When fn returns or panics, the
// switches are restored.
//
// The switches are global: while fn runs, they apply to operators of all goroutines, as
// for CuDNN.Flags.
//
// It panics with ErrNil for a nil fn or option, and with ErrValue for an unknown
// SDPBackend. Follows torch.nn.attention.sdpa_kernel.
func SDPAKernel(kernels []SDPBackend, fn func(), opts ...SDPAKernelOption) {
	const op = "backends.SDPAKernel"
	byPriority := opt.Read(op, opts, SetPriority(false))
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	all, toggles := sdpBackends()
	var order []int64
	for _, k := range kernels {
		i := int64(slices.Index(all, k))
		if i < 0 {
			panic(torch.NewError(op, torch.ErrValue, "kernels",
				fmt.Sprintf("expected some of %v, got %q", all, string(k))))
		}
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	var settings []setting
	for i, s := range toggles {
		settings = append(settings, setting{s, number(slices.Contains(order, int64(i)))})
	}
	if byPriority {
		settings = append(settings, setting{toggle(cgotorch.SDPPriority), priority(order)})
	}
	within("SDPAKernel", settings, fn)
}

// priority returns an order of all kernels that begins with the given ones, in the
// encoding that switches.h describes.
func priority(order []int64) (v int64) {
	now := read("SDPAKernel", cgotorch.SDPPriority)
	for range 5 {
		if k := now & 15; !slices.Contains(order, k) {
			order = append(order, k)
		}
		now >>= 4
	}
	for i, k := range order {
		v |= k << (4 * i)
	}
	return v
}

// SDPPriority returns the attention kernels in the order in which they are tried, whether
// or not they are allowed. It omits kernels of extensions. [SetPriority] changes the
// order temporarily. Python does not expose it.
func (CUDABackend) SDPPriority() (order []SDPBackend) {
	all, _ := sdpBackends()
	v := read("CUDA.SDPPriority", cgotorch.SDPPriority)
	for range 5 {
		if k := int(v & 15); k < len(all) {
			order = append(order, all[k])
		}
		v >>= 4
	}
	return order
}
