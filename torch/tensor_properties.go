package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// IsCPU reports whether t is on the CPU. Follows Tensor.is_cpu.
func (t *Tensor) IsCPU() bool { return DeviceOf(t.info("IsCPU(self)").Device).IsCPU() }

// IsMeta reports whether t is on the meta device and so has no data.
// Follows Tensor.is_meta.
func (t *Tensor) IsMeta() bool {
	return DeviceOf(t.info("IsMeta(self)").Device).kind() == abi.DeviceMeta
}

// IsNested reports whether t is a nested tensor. Follows Tensor.is_nested.
func (t *Tensor) IsNested() bool { return t.info("IsNested(self)").IsNested }

// IsInference reports whether t was made within [InferenceMode].
// Follows Tensor.is_inference.
func (t *Tensor) IsInference() bool { return t.info("IsInference(self)").IsInference }

// IsQuantized reports whether t is quantized. Follows Tensor.is_quantized.
func (t *Tensor) IsQuantized() bool { return t.dtype("IsQuantized(self)").IsQuantized() }

// IsSigned reports whether t's dtype can hold negative numbers.
// Follows Tensor.is_signed.
func (t *Tensor) IsSigned() bool {
	switch d := t.dtype("IsSigned(self)"); d {
	case Bool, Uint8, Uint16, Uint32, Uint64, QUint8:
		return false
	default:
		return true
	}
}

// IsSparseCSR reports whether t's layout is SparseCSR.
// Follows Tensor.is_sparse_csr.
func (t *Tensor) IsSparseCSR() bool { return Layout(t.info("IsSparseCSR(self)").Layout+1) == SparseCSR }

// IsNeg reports whether the negative bit is set: elements are negated when they
// are read, as for the imaginary part of a lazy conjugate.
// Follows torch.is_neg.
func (t *Tensor) IsNeg() bool { return question("IsNeg(self)", t, aten.IsNeg) }

// IsNonzero reports whether the single element of t is nonzero. It panics with
// ErrShape unless t has exactly one element. Follows torch.is_nonzero.
func (t *Tensor) IsNonzero() bool { return question("IsNonzero(self)", t, aten.IsNonzero) }

// IsSameSize reports whether t and other have the same shape.
// Follows torch.is_same_size.
func (t *Tensor) IsSameSize(other *Tensor) bool {
	const op = "IsSameSize(self, other)"
	t.handle(op, 0)
	other.handle(op, 1)
	return slices.Equal(t.Shape(), other.Shape())
}

// IsSetTo reports whether t and other use the same memory with the same offset,
// shape and strides. It panics with ErrDType or ErrRuntime if the dtypes differ
// or a tensor is not strided. Follows Tensor.is_set_to.
func (t *Tensor) IsSetTo(other *Tensor) bool {
	const op = "IsSetTo(self, other)"
	h, o := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	is, st := aten.IsSetTo(r.Ctx, h, o)
	r.Status(st)
	return is
}

func question(op string, t *Tensor, f func(abi.Ctx, abi.Tensor) (bool, abi.Status)) bool {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	is, st := f(r.Ctx, h)
	r.Status(st)
	return is
}

// GetDevice returns the index of t's GPU, or -1 if t is not on a GPU.
// Follows Tensor.get_device.
func (t *Tensor) GetDevice() int {
	if d := DeviceOf(t.info("GetDevice(self)").Device); d.IsCUDA() {
		return d.Index()
	}
	return -1
}

// DimOrder returns the dimensions in the order of memory, outermost first: 0,
// 2, 3, 1 for channels-last images. If several orders are possible, as with
// dimensions of size 1, it returns one of them. It panics with ErrRuntime for a
// tensor that is not strided. Follows Tensor.dim_order.
func (t *Tensor) DimOrder() []int64 {
	const op = "DimOrder(self)"
	if Layout(t.info(op).Layout+1) != Strided {
		panic(argError(op, ErrRuntime, "self", "expected a strided tensor, got one of layout "+t.Layout().String()))
	}
	shape, strides := t.Shape(), t.Stride()
	n := len(shape)
	order := make([]int64, n)
	for i := range order {
		order[i] = int64(i)
	}
	switch rows, channelsLast := t.IsContiguous(), t.isChannelsLast(); {
	case rows && !channelsLast || n < 2:
		return order
	case channelsLast && !rows:
		return append(append(order[:1], order[2:]...), 1)
	}
	// Use PyTorch's algorithm, an insertion sort from the innermost dimension. Other
	// algorithms give different orders, because equality according to compareDims is not
	// transitive.
	slices.Reverse(order)
	for i := 1; i < n; i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			c := compareDims(shape, strides, order[j], order[at])
			if c < 0 {
				break
			}
			if c > 0 {
				order[j], order[at] = order[at], order[j]
				at = j
			}
		}
	}
	slices.Reverse(order)
	return order
}

func (t *Tensor) isChannelsLast() bool {
	switch t.Dim() {
	case 4:
		return t.IsContiguous(ChannelsLast)
	case 5:
		return t.IsContiguous(ChannelsLast3d)
	}
	return false
}

// compareDims returns a positive number if dimension a is outside of dimension
// b in memory, a negative number if it is inside, and 0 if the strides do not
// decide.
func compareDims(shape, strides []int64, a, b int64) int {
	switch sa, sb := strides[a], strides[b]; {
	case sa == 0 || sb == 0:
		return 0
	case sa < sb || sa == sb && shape[a] <= shape[b]:
		if sa == sb {
			return 0
		}
		return -1
	}
	return 1
}
