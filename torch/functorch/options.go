package functorch

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// NotMapped in [InDims] marks an argument that [VMap] does not map over: the function gets
// the whole argument for each example. It is None in Python's in_dims.
const NotMapped = math.MinInt64

// A VMapOption is an option of [VMap]: [InDim] or [InDims], [OutDim] or [OutDims], a
// [Randomness], or [ChunkSize].
//
//gotorch:options InDim InDims OutDim OutDims Randomness ChunkSize
type VMapOption interface{ vmapOption() }

// InDim is the dimension of each argument that VMap maps over; a negative one counts from the end.
// It is in_dims in Python. The default is 0.
type InDim int64

// InDims are the dimensions that VMap maps over, one for each argument. Some may be
// [NotMapped]. It is in_dims in Python.
type InDims []int64

// OutDim is the dimension of the examples in each result, out_dims in Python. The default is 0.
type OutDim int64

// OutDims are the dimensions of the examples, one for each result; out_dims in Python.
type OutDims []int64

// Randomness selects how random numbers are drawn within [VMap]: [RandomnessError],
// [RandomnessDifferent] or [RandomnessSame].
type Randomness string

// These are the kinds of randomness.
const (
	RandomnessError     Randomness = "error"     // random operators panic; the default
	RandomnessDifferent Randomness = "different" // each example gets different random numbers
	RandomnessSame      Randomness = "same"      // all examples get the same random numbers
)

// ChunkSize is the number of examples that VMap processes at once, or the number of rows
// of a Jacobian for [Jacrev]. A smaller number takes less memory and more time. 0, the
// default, means all.
type ChunkSize int64

// A GradOption is an option of [Grad] and [GradAndValue]: [ArgNum] or [ArgNums], or [HasAux].
//
//gotorch:options ArgNum ArgNums HasAux
type GradOption interface{ gradOption() }

// A JacrevOption is an option of [Jacrev]: [ArgNum] or [ArgNums], or [ChunkSize].
//
//gotorch:options ArgNum ArgNums ChunkSize
type JacrevOption interface{ jacrevOption() }

// A JacfwdOption is an option of [Jacfwd]: [ArgNum] or [ArgNums], or a [Randomness].
//
//gotorch:options ArgNum ArgNums Randomness
type JacfwdOption interface{ jacfwdOption() }

// A HessianOption is an option of [Hessian]: [ArgNum] or [ArgNums].
//
//gotorch:options ArgNum ArgNums
type HessianOption interface{ hessianOption() }

// A JVPOption is an option of [JVP]: [Strict].
//
//gotorch:options Strict
type JVPOption interface{ jvpOption() }

// ArgNum is the position of the argument with respect to which the function is differentiated,
// argnums in Python. A negative number counts from the end. The default is 0.
type ArgNum int

// ArgNums are the positions of several arguments with respect to which the function is
// differentiated; argnums in Python.
type ArgNums []int

// HasAux says that the function has additional results, which are returned but not
// differentiated. The default is false.
type HasAux bool

// Strict makes it an error if a result does not depend on the inputs. The default is
// false: the derivative of that result is then zero.
type Strict bool

// derivative holds the values of the options of transforms that differentiate.
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

// mapping holds the values of the options of VMap.
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
