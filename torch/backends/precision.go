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

// operators are one family of operators in one library.
type operators struct {
	name        string
	library, op int
}

func (o operators) get() FP32Precision {
	return precisions[o.read("backends."+o.name+".FP32Precision")]
}

func (o operators) set(p FP32Precision) {
	op := "backends." + o.name + ".SetFP32Precision"
	o.write(op, precisionOf(op, "precision", p))
}

func (o operators) read(op string) int64 {
	r := torch.BeginRaw(op)
	p, st := cgotorch.FP32Precision(o.library, o.op)
	r.Status(st)
	return int64(p)
}

// chosen returns what to write so that read gives the same again. libtorch does not tell
// whether it comes from the setting of all libraries; where that is the same, it does.
func (o operators) chosen(op string) int64 {
	p := o.read(op)
	if p == all().read(op) {
		return 0 // PrecisionNone
	}
	return p
}

func (o operators) write(op string, value int64) {
	r := torch.BeginRaw(op)
	st := cgotorch.SetFP32Precision(o.library, o.op, int(value))
	r.Status(st)
}

func precisionOf(op, arg string, p FP32Precision) int64 {
	i := slices.Index(precisions, p)
	if i < 0 {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected none, ieee, tf32 or bf16, got %q", string(p))))
	}
	return int64(i)
}
