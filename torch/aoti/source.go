package aoti

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// A package includes the source code of its library, with functions that check the
// inputs. The library calls them only if the process was started with
// AOTI_RUNTIME_CHECK_INPUTS=1. These functions read beyond the end of a shape that is too
// short, and do not check that sizes are equal. Package aoti therefore parses their
// checks from the source, and performs them itself before every call.

// declared is the description of a model that a source file contains.
type declared struct {
	known  bool // whether the file is source code that AOTInductor generated
	inputs []Input
	shapes map[int][]int64 // the shapes of the constants; the key is the constant's number
	steps  map[int][]int64 // the strides of the constants; the key is the constant's number

	constants []constant // in order
}

// constant is the description of a constant in the source, without its sizes.
type constant struct{ name, fqn, dtype, layout, kind, bytes, folded string }

// field returns a pointer to the field for a property of the constant, given the
// property's name. It returns nil for a property that is not needed.
func (c *constant) field(name string) *string {
	switch name {
	case "name":
		return &c.name
	case "original_fqn":
		return &c.fqn
	case "dtype":
		return &c.dtype
	case "layout":
		return &c.layout
	case "type":
		return &c.kind
	case "data_size":
		return &c.bytes
	case "from_folded":
		return &c.folded
	}
	return nil
}

var (
	reInput  = regexp.MustCompile(`^inputs_info_\[(\d+)\]\.name = "(\w+)";`)
	reShape  = regexp.MustCompile(`^constants_info_\[(\d+)\]\.(shape|stride) = \{([-\d, ]*)\};`)
	reField  = regexp.MustCompile(`^constants_info_\[(\d+)\]\.(\w+) = (.*);$`)
	reCheck  = regexp.MustCompile(`static void check_input_(\d+)\($`)
	reDType  = regexp.MustCompile(`^int32_t \w+_expected_dtype = aoti_torch_dtype_(\w+)\(\);`)
	reType   = regexp.MustCompile(`^int32_t \w+_expected_device_type = (\d+);`)
	reFixed  = regexp.MustCompile(`^if \((-?\d+)L* != \w+_(size|stride)\[(\d+)\]\)`)
	reRange  = regexp.MustCompile(`^if \(\w+_size\[(\d+)\] ([<>]) (-?\d+)L*\)`)
	reSymbol = regexp.MustCompile(`^int64_t (\w+) = (\w+)_(size|stride)\[(\d+)\];`)
)

// mostDims is the largest number of dimensions that libtorch's operators support.
const mostDims = 64

// reader reads a source file line by line.
type reader struct {
	out     declared
	now     int // the index of the input that the current function checks, or -1
	checked map[int]bool
	fixed   map[int]map[int]int64     // the fixed strides of each input
	symbols map[string]map[int]string // the symbol of each dimension; the outer key is the input's name
	free    map[string]map[int]bool   // the strides that have symbols of their own
}

// readSource parses the description of inputs and constants in a source file. known is
// false if the file is not the source of a model.
func readSource(text string) declared {
	r := &reader{
		now: -1, checked: map[int]bool{}, fixed: map[int]map[int]int64{},
		symbols: map[string]map[int]string{}, free: map[string]map[int]bool{},
	}
	r.out.shapes, r.out.steps = map[int][]int64{}, map[int][]int64{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) < 1<<16 {
			r.line(line)
		}
	}
	for i := range r.out.inputs {
		r.out.known = true
		if !r.checked[i] {
			r.out.known = false
			break
		}
		r.layout(i)
	}
	r.tie()
	return r.out
}

func (r *reader) line(s string) {
	switch {
	case strings.HasPrefix(s, "inputs_info_["):
		// The compiler numbers inputs in order, so a line with a different number is not
		// from the compiler.
		if m := reInput.FindStringSubmatch(s); m != nil && m[1] == strconv.Itoa(len(r.out.inputs)) {
			r.out.inputs = append(r.out.inputs, Input{Name: m[2]})
		}
	case strings.HasPrefix(s, "constants_info_["):
		if m := reShape.FindStringSubmatch(s); m != nil {
			to := r.out.shapes
			if m[2] == "stride" {
				to = r.out.steps
			}
			to[int(number(m[1]))] = numbers(m[3])
		} else if m := reField.FindStringSubmatch(s); m != nil {
			r.constant(m[1], m[2], m[3])
		}
	case strings.Contains(s, "static void "):
		r.now = -1
		if m := reCheck.FindStringSubmatch(s); m != nil && number(m[1]) < int64(len(r.out.inputs)) {
			r.now = int(number(m[1]))
			r.checked[r.now] = true
		}
	case strings.HasPrefix(s, "void "):
		r.now = -1
	case r.now >= 0:
		r.check(&r.out.inputs[r.now], s)
	case strings.HasPrefix(s, "int64_t "):
		if m := reSymbol.FindStringSubmatch(s); m != nil && number(m[4]) < mostDims {
			r.symbol(m)
		}
	}
}

// constant parses a line about a constant. Constants are numbered in order, like inputs.
func (r *reader) constant(i, field, value string) {
	if field == "name" && i == strconv.Itoa(len(r.out.constants)) {
		r.out.constants = append(r.out.constants, constant{})
	}
	last := len(r.out.constants) - 1
	if last < 0 || i != strconv.Itoa(last) {
		return
	}
	if to := r.out.constants[last].field(field); to != nil {
		*to = value
	}
}

