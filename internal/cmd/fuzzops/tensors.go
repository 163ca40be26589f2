package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

var dtypes = []int8{
	abi.DTypeBool, abi.DTypeUint8, abi.DTypeInt8, abi.DTypeInt16, abi.DTypeInt32, abi.DTypeInt64, abi.DTypeFloat16,
	abi.DTypeBFloat16, abi.DTypeFloat32, abi.DTypeFloat64, abi.DTypeComplex32, abi.DTypeComplex64, abi.DTypeComplex128,
	abi.DTypeFloat8E4M3FN, abi.DTypeUint16, abi.DTypeUint64,
}

var dtypeNames = map[int8]string{
	abi.DTypeBool: "bool", abi.DTypeUint8: "uint8", abi.DTypeInt8: "int8", abi.DTypeInt16: "int16",
	abi.DTypeInt32: "int32",
	abi.DTypeInt64: "int64", abi.DTypeFloat16: "half", abi.DTypeBFloat16: "bfloat16", abi.DTypeFloat32: "float",
	abi.DTypeFloat64: "double", abi.DTypeComplex32: "complex32", abi.DTypeComplex64: "complex64",
	abi.DTypeComplex128: "complex128", abi.DTypeFloat8E4M3FN: "float8", abi.DTypeUint16: "uint16",
	abi.DTypeUint64: "uint64",
}

// These are the forms that a tensor may have. plain is the most frequent.
const (
	plain = iota
	transposed
	expanded
	stepped // a view of every second element, from the second on
	meta
	hugeMeta
	sparse
	sparseRows
	sparseBlocks
	quantized
	channels // quantized, with a scale for each channel
	mkldnn
	nested
	conjugated
	negated
	layouts
)

var formNames = [layouts]string{
	"", " transposed", " expanded", " stepped", " meta", " meta", " sparse", " csr", " bsr", " quantized",
	" quantized by channel", " mkldnn", " nested", " conj", " neg",
}

func (a *Arguments) anyShape() []int64 {
	shape := make([]int64, pick(a, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5))
	for i := range shape {
		shape[i] = pick[int64](a, 1, 1, 2, 2, 3, 3, 4, 5)
		if a.chance(0.03) {
			shape[i] = pick[int64](a, 0, 0, 17, 64)
		}
	}
	if a.chance(0.03) && len(shape) > 0 {
		shape[a.rng.IntN(len(shape))] = 0
	}
	return shape
}

// tensor creates a tensor and describes it. If written is set, the operator writes to the
// tensor. Such a tensor is often empty.
func (a *Arguments) tensor(written bool) abi.Tensor {
	dtype, shape, form := a.dtype, a.shape, a.layout
	switch {
	case a.odd():
		dtype = pick(a, dtypes...)
	case a.chance(0.15):
		dtype = abi.DTypeInt64 // Indices and targets have this dtype.
	}
	switch {
	case written && a.chance(0.4):
		shape = []int64{0}
	case a.odd() && a.chance(0.5):
		shape = a.anyShape()
	case a.odd() && len(shape) > 0:
		shape = slices.Clone(shape)
		switch at := a.rng.IntN(len(shape)); a.rng.IntN(3) {
		case 0:
			shape = slices.Delete(shape, at, at+1)
		case 1:
			shape[at] = 1
		default:
			shape[at], shape[0] = shape[0], shape[at]
		}
	}
	if a.chance(0.2) && a.odd() {
		form = a.rng.IntN(layouts)
	}
	t := a.dense(dtype, shape)
	if t == 0 {
		a.say("undefined")
		return 0
	}
	name := dtypeNames[dtype]
	if form != plain {
		if u := a.reform(t, shape, form); u != 0 {
			t = u
			name += formNames[form]
		}
	}
	if a.Ctx&abi.CtxNoGrad == 0 && !written && a.chance(0.2) {
		if st := cgotorch.SetRequiresGrad(abi.CtxNoGrad, t, true); st != 0 {
			cgotorch.FreeStatus(st)
		} else {
			name += " with grad"
		}
	}
	a.say("%s%v", name, cgotorch.Sizes(t))
	return t
}

// keep takes ownership of the tensor in r and returns it. It returns zero if r is an
// error.
func (a *Arguments) keep(r abi.Ret) abi.Tensor {
	if r.Err != 0 {
		cgotorch.FreeStatus(r.Err)
		return 0
	}
	if r.T != 0 {
		a.tensors = append(a.tensors, r.T)
	}
	return r.T
}

func (a *Arguments) dense(dtype int8, shape []int64) abi.Tensor {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	data := a.bytes(dtype, int(n))
	return a.keep(cgotorch.FromData(abi.CtxNoGrad, unsafe.Pointer(unsafe.SliceData(data)), int64(len(data)), shape,
		dtype, 0))
}

