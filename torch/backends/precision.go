package backends

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// FP32Precision says how exact operators on float32 are: PrecisionIEEE as float32 is,
// PrecisionTF32 and PrecisionBF16 with fewer bits inside of products, PrecisionNone as
// the next more general setting says.
type FP32Precision string

// How exact operators on float32 are.
const (
	PrecisionNone FP32Precision = "none"
	PrecisionIEEE FP32Precision = "ieee"
	PrecisionTF32 FP32Precision = "tf32"
	PrecisionBF16 FP32Precision = "bf16"
)

var precisions = []FP32Precision{PrecisionNone, PrecisionIEEE, PrecisionTF32, PrecisionBF16}

// libtorch's numbers.
const (
	genericLibrary = iota
	cudaLibrary
	mkldnnLibrary
)

const (
	allOps = iota
	convOps
	rnnOps
	matmulOps
)

// An Operators value has the precision of one family of operators in one library.
type Operators struct {
	name        string
	library, op int
}

// FP32Precision returns how exact these operators are, PrecisionNone where nothing was
// chosen for them and none of the more general settings says more.
// Follows torch.backends.cudnn.conv.fp32_precision and its like.
func (o Operators) FP32Precision() FP32Precision {
	r := torch.BeginRaw("backends." + o.name + ".FP32Precision")
	p, st := cgotorch.FP32Precision(o.library, o.op)
	r.Status(st)
	return precisions[p]
}

// SetFP32Precision chooses how exact these operators are, for the whole process. It
// panics with ErrValue for another word, and with ErrRuntime for a precision that the
// library does not have: CUDA's have no PrecisionBF16.
// Follows torch.backends.cudnn.conv.fp32_precision and its like.
func (o Operators) SetFP32Precision(p FP32Precision) {
	op := "backends." + o.name + ".SetFP32Precision"
	i := slices.Index(precisions, p)
	if i < 0 {
		panic(torch.NewError(op, torch.ErrValue, "precision", fmt.Sprintf("expected none, ieee, tf32 or bf16, got %q", string(p))))
	}
	r := torch.BeginRaw(op)
	st := cgotorch.SetFP32Precision(o.library, o.op, i)
	r.Status(st)
}

// All is how exact operators of all libraries are that nothing else was chosen for,
// torch.backends.fp32_precision in Python.
var All = Operators{"All", genericLibrary, allOps}
