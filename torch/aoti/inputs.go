package aoti

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Input says what one input of a model has to be.
type Input struct {
	Name  string      // the compiler's, such as "arg4_1"; Python's is not in the package
	DType torch.DType // zero: not known, and any will do
	Type  string      // of the device, such as "cpu" or "cuda"; "" is the model's
	Shape []Dim

	// Strides are those of the example that the model was exported with, -1 where they
	// follow from sizes that are not fixed. Those of dimensions of size 1 do not matter. A
	// nil slice is for the strides of a contiguous tensor.
	Strides []int64

	order order // where strides of -1 come from
}

// Dim is a dimension of an input: a fixed size if Min and Max are the same. Dimensions of
// one Symbol have the same size in a call. The compiler's symbols have names such as "s17".
// Where a package leaves open which of several a size is equal to, Symbol has all of them,
// "s17|s34", and the size has to be one of theirs.
type Dim struct {
	Min, Max int64
	Symbol   string
}

// Size is a dimension of fixed size.
func Size(n int64) Dim { return Dim{Min: n, Max: n} }

// String returns "4", "s17[2,64]" or "[0,inf]".
func (d Dim) String() string {
	if d.Min == d.Max && d.Symbol == "" {
		return fmt.Sprint(d.Min)
	}
	most := "inf"
	if d.Max < math.MaxInt64 {
		most = fmt.Sprint(d.Max)
	}
	return fmt.Sprintf("%s[%d,%s]", d.Symbol, d.Min, most)
}

// String returns "arg4_1: float32 (s17[2,64], 4) cpu".
func (in Input) String() string {
	dims := make([]string, len(in.Shape))
	for i, d := range in.Shape {
		dims[i] = d.String()
	}
	s := "(" + strings.Join(dims, ", ") + ")"
	if in.DType != 0 {
		s = in.DType.String() + " " + s
	}
	if in.Name != "" {
		s = in.Name + ": " + s
	}
	if in.Type != "" {
		s += " " + in.Type
	}
	return s
}

// order is how the dimensions of a tensor lie in memory.
type order int8

const (
	rows         order = iota // contiguous
	channelsLast              // the second dimension is the innermost
	unknown
)

// strides returns those of a dense tensor with an order.
func (o order) strides(shape []int64) []int64 {
	out := make([]int64, len(shape))
	next := int64(1)
	set := func(i int) {
		out[i] = next
		next *= max(shape[i], 1)
	}
	last := o == channelsLast && len(shape) > 2
	if last {
		set(1)
	}
	for i := len(shape) - 1; i >= 0; i-- {
		if !last || i != 1 {
			set(i)
		}
	}
	return out
}

func clone(inputs []Input) []Input {
	out := slices.Clone(inputs)
	for i := range out {
		out[i].Shape, out[i].Strides = slices.Clone(out[i].Shape), slices.Clone(out[i].Strides)
	}
	return out
}

// checkSpec panics for Inputs that say nothing that could be.
func checkSpec(op string, inputs []Input) {
	for i, in := range inputs {
		bad := ""
		for d, dim := range in.Shape {
			if dim.Min < 0 || dim.Max < dim.Min {
				bad = fmt.Sprintf("dimension %d: expected 0 <= Min <= Max, got %d and %d", d, dim.Min, dim.Max)
			}
		}
		if in.Strides != nil && len(in.Strides) != len(in.Shape) {
			bad = fmt.Sprintf("%d Strides for %d dimensions", len(in.Strides), len(in.Shape))
		}
		if bad != "" {
			panic(torch.NewError(op, torch.ErrValue, "Inputs", fmt.Sprintf("input %d: %s", i, bad)))
		}
	}
}

// check panics unless tensors are what inputs say.
func check(op string, inputs []Input, tensors []*torch.Tensor) {
	if len(tensors) != len(inputs) {
		panic(torch.NewError(op, torch.ErrValue, "inputs", fmt.Sprintf("expected %d tensors, got %d", len(inputs), len(tensors))))
	}
	var sizes map[string]int64 // of symbols
	for i := range inputs {
		in, t := &inputs[i], tensors[i]
		if d := t.DType(); in.DType != 0 && d != in.DType {
			wrong(op, torch.ErrDType, i, in, fmt.Sprintf("expected %v, got %v", in.DType, d))
		}
		if d := t.Device().Type(); in.Type != "" && d != in.Type {
			wrong(op, torch.ErrDevice, i, in, fmt.Sprintf("expected a tensor on %s, got one on %s", in.Type, d))
		}
		if l := t.Layout(); l != torch.Strided {
			wrong(op, torch.ErrValue, i, in, fmt.Sprintf("expected a dense tensor, got one of layout %v", l))
		}
		shape := t.Shape()
		if len(shape) != len(in.Shape) {
			wrong(op, torch.ErrShape, i, in, fmt.Sprintf("expected %d dimensions, got shape %v", len(in.Shape), shape))
		}
		for d, n := range shape {
			dim := &in.Shape[d]
			if n < dim.Min || n > dim.Max {
				wrong(op, torch.ErrShape, i, in, fmt.Sprintf("dimension %d has size %d", d, n))
			}
			if dim.Symbol != "" && !strings.Contains(dim.Symbol, "|") {
				if sizes == nil {
					sizes = map[string]int64{}
				}
				if had, seen := sizes[dim.Symbol]; seen && had != n {
					wrong(op, torch.ErrShape, i, in, fmt.Sprintf("dimension %d has size %d, where %s is %d", d, n, dim.Symbol, had))
				}
				sizes[dim.Symbol] = n
			}
		}
		checkStrides(op, i, in, t, shape)
	}
	checkAlternatives(op, inputs, tensors, sizes)
}

// checkAlternatives compares sizes that are equal to one of several symbols, which may
// belong to later inputs.
func checkAlternatives(op string, inputs []Input, tensors []*torch.Tensor, sizes map[string]int64) {
	for i := range inputs {
		for d, dim := range inputs[i].Shape {
			if !strings.Contains(dim.Symbol, "|") {
				continue
			}
			n, fits := tensors[i].Shape()[d], false
			for symbol := range strings.SplitSeq(dim.Symbol, "|") {
				fits = fits || sizes[symbol] == n
			}
			if !fits {
				wrong(op, torch.ErrShape, i, &inputs[i], fmt.Sprintf("dimension %d has size %d, which is none of %s: %v", d, n, dim.Symbol, sizes))
			}
		}
	}
}

// checkStrides compares those of dimensions that have several elements.
func checkStrides(op string, i int, in *Input, t *torch.Tensor, shape []int64) {
	if in.Strides == nil && t.IsContiguous() || slices.Contains(shape, 0) {
		return
	}
	var dense []int64
	if in.order != unknown {
		dense = in.order.strides(shape)
	}
	for d, s := range t.Stride() {
		want := int64(-1)
		if dense != nil {
			want = dense[d]
		}
		if in.Strides != nil && in.Strides[d] >= 0 {
			want = in.Strides[d]
		}
		if shape[d] != 1 && want >= 0 && s != want {
			remedy := "Contiguous gives one"
			if in.order == channelsLast {
				remedy = "To(torch.ChannelsLast) gives one"
			}
			wrong(op, torch.ErrValue, i, in, fmt.Sprintf("expected stride %d in dimension %d, got strides %v; %s", want, d, t.Stride(), remedy))
		}
	}
}

func wrong(op string, kind error, i int, in *Input, what string) {
	panic(torch.NewError(op, kind, fmt.Sprintf("inputs[%d]", i), what+"; the model takes "+in.String()))
}
