package gguf

import (
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// Type is the type of a tensor's elements in a file. The number is the format's. Quantized
// types store elements in blocks; a row of a tensor consists of whole blocks. It is
// GGMLQuantizationType in Python.
type Type uint32

// These are the types of the format. Blocks of types whose name contains _K have 256
// elements.
const (
	TypeF32    Type = 0
	TypeF16    Type = 1
	TypeQ4_0   Type = 2
	TypeQ4_1   Type = 3
	TypeQ5_0   Type = 6
	TypeQ5_1   Type = 7
	TypeQ8_0   Type = 8
	TypeQ8_1   Type = 9
	TypeQ2_K   Type = 10
	TypeQ3_K   Type = 11
	TypeQ4_K   Type = 12
	TypeQ5_K   Type = 13
	TypeQ6_K   Type = 14
	TypeQ8_K   Type = 15
	TypeIQ2XXS Type = 16
	TypeIQ2XS  Type = 17
	TypeIQ3XXS Type = 18
	TypeIQ1S   Type = 19
	TypeIQ4NL  Type = 20
	TypeIQ3S   Type = 21
	TypeIQ2S   Type = 22
	TypeIQ4XS  Type = 23
	TypeI8     Type = 24
	TypeI16    Type = 25
	TypeI32    Type = 26
	TypeI64    Type = 27
	TypeF64    Type = 28
	TypeIQ1M   Type = 29
	TypeBF16   Type = 30
	TypeTQ1_0  Type = 34
	TypeTQ2_0  Type = 35
	TypeMXFP4  Type = 39
	TypeNVFP4  Type = 40
	TypeQ1_0   Type = 41
)

// layout describes how a type stores elements.
type layout struct {
	name  string
	block int64       // elements in a block
	bytes int64       // bytes in a block
	dtype torch.DType // 0 if libtorch cannot use the bytes as they are
	read  kernel      // nil if the package cannot convert the type
}

// kernel converts blocks to float32. src consists of whole blocks, and dst has the same number
// of elements.
type kernel func(dst []float32, src []byte)

var layouts = map[Type]layout{
	TypeF32:    {"F32", 1, 4, torch.Float32, readF32},
	TypeF16:    {"F16", 1, 2, torch.Float16, readF16},
	TypeBF16:   {"BF16", 1, 2, torch.BFloat16, readBF16},
	TypeF64:    {"F64", 1, 8, torch.Float64, readF64},
	TypeI8:     {"I8", 1, 1, torch.Int8, readI8},
	TypeI16:    {"I16", 1, 2, torch.Int16, readI16},
	TypeI32:    {"I32", 1, 4, torch.Int32, readI32},
	TypeI64:    {"I64", 1, 8, torch.Int64, readI64},
	TypeQ4_0:   {"Q4_0", 32, 18, 0, readQ40},
	TypeQ4_1:   {"Q4_1", 32, 20, 0, readQ41},
	TypeQ5_0:   {"Q5_0", 32, 22, 0, readQ50},
	TypeQ5_1:   {"Q5_1", 32, 24, 0, readQ51},
	TypeQ8_0:   {"Q8_0", 32, 34, 0, readQ80},
	TypeQ8_1:   {"Q8_1", 32, 40, 0, nil},
	TypeQ2_K:   {"Q2_K", 256, 84, 0, readQ2K},
	TypeQ3_K:   {"Q3_K", 256, 110, 0, readQ3K},
	TypeQ4_K:   {"Q4_K", 256, 144, 0, readQ4K},
	TypeQ5_K:   {"Q5_K", 256, 176, 0, readQ5K},
	TypeQ6_K:   {"Q6_K", 256, 210, 0, readQ6K},
	TypeQ8_K:   {"Q8_K", 256, 292, 0, readQ8K},
	TypeIQ2XXS: {"IQ2_XXS", 256, 66, 0, nil},
	TypeIQ2XS:  {"IQ2_XS", 256, 74, 0, nil},
	TypeIQ3XXS: {"IQ3_XXS", 256, 98, 0, nil},
	TypeIQ1S:   {"IQ1_S", 256, 50, 0, nil},
	TypeIQ4NL:  {"IQ4_NL", 32, 18, 0, readIQ4NL},
	TypeIQ3S:   {"IQ3_S", 256, 110, 0, nil},
	TypeIQ2S:   {"IQ2_S", 256, 82, 0, nil},
	TypeIQ4XS:  {"IQ4_XS", 256, 136, 0, readIQ4XS},
	TypeIQ1M:   {"IQ1_M", 256, 56, 0, nil},
	TypeTQ1_0:  {"TQ1_0", 256, 54, 0, readTQ10},
	TypeTQ2_0:  {"TQ2_0", 256, 66, 0, readTQ20},
	TypeMXFP4:  {"MXFP4", 32, 17, 0, readMXFP4},
	TypeNVFP4:  {"NVFP4", 64, 36, 0, readNVFP4},
	TypeQ1_0:   {"Q1_0", 128, 18, 0, nil},
}

// String returns the name of the type in the format, such as "Q4_K".
func (t Type) String() string {
	if l, ok := layouts[t]; ok {
		return l.name
	}
	return "Type(" + strconv.FormatUint(uint64(t), 10) + ")"
}

// BlockSize returns the number of elements in a block: 1 for types that are not quantized,
// 0 for unknown types.
func (t Type) BlockSize() int64 { return layouts[t].block }

// BlockBytes returns the number of bytes in a block, or 0 for unknown types.
func (t Type) BlockBytes() int64 { return layouts[t].bytes }

// DType returns the dtype with the same elements, or 0 if the type is quantized or unknown.
func (t Type) DType() torch.DType { return layouts[t].dtype }

// Convertible reports whether [File.Load] and [Dequantize] can convert the type. For other
// known types, [File.Raw] returns the blocks.
func (t Type) Convertible() bool { return layouts[t].read != nil }

// TypeOf returns the type with the same elements as a dtype, and false if there is none.
func TypeOf(dtype torch.DType) (Type, bool) {
	for t, l := range layouts {
		if l.dtype == dtype && dtype != 0 {
			return t, true
		}
	}
	return 0, false
}
