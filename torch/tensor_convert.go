package torch

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// To returns the tensor with a different dtype, device or memory format. If nothing
// changes and [Copy] is not given, the result is a new handle that shares t's memory;
// close it like any other. It panics with ErrDevice if the device does not exist, and
// with ErrShape if the memory format is for a different number of dimensions.
// Follows Tensor.to.
func (t *Tensor) To(opts ...ToOption) *Tensor {
	return convert("To(self)", t, opts)
}

// convert implements To. Errors name op.
func convert(op string, t *Tensor, opts []ToOption) *Tensor {
	h := t.handle(op, 0)
	c := readCreation(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.ToDtypeLayout(r.Ctx, h, c.dtype, c.layout, c.device, nil, c.nonBlocking, c.copyFresh,
		c.format))
}

// toDType converts t to the dtype d. If t has it already, the result shares t's
// memory.
func toDType(op string, t *Tensor, d DType) *Tensor {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	return r.Tensor(aten.ToDtype(r.Ctx, h, d.code(), false, false, -1))
}

// Float converts to Float32. If t has the dtype already, the result shares its memory;
// otherwise it is a copy. Gradients flow back. The other conversions below work the same
// way. Follows Tensor.float.
func (t *Tensor) Float() *Tensor { return toDType("Float(self)", t, Float32) }

// Double converts to Float64. See [Tensor.Float]. Follows Tensor.double.
func (t *Tensor) Double() *Tensor { return toDType("Double(self)", t, Float64) }

// Half converts to Float16. See [Tensor.Float]. Follows Tensor.half.
func (t *Tensor) Half() *Tensor { return toDType("Half(self)", t, Float16) }

// BFloat16 converts to BFloat16. See [Tensor.Float]. Follows Tensor.bfloat16.
func (t *Tensor) BFloat16() *Tensor { return toDType("BFloat16(self)", t, BFloat16) }

// Byte converts to Uint8, truncating towards zero. See [Tensor.Float].
// Follows Tensor.byte.
func (t *Tensor) Byte() *Tensor { return toDType("Byte(self)", t, Uint8) }

// Char converts to Int8, truncating towards zero. See [Tensor.Float].
// Follows Tensor.char.
func (t *Tensor) Char() *Tensor { return toDType("Char(self)", t, Int8) }

// Short converts to Int16, truncating towards zero. See [Tensor.Float].
// Follows Tensor.short.
func (t *Tensor) Short() *Tensor { return toDType("Short(self)", t, Int16) }

// Int converts to Int32, truncating towards zero. See [Tensor.Float].
// Follows Tensor.int.
func (t *Tensor) Int() *Tensor { return toDType("Int(self)", t, Int32) }

// Long converts to Int64, truncating towards zero. See [Tensor.Float].
// Follows Tensor.long.
func (t *Tensor) Long() *Tensor { return toDType("Long(self)", t, Int64) }

// Bool converts to Bool: true where t is nonzero. See [Tensor.Float].
// Follows Tensor.bool.
func (t *Tensor) Bool() *Tensor { return toDType("Bool(self)", t, Bool) }

// CFloat converts to Complex64. See [Tensor.Float]. Follows Tensor.cfloat.
func (t *Tensor) CFloat() *Tensor { return toDType("CFloat(self)", t, Complex64) }

// CDouble converts to Complex128. See [Tensor.Float]. Follows Tensor.cdouble.
func (t *Tensor) CDouble() *Tensor { return toDType("CDouble(self)", t, Complex128) }

// TypeAs converts t to the dtype and device of other. If t has both already,
// the result shares its memory. Follows Tensor.type_as.
func (t *Tensor) TypeAs(other *Tensor) *Tensor {
	return binary("TypeAs(self, other)", aten.TypeAs, t, other)
}

// ToDevice copies the tensor to a device; the zero Device is the default
// device. If the tensor is there already, the result shares its memory. It
// panics with ErrDevice if the device does not exist.
// Follows Tensor.to(device).
func (t *Tensor) ToDevice(dev Device) *Tensor { return t.toDevice("ToDevice(self)", dev) }

// CPU copies the tensor to the CPU. If it is there already, the result shares
// its memory. Follows Tensor.cpu.
func (t *Tensor) CPU() *Tensor { return t.toDevice("CPU(self)", CPU) }

// CUDA copies the tensor to the current CUDA device. If it is there already, the result
// shares its memory. For any other device see [Tensor.ToDevice]. It panics with ErrDevice
// if there is no CUDA device. Follows Tensor.cuda.
func (t *Tensor) CUDA() *Tensor { return t.toDevice("CUDA(self)", CUDA) }

