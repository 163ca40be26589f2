package torch

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

func isList(v reflect.Value) bool { return v.Kind() == reflect.Slice || v.Kind() == reflect.Array }

// nested reads nested slices and arrays. It collects elements of one number
// type as blocks of memory, and all other elements one by one.
type nested struct {
	op      string
	shape   Shape
	element reflect.Type // nil unless all elements have one number type
	at      []int        // position of the value that walk reads
	blocks  []block
	leaves  []any
}

// block is a run of elements in memory.
type block struct {
	ptr unsafe.Pointer
	n   int
}

func newNested(op string, v reflect.Value) *nested {
	// The method block takes the addresses of elements, so copy the array to addressable
	// memory.
	if v.Kind() == reflect.Array {
		array := reflect.New(v.Type()).Elem()
		array.Set(v)
		v = array
	}
	n := &nested{op: op, element: elementOf(v.Type())}
	n.measure(v)
	// The same list may occur many times in the data, so there may be more elements than
	// fit in memory.
	if n.element == nil {
		size := int64(1)
		for _, length := range n.shape {
			if length > 0 && size > math.MaxInt64/length {
				size = math.MaxInt64
				break
			}
			size *= length
		}
		mustFit(op, size, 16)
	}
	n.walk(v)
	return n
}

// mostDims is the largest number of dimensions that data may have, as in
// Python. Deeper data probably contains itself.
const mostDims = 128

func (n *nested) dim(size int) {
	if len(n.shape) == mostDims {
		panic(argError(n.op, ErrShape, "data",
			fmt.Sprintf("the list has more than %d dimensions: does a list contain itself?", mostDims)))
	}
	n.shape = append(n.shape, int64(size))
}

// measure takes the shape from the first element of each level.
func (n *nested) measure(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || !isList(v) {
		return
	}
	n.dim(v.Len())
	if v.Len() > 0 {
		n.measure(v.Index(0))
		return
	}
	for t := v.Type().Elem(); t.Kind() == reflect.Slice || t.Kind() == reflect.Array; t = t.Elem() {
		size := 0
		if t.Kind() == reflect.Array {
			size = t.Len()
		}
		n.dim(size)
	}
}

// elementOf returns the innermost element type of lists of type t, or nil if that is not
// a number type.
func elementOf(t reflect.Type) reflect.Type {
	for depth := 0; t.Kind() == reflect.Slice || t.Kind() == reflect.Array; depth++ {
		if depth > mostDims { // a recursive type such as type T []T
			return nil
		}
		t = t.Elem()
	}
	if _, ok := elementTypes[t.Kind()]; ok {
		return t
	}
	return nil
}

// block returns the memory of a list whose elements are adjacent: a slice or
// array of numbers, or of arrays of numbers.
func (n *nested) block(v reflect.Value) (block, bool) {
	if n.element == nil {
		return block{}, false
	}
	size := v.Len()
	t := v.Type().Elem()
	for ; t.Kind() == reflect.Array; t = t.Elem() {
		size *= t.Len()
	}
	switch {
	case t != n.element:
		return block{}, false
	case v.Kind() == reflect.Slice:
		return block{v.UnsafePointer(), size}, true
	}
	return block{v.Addr().UnsafePointer(), size}, true
}

// walk reads the data at the position n.at.
func (n *nested) walk(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	level := len(n.at)
	switch list := v.IsValid() && isList(v); {
	case level == len(n.shape) && list:
		n.uneven("a list", "not")
	case level == len(n.shape) && !v.IsValid():
		panic(argError(n.op, ErrType, "data", n.place(n.at)+" is nil"))
	case level == len(n.shape):
		n.leaves = append(n.leaves, v.Interface())
		return
	case !list:
		n.uneven("not a list", "one")
	case int64(v.Len()) != n.shape[level]:
		panic(argError(n.op, ErrShape, "data", fmt.Sprintf("%s has %d elements, but %s has %d",
			n.place(n.at), v.Len(), n.place(make([]int, level)), n.shape[level])))
	}
	if b, ok := n.block(v); ok {
		n.blocks = append(n.blocks, b)
		return
	}
	for i := range v.Len() {
		n.at = append(n.at[:level], i)
		n.walk(v.Index(i))
	}
	n.at = n.at[:level]
}

// uneven panics because a list and another value are on the same level.
func (n *nested) uneven(here, first string) {
	panic(argError(n.op, ErrShape, "data",
		fmt.Sprintf("%s is %s, but %s is %s", n.place(n.at), here, n.place(make([]int, len(n.at))), first)))
}

// place returns the Go expression of an element of the data, such as
// "data[1][0]".
func (n *nested) place(at []int) string {
	s := "data"
	for _, i := range at {
		s += fmt.Sprintf("[%d]", i)
	}
	return s
}

// flat returns the elements as one slice, and the dtype to which to convert
// them, or 0 for the dtype of the slice. For elements of type any, it chooses
// the type as Python does.
func (n *nested) flat() (flat any, dtype DType) {
	if n.element != nil {
		return n.joined(), 0
	}
	var scalars []abi.Scalar
	kind := abi.ScalarBool
	for _, v := range n.leaves {
		s := scalarArg(n.op, "data", v)
		scalars = append(scalars, s)
		if rank(s.Kind) > rank(kind) {
			kind = s.Kind
		}
	}
	if len(n.leaves) == 0 {
		return []float64{}, DefaultDType()
	}
	switch kind {
	case abi.ScalarBool:
		list := make([]bool, len(scalars))
		for i, s := range scalars {
			list[i] = s.I != 0
		}
		return list, 0
	case abi.ScalarInt:
		list := make([]int64, len(scalars))
		for i, s := range scalars {
			list[i] = s.I
		}
		return list, 0
	}
	list := make([]complex128, len(scalars))
	for i, s := range scalars {
		list[i] = complex(s.D, s.Im)
		if rank(s.Kind) < rank(abi.ScalarFloat) {
			list[i] = complex(float64(s.I), 0)
		}
	}
	if kind == abi.ScalarComplex {
		c := creation{dtype: -1}
		if c.defaultFor(abi.Scalar{Kind: kind}); c.dtype == -1 {
			return list, Complex64
		}
		return list, DTypeOf(c.dtype)
	}
	reals := make([]float64, len(list))
	for i, z := range list {
		reals[i] = real(z)
	}
	return reals, DefaultDType()
}

// joined returns the blocks as one slice, without a copy if there is only one.
func (n *nested) joined() any {
	if len(n.blocks) == 1 {
		b := n.blocks[0]
		return reflect.SliceAt(n.element, b.ptr, b.n).Interface()
	}
	size := 0
	for _, b := range n.blocks {
		size += b.n
	}
	all := reflect.MakeSlice(reflect.SliceOf(n.element), size, size)
	width := int(n.element.Size())
	to := unsafe.Slice((*byte)(all.UnsafePointer()), size*width)
	for _, b := range n.blocks {
		to = to[copy(to, unsafe.Slice((*byte)(b.ptr), b.n*width)):]
	}
	return all.Interface()
}

// rank orders the kinds so that a later kind can hold the values of an earlier one.
func rank(k abi.ScalarKind) int {
	switch k {
	case abi.ScalarComplex:
		return 3
	case abi.ScalarFloat:
		return 2
	case abi.ScalarInt:
		return 1
	}
	return 0
}
