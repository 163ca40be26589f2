package profiler

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/torch"
)

// argument is a recorded argument of an operator.
type argument struct {
	kind           int
	dtype          torch.DType
	sizes, strides []int64
	values         []int64
	list           []argument
}

// readArgument reads the argument that starts at words[0]. It also returns the words
// after the argument.
func readArgument(words []int64) (argument, []int64) {
	w := words[0]
	words = words[1:]
	a := argument{kind: int(w & 0xff)}
	n := int(w >> 16)
	take := func(n int) []int64 {
		v := words[:n:n]
		words = words[n:]
		return v
	}
	switch a.kind {
	case profiler.ArgTensor:
		a.dtype = torch.DType(w>>8&0xff + 1) // DType 0 means "not given" here
		a.sizes, a.strides = take(n), take(n)
	case profiler.ArgTensors:
		for range n {
			var t argument
			t, words = readArgument(words)
			a.list = append(a.list, t)
		}
	case profiler.ArgInt, profiler.ArgFloat, profiler.ArgBool:
		a.values = take(1)
	case profiler.ArgInts:
		a.values = take(n)
	}
	return a, words
}

// argumentsOf reads the arguments of an operator, which start at words[at].
func argumentsOf(words []int64, at int64) []argument {
	words = words[at:]
	n := int(words[0])
	words = words[1:]
	out := make([]argument, n)
	for i := range out {
		out[i], words = readArgument(words)
	}
	return out
}

func shapesOf(words []int64, at int64) [][]int64 {
	args := argumentsOf(words, at)
	out := make([][]int64, len(args))
	for i, a := range args {
		out[i] = a.sizes
	}
	return out
}

// formatShapes formats shapes as Python prints a list of lists.
func formatShapes(shapes [][]int64) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range shapes {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(formatInts(s))
	}
	b.WriteByte(']')
	return b.String()
}

func formatInts(v []int64) string {
	words := make([]string, len(v))
	for i, n := range v {
		words[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// typeName returns Kineto's name for the type of an argument.
func (a argument) typeName() string {
	switch a.kind {
	case profiler.ArgTensor:
		if n, ok := cTypes[a.dtype]; ok {
			return n
		}
		return strings.TrimPrefix(a.dtype.String(), "torch.")
	case profiler.ArgTensors:
		return "TensorList"
	case profiler.ArgInt, profiler.ArgFloat, profiler.ArgBool, profiler.ArgScalar:
		return "Scalar"
	case profiler.ArgInts, profiler.ArgScalars:
		return "ScalarList"
	}
	return ""
}

// cTypes are the names of dtypes in C++.
var cTypes = map[torch.DType]string{
	torch.Float32: "float", torch.Float64: "double", torch.Int64: "long int", torch.Int32: "int",
	torch.Int16: "short int",
	torch.Int8:  "signed char", torch.Uint8: "unsigned char", torch.Bool: "bool", torch.BFloat16: "c10::BFloat16",
	torch.Float16:   "c10::Half",
	torch.Complex64: "c10::complex<float>", torch.Complex128: "c10::complex<double>",
}

// value returns Kineto's text for an argument: the values of numbers, and nothing for tensors.
func (a argument) value() string {
	switch a.kind {
	case profiler.ArgInt:
		return strconv.FormatInt(a.values[0], 10)
	case profiler.ArgFloat:
		return formatFloat(math.Float64frombits(uint64(a.values[0])))
	case profiler.ArgBool:
		if a.values[0] != 0 {
			return "True"
		}
		return "False"
	case profiler.ArgInts:
		return formatInts(a.values)
	}
	return ""
}

func formatFloat(v float64) string {
	s := fmt.Sprint(v)
	if v == math.Trunc(v) && !strings.ContainsAny(s, ".eIN") {
		s += "."
	}
	return s
}
