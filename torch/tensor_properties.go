package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// What is so of a tensor. All panic with ErrNil or ErrClosed for a tensor that
// is nil or closed.

// IsCPU reports whether t is in the computer's own memory. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_cpu.
func (t *Tensor) IsCPU() bool { return DeviceOf(t.info("IsCPU(self)").Device).IsCPU() }

// IsMeta reports whether t is on Meta and so has no elements. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_meta.
func (t *Tensor) IsMeta() bool {
	return DeviceOf(t.info("IsMeta(self)").Device).kind() == abi.DeviceMeta
}

// IsNested reports whether t is a list of tensors of several sizes. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_nested.
func (t *Tensor) IsNested() bool { return t.info("IsNested(self)").IsNested }

// IsInference reports whether t was made within [InferenceMode]. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_inference.
func (t *Tensor) IsInference() bool { return t.info("IsInference(self)").IsInference }

// IsQuantized reports whether t's elements are quantized numbers. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_quantized.
func (t *Tensor) IsQuantized() bool { return t.dtype("IsQuantized(self)").IsQuantized() }

// IsSigned reports whether t's dtype has negative numbers. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.is_signed.
func (t *Tensor) IsSigned() bool {
	switch d := t.dtype("IsSigned(self)"); d {
	case Bool, Uint8, Uint16, Uint32, Uint64, QUint8:
		return false
	default:
		return true
	}
}

// IsSparseCSR reports whether t's layout is SparseCSR, as Python's
// is_sparse_csr does. It panics with ErrNil or ErrClosed for a tensor that is
// nil or closed.
func (t *Tensor) IsSparseCSR() bool { return Layout(t.info("IsSparseCSR(self)").Layout+1) == SparseCSR }

// IsNeg reports whether the elements are to be negated when they are read, as
// those of the imaginary part of a pending conjugate are. It panics with ErrNil
// or ErrClosed for a tensor that is nil or closed. Follows torch.is_neg.
func (t *Tensor) IsNeg() bool { return question("IsNeg(self)", t, aten.IsNeg) }

// IsNonzero reports whether the one element of t is not 0. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with ErrShape
// unless t has exactly one element. Follows torch.is_nonzero.
func (t *Tensor) IsNonzero() bool { return question("IsNonzero(self)", t, aten.IsNonzero) }

// IsSameSize reports whether t and other have the same shape. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows torch.is_same_size.
func (t *Tensor) IsSameSize(other *Tensor) bool {
	const op = "IsSameSize(self, other)"
	t.handle(op, 0)
	other.handle(op, 1)
	return slices.Equal(t.Shape(), other.Shape())
}

// IsSetTo reports whether t and other are the same elements of the same memory,
// with equal shapes and strides. It panics with ErrNil or ErrClosed for a
// tensor that is nil or closed, and with ErrDType or ErrRuntime if the dtypes
// differ or a tensor is not strided. Follows Tensor.is_set_to.
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

// GetDevice returns the number of t's GPU, -1 for a tensor that is on none. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows Tensor.get_device.
func (t *Tensor) GetDevice() int {
	if d := DeviceOf(t.info("GetDevice(self)").Device); d.IsCUDA() {
		return d.Index()
	}
	return -1
}

// DimOrder returns the dimensions from the outermost to the innermost as they
// lie in memory: 0, 2, 3, 1 for images with the channels last. Where several
// orders are right, as with dimensions of size 1, it returns one of them. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrRuntime for a tensor that is not strided. Follows Tensor.dim_order.
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
	// An insertion sort from the innermost dimension on: what compares as equal
	// to some need not be equal to others.
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

// compareDims is positive if dimension a is outside of b, negative if it is
// inside, and 0 where that cannot be said.
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
