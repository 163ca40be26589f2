package aoti

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Input describes one input of a model.
type Input struct {
	Name  string      // the compiler's name, such as "arg4_1"; the package does not contain Python's names
	DType torch.DType // zero if unknown; any dtype is then accepted
	Type  string      // of the device, such as "cpu" or "cuda"; "" for the model's device type
	Shape []Dim

	// Strides are the strides of the exported example, with -1 for strides that depend on
	// varying sizes. The strides of dimensions of size 1 do not matter. If Strides is nil,
	// the input is contiguous.
	Strides []int64

	order order // the memory layout, from which the strides that are -1 follow
}

// Dim is a dimension of an input: its range of sizes, or a fixed size if Min and Max are
// equal. In a call, dimensions with the same Symbol have the same size. The compiler
// names symbols like "s17". If a package does not say which of several symbols a size
// equals, Symbol lists all of them, as in "s17|s34". The size must then equal the size of
// one of these symbols.
type Dim struct {
	Min, Max int64
	Symbol   string
}

// Size returns a dimension with the fixed size n.
func Size(n int64) Dim { return Dim{Min: n, Max: n} }

// String returns a string such as "4", "s17[2,64]" or "[0,inf]".
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

// String returns a string such as "arg4_1: float32 (s17[2,64], 4) cpu".
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

// order is the memory layout of a tensor.
type order int8

const (
	rows         order = iota // contiguous
	channelsLast              // the second dimension has stride 1
	unknown
)

// strides returns the strides of a dense tensor in this layout.
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

func checkSpec(op string, inputs []Input) {
	for i, in := range inputs {
		bad := ""
		for d, dim := range in.Shape {
			if dim.Min < 0 || dim.Max < dim.Min {
				bad = fmt.Sprintf("dimension %d: expected 0 <= Min <= Max, got %d and %d", d, dim.Min, dim.Max)
			}
		}
		if in.Strides != nil && len(in.Strides) != len(in.Shape) {
			bad = fmt.Sprintf("expected a stride for each dimension, got %d Strides for %d dimensions", len(in.Strides),
				len(in.Shape))
		}
		if bad != "" {
			panic(torch.NewError(op, torch.ErrValue, "Inputs", fmt.Sprintf("input %d: %s", i, bad)))
		}
	}
}

// check panics unless the tensors match inputs.
func check(op string, inputs []Input, tensors []*torch.Tensor) {
	if len(tensors) != len(inputs) {
		panic(torch.NewError(op, torch.ErrValue, "inputs",
			fmt.Sprintf("expected %d tensors, got %d", len(inputs), len(tensors))))
	}
	var sizes map[string]int64 // keyed by symbol
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
					wrong(op, torch.ErrShape, i, in,
						fmt.Sprintf("dimension %d has size %d, but %s is %d", d, n, dim.Symbol, had))
				}
				sizes[dim.Symbol] = n
			}
		}
		checkStrides(op, i, in, t, shape)
	}
	checkAlternatives(op, inputs, tensors, sizes)
}

// checkAlternatives checks sizes that may match any one of several symbols. It runs after
// the other checks, because the symbols may belong to later inputs.
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
				wrong(op, torch.ErrShape, i, &inputs[i],
					fmt.Sprintf("dimension %d has size %d, expected one of %s: %v", d, n, dim.Symbol, sizes))
			}
		}
	}
}

// checkStrides checks the strides of dimensions with more than one element.
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
			remedy := "use Contiguous"
			if in.order == channelsLast {
				remedy = "use To(torch.ChannelsLast)"
			}
			wrong(op, torch.ErrValue, i, in,
				fmt.Sprintf("expected stride %d in dimension %d, got strides %v; %s", want, d, t.Stride(), remedy))
		}
	}
}

func wrong(op string, kind error, i int, in *Input, what string) {
	panic(torch.NewError(op, kind, fmt.Sprintf("inputs[%d]", i), what+"; the model expects "+in.String()))
}