func (r *reader) symbol(m []string) {
	name, dim := m[2], int(number(m[4]))
	if m[3] == "stride" {
		if r.free[name] == nil {
			r.free[name] = map[int]bool{}
		}
		r.free[name][dim] = true
		return
	}
	if r.symbols[name] == nil {
		r.symbols[name] = map[int]string{}
	}
	r.symbols[name][dim] = m[1]
}

// check parses a line of a function that checks an input.
func (r *reader) check(in *Input, s string) {
	if m := reDType.FindStringSubmatch(s); m != nil {
		in.DType = dtypes[m[1]]
	}
	if m := reType.FindStringSubmatch(s); m != nil {
		in.Type = torch.DeviceOf(int32(min(number(m[1]), 1<<16)) << 8).Type()
	}
	if m := reFixed.FindStringSubmatch(s); m != nil && number(m[3]) < mostDims {
		n, dim := number(m[1]), int(number(m[3]))
		grow(in, dim)
		if m[2] == "size" {
			in.Shape[dim] = Size(n)
		} else {
			if r.fixed[r.now] == nil {
				r.fixed[r.now] = map[int]int64{}
			}
			r.fixed[r.now][dim] = n
		}
	}
	if m := reRange.FindStringSubmatch(s); m != nil && number(m[1]) < mostDims {
		n, dim := number(m[3]), int(number(m[1]))
		grow(in, dim)
		if m[2] == "<" {
			in.Shape[dim].Min = max(n, 0)
		} else {
			in.Shape[dim].Max = n
		}
	}
}

// grow appends dimensions that may have any size, until the input has a dimension with
// index dim.
func grow(in *Input, dim int) {
	for len(in.Shape) <= dim {
		in.Shape = append(in.Shape, Dim{Max: math.MaxInt64})
	}
}

// layout finds a memory layout whose fixed strides are exactly those in the source.
func (r *reader) layout(i int) {
	in := &r.out.inputs[i]
	in.Strides = make([]int64, len(in.Shape))
	shape := make([]int64, len(in.Shape))
	for d := range in.Shape {
		in.Strides[d] = -1
		if n, ok := r.fixed[i][d]; ok {
			in.Strides[d] = n
		}
		shape[d] = in.Shape[d].Min
	}
	in.order = unknown
	for _, o := range []order{rows, channelsLast} {
		if len(r.free[in.Name]) == 0 && o.fits(in, shape) {
			in.order = o
			if o == rows {
				in.Strides = nil
			}
			return
		}
	}
}

// fits reports whether a layout has the same fixed strides as the source and its other
// strides depend on varying sizes.
func (o order) fits(in *Input, shape []int64) bool {
	if o == channelsLast && len(shape) < 3 {
		return false
	}
	once := o.strides(shape)
	other := slices.Clone(shape)
	for d, dim := range in.Shape {
		if dim.Min != dim.Max {
			other[d] += 2 // the two smallest sizes may give the same strides as another layout
		}
	}
	twice := o.strides(other)
	for d, s := range in.Strides {
		fixed := once[d] == twice[d]
		if fixed != (s >= 0) || s >= 0 && s != once[d] && shape[d] > 1 {
			return false
		}
	}
	return true
}

// tie assigns symbols to varying dimensions. The compiled code reads the size of a symbol
// from only one dimension. Other dimensions of this size can only be recognized because
// they have the same range in the source code. Sums and multiples of sizes have different
// ranges.
func (r *reader) tie() {
	type bounds struct{ least, most int64 }
	symbols := map[bounds][]string{}
	for i := range r.out.inputs {
		in := &r.out.inputs[i]
		for d := range in.Shape {
			dim := &in.Shape[d]
			if s := r.symbols[in.Name][d]; s != "" && dim.Min != dim.Max {
				dim.Symbol = s
				b := bounds{dim.Min, dim.Max}
				symbols[b] = append(symbols[b], s)
			}
		}
	}
	joined := map[bounds]string{}
	for b, all := range symbols {
		if text := strings.Join(all, "|"); len(text) <= longestSymbols {
			joined[b] = text
		}
	}
	for i := range r.out.inputs {
		in := &r.out.inputs[i]
		for d := range in.Shape {
			if dim := &in.Shape[d]; dim.Symbol == "" && dim.Min != dim.Max {
				dim.Symbol = joined[bounds{dim.Min, dim.Max}]
			}
		}
	}
}

// longestSymbols is the largest length of a list of symbols. If more symbols have the same range, the
// dimensions without a symbol get none. A package may have many such dimensions.
const longestSymbols = 1 << 10

// dtypes maps Python's dtype names to the dtypes of package torch.
var dtypes = func() map[string]torch.DType {
	m := map[string]torch.DType{}
	for code := range int8(64) {
		if d := torch.DTypeOf(code); d.Size() > 0 {
			m[d.String()] = d
		}
	}
	return m
}()

// number parses a number that a pattern has matched. If it is too large, it returns math.MaxInt64.
func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // returns the nearest int64 if out of range
	return n
}

func numbers(list string) []int64 {
	out := []int64{}
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, number(s))
		}
	}
	return out
}
