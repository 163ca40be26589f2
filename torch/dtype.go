package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// DType is the element type of a tensor. Follows torch.dtype. The zero DType
// means "not given": the operator chooses, as PyTorch does with dtype=None. A
// DType is an option of the creation functions.
type DType int8

// These are the element types. Each is libtorch's ScalarType plus one, so that the zero
// value can mean "not given".
const (
	Uint8         DType = abi.DTypeUint8 + 1
	Int8          DType = abi.DTypeInt8 + 1
	Int16         DType = abi.DTypeInt16 + 1
	Int32         DType = abi.DTypeInt32 + 1
	Int64         DType = abi.DTypeInt64 + 1
	Float16       DType = abi.DTypeFloat16 + 1   // torch.half
	Float32       DType = abi.DTypeFloat32 + 1   // torch.float
	Float64       DType = abi.DTypeFloat64 + 1   // torch.double
	Complex32     DType = abi.DTypeComplex32 + 1 // torch.chalf: two Float16
	Complex64     DType = abi.DTypeComplex64 + 1
	Complex128    DType = abi.DTypeComplex128 + 1
	Bool          DType = abi.DTypeBool + 1
	QInt8         DType = abi.DTypeQInt8 + 1
	QUint8        DType = abi.DTypeQUint8 + 1
	QInt32        DType = abi.DTypeQInt32 + 1
	BFloat16      DType = abi.DTypeBFloat16 + 1
	QUint4x2      DType = abi.DTypeQUint4x2 + 1
	QUint2x4      DType = abi.DTypeQUint2x4 + 1
	Bits1x8       DType = abi.DTypeBits1x8 + 1
	Bits2x4       DType = abi.DTypeBits2x4 + 1
	Bits4x2       DType = abi.DTypeBits4x2 + 1
	Bits8         DType = abi.DTypeBits8 + 1
	Bits16        DType = abi.DTypeBits16 + 1
	Float8E5M2    DType = abi.DTypeFloat8E5M2 + 1
	Float8E4M3FN  DType = abi.DTypeFloat8E4M3FN + 1
	Float8E5M2FN  DType = abi.DTypeFloat8E5M2FNUZ + 1 // torch.float8_e5m2fnuz
	Float8E4M3FNU DType = abi.DTypeFloat8E4M3FNUZ + 1 // torch.float8_e4m3fnuz
	Uint16        DType = abi.DTypeUint16 + 1
	Uint32        DType = abi.DTypeUint32 + 1
	Uint64        DType = abi.DTypeUint64 + 1

	// These are the element types of scaled formats (MX). Few operators support them.
	Float8E8M0FNU  DType = 44 + 1 // torch.float8_e8m0fnu: powers of two
	Float4E2M1FNX2 DType = 45 + 1 // torch.float4_e2m1fn_x2: two numbers in a byte
)

type dtypeInfo struct {
	name string
	size int8
	kind dtypeKind
}

type dtypeKind int8

const (
	kindOther dtypeKind = iota
	kindInt
	kindFloat
	kindComplex
	kindBool
	kindQuantized
)

var dtypes = [...]dtypeInfo{
	Uint8: {"uint8", 1, kindInt}, Int8: {"int8", 1, kindInt}, Int16: {"int16", 2, kindInt},
	Int32: {"int32", 4, kindInt}, Int64: {"int64", 8, kindInt},
	Float16: {"float16", 2, kindFloat}, Float32: {"float32", 4, kindFloat}, Float64: {"float64", 8, kindFloat},
	Complex32: {"complex32", 4, kindComplex}, Complex64: {"complex64", 8, kindComplex},
	Complex128: {"complex128", 16, kindComplex}, Bool: {"bool", 1, kindBool},
	QInt8: {"qint8", 1, kindQuantized}, QUint8: {"quint8", 1, kindQuantized}, QInt32: {"qint32", 4, kindQuantized},
	BFloat16: {"bfloat16", 2, kindFloat}, QUint4x2: {"quint4x2", 1, kindQuantized},
	QUint2x4: {"quint2x4", 1, kindQuantized},
	Bits1x8:  {"bits1x8", 1, kindOther}, Bits2x4: {"bits2x4", 1, kindOther}, Bits4x2: {"bits4x2", 1, kindOther},
	Bits8: {"bits8", 1, kindOther}, Bits16: {"bits16", 2, kindOther},
	Float8E5M2: {"float8_e5m2", 1, kindFloat}, Float8E4M3FN: {"float8_e4m3fn", 1, kindFloat},
	Float8E5M2FN: {"float8_e5m2fnuz", 1, kindFloat}, Float8E4M3FNU: {"float8_e4m3fnuz", 1, kindFloat},
	Float8E8M0FNU: {"float8_e8m0fnu", 1, kindFloat}, Float4E2M1FNX2: {"float4_e2m1fn_x2", 1, kindFloat},
	Uint16: {"uint16", 2, kindInt}, Uint32: {"uint32", 4, kindInt}, Uint64: {"uint64", 8, kindInt},
}