func (t *Tensor) toDevice(op string, dev Device) *Tensor {
	h := t.handle(op, 0)
	dev = dev.orDefault()
	dev.need(op)
	r := BeginRaw(op, t)
	return r.Tensor(aten.ToDtypeLayout(r.Ctx, h, -1, -1, dev.code(), nil, false, false, -1))
}

// PinMemory copies the tensor to page-locked host memory, from which copies to
// a GPU can run asynchronously. It panics with ErrDevice if there is no GPU.
// Follows Tensor.pin_memory.
func (t *Tensor) PinMemory() *Tensor {
	const op = "PinMemory(self)"
	t.handle(op, 0)
	CUDA.need(op)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PinMemory(cx, h, -1) }, t)
}

// IsPinned reports whether the data is in page-locked host memory.
// Follows Tensor.is_pinned.
func (t *Tensor) IsPinned() bool {
	const op = "IsPinned(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	pinned, st := aten.IsPinned(r.Ctx, h, -1)
	r.Status(st)
	return pinned
}

// Clone copies the tensor. The copy has t's strides unless a memory format is given.
// Gradients flow back. It panics with ErrNil for a nil option, and with ErrShape if the
// memory format is for a different number of dimensions. Follows torch.clone.
func (t *Tensor) Clone(opts ...FormatOption) *Tensor {
	const op = "Clone(self)"
	h, c := t.handle(op, 0), readCreation(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Clone(r.Ctx, h, c.format))
}

// Contiguous returns the tensor with its elements in logical order, or in the order of a
// memory format if one is given. If they are in that order already, the result shares t's
// memory; otherwise it is a copy. It panics with ErrNil for a nil option, and with
// ErrShape if the memory format is for a different number of dimensions.
// Follows Tensor.contiguous.
func (t *Tensor) Contiguous(opts ...FormatOption) *Tensor {
	const op = "Contiguous(self)"
	h, c := t.handle(op, 0), readCreation(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Contiguous(r.Ctx, h, c.orFormat(ContiguousFormat)))
}

// Detach returns a tensor that shares t's memory and is not part of the
// autograd graph. It keeps the memory alive, but not the graph.
// Follows Tensor.detach.
func (t *Tensor) Detach() *Tensor { return unary("Detach(self)", aten.Detach, t) }

// Data returns a tensor that shares t's memory and is not part of the autograd graph.
// Unlike with Detach, autograd does not notice in-place changes to the result.
// [Tensor.SetData] corresponds to an assignment to Tensor.data in Python.
// Follows Tensor.data.
func (t *Tensor) Data() *Tensor { return unary("Data(self)", aten.Data, t) }

// Detach_ removes t from the autograd graph and returns t. It panics with
// ErrAutograd for a view. Follows Tensor.detach_.
func (t *Tensor) Detach_() *Tensor { return unaryInPlace("Detach_(self)", aten.Detach_, t) }

// PromoteTypes returns the smallest dtype that holds the values of both dtypes.
// Operators on tensors of these dtypes return it. It panics with ErrDType if
// there is no such dtype. Follows torch.promote_types.
func PromoteTypes(a, b DType) DType {
	const op = "PromoteTypes()"
	r := BeginRaw(op)
	d, st := aten.PromoteTypes(r.Ctx, a.code(), b.code())
	err := Try(func() { r.Status(st) })
	if e, ok := err.(*Error); ok { //nolint:errorlint // Try returns only *Error values
		if strings.Contains(e.Message, "INTERNAL ASSERT") { // libtorch's table of promotions lacks some dtypes
			e = argError(op, ErrDType, "b", fmt.Sprintf("no dtype can hold the values of both %v and %v", a, b))
		}
		panic(e)
	}
	return DTypeOf(int8(d))
}

// ResultType returns the dtype of the result of an operator on both tensors.
// Follows torch.result_type.
func ResultType(a, b *Tensor) DType {
	const op = "ResultType(a, b)"
	ha, hb := a.handle(op, 0), b.handle(op, 1)
	r := BeginRaw(op, a, b)
	d, st := aten.ResultTypeTensor(r.Ctx, ha, hb)
	r.Status(st)
	return DTypeOf(int8(d))
}

// CanCast reports whether PyTorch's promotion rules allow an in-place operator to store
// values of the first dtype in a tensor of the second. Follows torch.can_cast.
func CanCast(from, to DType) bool {
	const op = "CanCast()"
	r := BeginRaw(op)
	ok, st := aten.CanCast(r.Ctx, from.code(), to.code())
	r.Status(st)
	return ok
}
