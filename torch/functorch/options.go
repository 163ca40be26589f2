package functorch

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// NotMapped is the dimension of an argument that [VMap] does not go over: the function
// gets all of it for each example. It is None of in_dims in Python.
const NotMapped = math.MinInt64

// A VMapOption configures [VMap]: [InDim] or [InDims], [OutDim] or [OutDims], a
// [Randomness], [ChunkSize].
//
//gotorch:options InDim InDims OutDim OutDims Randomness ChunkSize
type VMapOption interface{ vmapOption() }

// InDim is the dimension of each argument that VMap maps over; a negative one counts from the end.
// It is in_dims in Python. The default is 0.
type InDim int64

// InDims are the dimensions that VMap goes over, one for each argument, with [NotMapped]
// among them.
type InDims []int64

// OutDim is where the examples go in each result, out_dims in Python. The default is 0.
type OutDim int64

// OutDims is OutDim for each result.
type OutDims []int64

// Randomness selects how random numbers are drawn within [VMap]: [RandomnessError],
// [RandomnessDifferent] or [RandomnessSame].
type Randomness string

// The kinds of randomness.
const (
	RandomnessError     Randomness = "error"     // it panics, the default
	RandomnessDifferent Randomness = "different" // each example has its own numbers
	RandomnessSame      Randomness = "same"      // all examples have the same numbers
)

// ChunkSize is how many examples VMap, or how many rows of a Jacobian [Jacrev], works on at
// once: fewer take less memory and more time. The default, and 0, is all of them.
type ChunkSize int64

// A GradOption selects what [Grad] and [GradAndValue] differentiate: [ArgNum] or
// [ArgNums], [HasAux].
//
//gotorch:options ArgNum ArgNums HasAux
type GradOption interface{ gradOption() }

// A JacrevOption configures [Jacrev]: [ArgNum] or [ArgNums], [ChunkSize].
//
//gotorch:options ArgNum ArgNums ChunkSize
type JacrevOption interface{ jacrevOption() }

// A JacfwdOption configures [Jacfwd]: [ArgNum] or [ArgNums], a [Randomness].
//
//gotorch:options ArgNum ArgNums Randomness
type JacfwdOption interface{ jacfwdOption() }

// A HessianOption selects what [Hessian] differentiates by: [ArgNum] or [ArgNums].
//
//gotorch:options ArgNum ArgNums
type HessianOption interface{ hessianOption() }

// A JVPOption configures [JVP]: [Strict].
//
//gotorch:options Strict
type JVPOption interface{ jvpOption() }

// ArgNum is the position of the argument to differentiate by, argnums in Python; a
// negative one counts from the end. The default is 0.
type ArgNum int

// ArgNums are the positions of several arguments to differentiate by.
type ArgNums []int

// HasAux says that the function has further results, which are not differentiated and
// come out as they are. The default is false.
type HasAux bool

// Strict makes a result without a derivative an error. The default is false: its
// derivative is zero.
type Strict bool

// derivative are the options of the transforms that differentiate, read.
type derivative struct {
	args       []int
	aux        bool
	strict     bool
	chunk      int64
	randomness Randomness
}

func readDerivative[O any](op string, opts []O) derivative {
	d := derivative{args: []int{0}, randomness: RandomnessError}
	for _, o := range opts {
		switch o := any(o).(type) {
		case ArgNum:
			d.args = []int{int(o)}
		case ArgNums:
			d.args = o
		case HasAux:
			d.aux = bool(o)
		case Strict:
			d.strict = bool(o)
		case ChunkSize:
			d.chunk = chunkSize(op, o)
		case Randomness:
			randomnessOf(op, o)
			d.randomness = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return d
}

// mapping are the options of VMap, read.
type mapping struct {
	in, out       int64
	ins, outs     []int64
	perIn, perOut bool
	randomness    Randomness
	chunk         int64
}

func readMapping(op string, opts []VMapOption) mapping {
	m := mapping{randomness: RandomnessError}
	for _, o := range opts {
		switch o := o.(type) {
		case InDim:
			m.in, m.perIn = int64(o), false
		case InDims:
			m.ins, m.perIn = o, true
		case OutDim:
			m.out, m.perOut = int64(o), false
		case OutDims:
			m.outs, m.perOut = o, true
		case Randomness:
			randomnessOf(op, o)
			m.randomness = o
		case ChunkSize:
			m.chunk = chunkSize(op, o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return m
}

func chunkSize(op string, c ChunkSize) int64 {
	if c < 0 {
		panic(torch.NewError(op, torch.ErrValue, "ChunkSize", fmt.Sprintf("expected 0 or more examples, got %d", c)))
	}
	return int64(c)
}