func (d DType) info() dtypeInfo {
	if d > 0 && int(d) < len(dtypes) && dtypes[d].name != "" {
		return dtypes[d]
	}
	return dtypeInfo{name: fmt.Sprintf("dtype(%d)", int8(d))}
}

// String returns PyTorch's name without the module, such as "float32".
func (d DType) String() string {
	if d == 0 {
		return "default"
	}
	return d.info().name
}

// Size returns the size of one element in bytes, or 0 for an unknown type.
func (d DType) Size() int64 { return int64(d.info().size) }

// IsFloatingPoint reports whether the type holds real floating-point numbers.
func (d DType) IsFloatingPoint() bool { return d.info().kind == kindFloat }

// IsComplex reports whether the type holds complex numbers.
func (d DType) IsComplex() bool { return d.info().kind == kindComplex }

// IsInteger reports whether the type holds integers. It is false for Bool.
func (d DType) IsInteger() bool { return d.info().kind == kindInt }

// IsQuantized reports whether the type holds quantized numbers: integers that a
// scale and a zero point map to real numbers.
func (d DType) IsQuantized() bool { return d.info().kind == kindQuantized }

// code returns libtorch's number for the type, or -1 for the zero DType.
func (d DType) code() int8 { return int8(d) - 1 }

// Code returns libtorch's ScalarType number for package cgotorch, or -1 for the
// zero DType.
func (d DType) Code() int8 { return d.code() }

// DTypeOf converts a ScalarType number of package cgotorch.
func DTypeOf(code int8) DType { return DType(code + 1) }

// Layout is how a tensor stores its elements. Follows torch.layout. The zero
// Layout means "not given".
type Layout int8

// These are the layouts.
const (
	Strided   Layout = 1
	SparseCOO Layout = 2
	SparseCSR Layout = 3
	Mkldnn    Layout = 4
	SparseCSC Layout = 5
	SparseBSR Layout = 6
	SparseBSC Layout = 7
	Jagged    Layout = 8
)

func (l Layout) code() int8 { return int8(l) - 1 }

// Code returns libtorch's Layout number, or -1 for the zero Layout.
func (l Layout) Code() int8 { return l.code() }

// These are the counts of layouts and of memory formats, including their zero values.
const (
	layouts       = 9
	memoryFormats = 5
)

// String returns PyTorch's name of the layout.
func (l Layout) String() string {
	names := [layouts]string{
		"default", "strided", "sparse_coo", "sparse_csr", "mkldnn", "sparse_csc", "sparse_bsr",
		"sparse_bsc", "jagged",
	}
	if l >= 0 && int(l) < len(names) {
		return names[l]
	}
	return fmt.Sprintf("layout(%d)", int8(l))
}

// MemoryFormat is the order of a tensor's dimensions in memory.
// Follows torch.memory_format. The zero MemoryFormat means "not given".
type MemoryFormat int8

// These are the memory formats.
const (
	ContiguousFormat MemoryFormat = 1
	PreserveFormat   MemoryFormat = 2
	ChannelsLast     MemoryFormat = 3
	ChannelsLast3d   MemoryFormat = 4
)

// String returns Python's name without "torch.", such as "channels_last".
func (m MemoryFormat) String() string {
	names := [memoryFormats]string{
		"default", "contiguous_format", "preserve_format", "channels_last",
		"channels_last_3d",
	}
	if m >= 0 && int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("memory_format(%d)", int8(m))
}

// Code returns libtorch's MemoryFormat number, or -1 for the zero MemoryFormat.
func (m MemoryFormat) Code() int8 { return int8(m) - 1 }