// reform converts a plain tensor to another form, or returns zero if that is not
// possible.
func (a *Arguments) reform(t abi.Tensor, shape []int64, form int) abi.Tensor {
	const cx = abi.CtxNoGrad
	switch form {
	case transposed:
		return a.keep(aten.TransposeInt(cx, t, 0, -1))
	case expanded:
		return a.keep(aten.Expand(cx, t, append([]int64{pick[int64](a, 1, 2, 3)}, shape...), false))
	case stepped:
		start := int64(1)
		return a.keep(aten.SliceTensor(cx, t, -1, &start, nil, 2))
	case meta:
		return a.keep(aten.EmptyMemoryFormat(cx, shape, cgotorch.DType(t), -1, abi.DeviceMeta<<8, nil, -1))
	case hugeMeta:
		huge := append([]int64{pick[int64](a, 1<<31, 1<<32+1, 1<<40, 1<<61)}, shape...)
		return a.keep(aten.EmptyMemoryFormat(cx, huge, cgotorch.DType(t), -1, abi.DeviceMeta<<8, nil, -1))
	case sparse:
		return a.keep(aten.ToSparseSparseDim(cx, t, pick(a, int64(len(shape)), 1)))
	case sparseRows:
		return a.keep(aten.ToSparseCsr(cx, t, nil))
	case sparseBlocks:
		return a.keep(aten.ToSparseBsr(cx, t, []int64{1, 1}, nil))
	case quantized:
		return a.keep(aten.QuantizePerTensor(cx, a.dense(abi.DTypeFloat32, shape), 0.1, 3,
			pick[int8](a, abi.DTypeQInt8, abi.DTypeQUint8, abi.DTypeQInt32)))
	case channels:
		if len(shape) == 0 {
			return 0
		}
		scales, zeros := a.dense(abi.DTypeFloat64, shape[:1]), a.dense(abi.DTypeInt64, shape[:1])
		return a.keep(aten.QuantizePerChannel(cx, a.dense(abi.DTypeFloat32, shape), scales, zeros, 0,
			pick[int8](a, abi.DTypeQInt8, abi.DTypeQUint8)))
	case mkldnn:
		return a.keep(aten.ToMkldnn(cx, t, -1))
	case nested:
		return a.keep(aten.UnderNestedTensorFromTensorList(cx, []abi.Tensor{t, t}, -1, -1, -1, nil))
	case conjugated:
		return a.keep(aten.UnderConj(cx, t))
	case negated:
		return a.keep(aten.UnderNegView(cx, t))
	}
	return 0
}

// bytes returns n elements of a tensor as bytes: small numbers, and sometimes a few
// hostile ones.
func (a *Arguments) bytes(dtype int8, n int) []byte {
	hostile := a.odd() || a.chance(0.2)
	b := make([]byte, 0, 16*n)
	for range n {
		odd := hostile && a.chance(a.rough)
		b = a.element(b, dtype, odd)
	}
	return b
}

func (a *Arguments) element(b []byte, dtype int8, odd bool) []byte {
	le := binary.LittleEndian
	small := pick[int64](a, 0, 1, 2, 3)
	f := float64(small) + 0.5
	n := small
	if odd {
		n = pick[int64](a, math.MinInt64, math.MinInt64, -1, -1, math.MaxInt64, -2, 1<<31, -1<<31, 1<<40, 100, -100,
			1<<15, -128)
		f = pick(a, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -1, -0.5, 1e-310, 1e30, -1e10, 0)
	}
	switch dtype {
	case abi.DTypeBool:
		return append(b, byte(small&1))
	case abi.DTypeUint8, abi.DTypeInt8:
		return append(b, byte(lowest(n, 8)))
	case abi.DTypeInt16, abi.DTypeUint16:
		return le.AppendUint16(b, uint16(lowest(n, 16)))
	case abi.DTypeInt32:
		return le.AppendUint32(b, uint32(lowest(n, 32)))
	case abi.DTypeInt64, abi.DTypeUint64:
		return le.AppendUint64(b, uint64(n))
	case abi.DTypeFloat16, abi.DTypeComplex32:
		h := pick[uint16](a, 0, 0x3c00, 0x4000, 0x3800)
		if odd {
			h = pick[uint16](a, 0x7c00, 0xfc00, 0x7e00, 1, 0x7bff, 0x8000)
		}
		b = le.AppendUint16(b, h)
		if dtype == abi.DTypeComplex32 {
			b = le.AppendUint16(b, h)
		}
		return b
	case abi.DTypeBFloat16:
		return le.AppendUint16(b, uint16(math.Float32bits(float32(f))>>16))
	case abi.DTypeFloat32:
		return le.AppendUint32(b, math.Float32bits(float32(f)))
	case abi.DTypeFloat64:
		return le.AppendUint64(b, math.Float64bits(f))
	case abi.DTypeComplex64:
		return le.AppendUint32(le.AppendUint32(b, math.Float32bits(float32(f))), math.Float32bits(float32(small)))
	case abi.DTypeComplex128:
		return le.AppendUint64(le.AppendUint64(b, math.Float64bits(f)), math.Float64bits(float64(small)))
	case abi.DTypeFloat8E4M3FN:
		return append(b, pick[byte](a, 0, 0x38, 0x40, 0x7f))
	}
	panic(fmt.Sprint("fuzzops: no elements of dtype ", dtype))
}

// lowest converts a number to fewer bits, so that extreme values remain extreme.
func lowest(n int64, bits int) int64 {
	switch n {
	case math.MinInt64:
		return -1 << (bits - 1)
	case math.MaxInt64:
		return 1<<(bits-1) - 1
	}
	return n
}
