package safetensors

import "github.com/gotorch/gotorch/torch"

// code is a dtype of the safetensors format, with its name in the format.
type code struct {
	name  string
	bits  int64
	dtype torch.DType // 0 if libtorch does not have it
	pack  int64       // how many elements of the format are one element in libtorch
}

// codes are the dtypes of the format. A file's tensors are sorted by dtype, in the reverse
// of this order, so that each tensor is aligned.
var codes = []code{
	{"BOOL", 8, torch.Bool, 1},
	{"F4", 4, torch.Float4E2M1FNX2, 2},
	{"F6_E2M3", 6, 0, 1},
	{"F6_E3M2", 6, 0, 1},
	{"U8", 8, torch.Uint8, 1},
	{"I8", 8, torch.Int8, 1},
	{"F8_E5M2", 8, torch.Float8E5M2, 1},
	{"F8_E4M3", 8, torch.Float8E4M3FN, 1},
	{"F8_E8M0", 8, torch.Float8E8M0FNU, 1},
	{"F8_E4M3FNUZ", 8, torch.Float8E4M3FNU, 1},
	{"F8_E5M2FNUZ", 8, torch.Float8E5M2FN, 1},
	{"I16", 16, torch.Int16, 1},
	{"U16", 16, torch.Uint16, 1},
	{"F16", 16, torch.Float16, 1},
	{"BF16", 16, torch.BFloat16, 1},
	{"I32", 32, torch.Int32, 1},
	{"U32", 32, torch.Uint32, 1},
	{"F32", 32, torch.Float32, 1},
	{"C64", 64, torch.Complex64, 1},
	{"F64", 64, torch.Float64, 1},
	{"I64", 64, torch.Int64, 1},
	{"U64", 64, torch.Uint64, 1},
}

// codeNamed returns the index in codes of the dtype with the given name, or -1 if the
// format does not have it.
func codeNamed(name string) int {
	for i := range codes {
		if codes[i].name == name {
			return i
		}
	}
	return -1
}

// codeOf returns the index in codes of a dtype, or -1 if the format does not have it.
func codeOf(d torch.DType) int {
	for i := range codes {
		if codes[i].dtype == d && d != 0 {
			return i
		}
	}
	return -1
}
