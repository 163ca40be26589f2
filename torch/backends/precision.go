package backends

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// FP32Precision is the internal precision of float32 operators. PrecisionIEEE is full
// float32. PrecisionTF32 and PrecisionBF16 use fewer bits inside matrix products and
// convolutions. PrecisionNone uses the next more general setting.
type FP32Precision string

// These are the internal precisions of float32 operators.
const (
	PrecisionNone FP32Precision = "none"
	PrecisionIEEE FP32Precision = "ieee"
	PrecisionTF32 FP32Precision = "tf32"
	PrecisionBF16 FP32Precision = "bf16"
)

var precisions = []FP32Precision{PrecisionNone, PrecisionIEEE, PrecisionTF32, PrecisionBF16}

// These numbers identify libraries and operator families in libtorch.
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

// operators is a family of operators in a library.
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

// chosen returns the value to write in order to restore the current precision of o.
// libtorch does not tell whether that precision was set for o or comes from the setting
// for all libraries. If the two are equal, chosen assumes that it was not set for o.
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
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected none, ieee, tf32 or bf16, got %q", string(p))))
	}
	return int64(i)
}
