package torch

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// IndexRange is a slice of one dimension for [Tensor.Index], start:stop:step in
// Python. Make one with Slice, SliceFrom, SliceTo or SliceStep.
type IndexRange struct{ start, stop, step int64 }

// indexMark is an index without a value: Ellipsis or NewAxis.
type indexMark int8

const (
	// Ellipsis stands for All in every remaining dimension, "..." in Python.
	Ellipsis indexMark = iota + 1
	// NewAxis inserts a dimension of size 1, None in Python. An untyped nil
	// does the same.
	NewAxis
)

// End is the stop of a slice that reaches the end of its dimension.
const End = math.MaxInt64

// All selects a whole dimension, ":" in Python.
var All = IndexRange{0, End, 1}

// Slice selects the entries from start up to but not including stop, start:stop
// in Python. Negative numbers count from the end. Numbers beyond the dimension
// are clamped, so a slice may be empty but is never out of range.
func Slice(start, stop int64) IndexRange { return IndexRange{start, stop, 1} }

// SliceFrom selects the entries from start on, start: in Python.
func SliceFrom(start int64) IndexRange { return IndexRange{start, End, 1} }

// SliceTo selects the entries before stop, :stop in Python.
func SliceTo(stop int64) IndexRange { return IndexRange{0, stop, 1} }

// SliceStep selects every step-th entry from start up to but not including
// stop, start:stop:step in Python; SliceStep(0, End, 2) is ::2. As in PyTorch
// step must be positive, otherwise Index panics with ErrValue. Use
// [Tensor.Flip] to reverse.
func SliceStep(start, stop, step int64) IndexRange { return IndexRange{start, stop, step} }

// String returns the slice as Python writes it.
func (r IndexRange) String() string {
	text := ":"
	if r.start != 0 {
		text = fmt.Sprint(r.start) + text
	}
	if r.stop != End {
		text += fmt.Sprint(r.stop)
	}
	if r.step != 1 {
		text += fmt.Sprint(":", r.step)
	}
	return text
}

// Index returns t[indices...]. Each index is one of
//
//	an integer of any Go type     that entry; the dimension is removed
//	All, Slice(1, 3), SliceFrom…  a range of entries
//	Ellipsis                      as many All as there are dimensions left
//	NewAxis, or an untyped nil    a new dimension of size 1
//	an integer tensor, or []int, []int64, []int32 and the like
//	                              those entries, in that order
//	a Bool tensor, or []bool      the entries where it is true
//	true or false                 a new dimension of size 1 or 0
//
// Negative integers count from the end. Dimensions without an index are
// selected whole. With only integers, ranges, Ellipsis and NewAxis the result
// is a view of t; with tensors and lists it is a copy. Gradients flow back in
// both cases.
//
// It panics with ErrIndex for an index out of range, too many indices or an
// index tensor of a float type, with ErrType for a Go value that is not an
// index, and with ErrValue for a step below 1. Follows Tensor.__getitem__.
func (t *Tensor) Index(indices ...any) *Tensor {
	const op = "Index(self, index, index, index, index)"
	h := t.handle(op, 0)
	var list indexList
	list.read("Index", indices)
	defer list.close()
	r := BeginRaw(op, list.with(t)...)
	ret := cgotorch.Index(r.Ctx, h, list.items)
	if r.again(ret.Err) {
		ret = cgotorch.Index(r.Ctx, h, list.items)
	}
	return r.Tensor(ret)
}

// SetIndex assigns value to t[indices...] in place and returns t. The value is a Go
// number or bool, or a tensor that broadcasts to the indexed part. The indices are as for
// [Tensor.Index]. A tensor is converted to t's dtype, but if an index is a tensor or list
// the dtypes must be equal. If an entry is indexed twice, which value it gets is
// undefined. Gradients flow to the value and to the rest of t.
//
// It panics as Index does, with ErrShape if the value does not broadcast, with ErrType
// for a value of any other Go type, and with ErrAutograd for a leaf that requires
// gradients. Follows Tensor.__setitem__.
func (t *Tensor) SetIndex(value any, indices ...any) *Tensor {
	op := "SetIndex(self, value, index, index, index, index)"
	h := t.handle(op, 0)
	var list indexList
	src, isTensor := value.(*Tensor)
	var number abi.Scalar
	var hsrc abi.Tensor
	if isTensor {
		hsrc = src.handle(op, 1)
	} else {
		op = "SetIndex(self, index, index, index, index)"
		number = scalarAs("SetIndex", "value", orTensor, value)
	}
	list.read("SetIndex", indices)
	defer list.close()
	r := BeginRaw(op, list.with(t, src)...)
	var st abi.Status
	if isTensor {
		st = cgotorch.IndexPut(r.Ctx, h, list.items, hsrc)
	} else {
		st = cgotorch.IndexPutScalar(r.Ctx, h, list.items, number)
	}
	r.Status(st)
	return t
}

// indexList is an argument list of Index in libtorch's form.
type indexList struct {
	items  []cgotorch.IndexItem
	inline [6]cgotorch.IndexItem // room for the usual number of indices
	given  []*Tensor             // the index tensors that the caller passed
	made   []*Tensor             // the index tensors that read made
}

func (l *indexList) read(op string, indices []any) {
	l.items = l.inline[:0]
	defer func() {
		if len(l.items) != max(len(indices), 1) {
			l.close() // item panicked because an index is invalid
		}
	}()
	for i, v := range indices {
		l.items = append(l.items, l.item(op, i, v))
	}
	if len(indices) == 0 {
		l.items = append(l.items, cgotorch.IndexItem{Kind: cgotorch.IndexEllipsis}) // t[()]
	}
}

func (l *indexList) item(op string, i int, v any) cgotorch.IndexItem {
	switch v := v.(type) {
	case int:
		return intIndex(int64(v))
	case int64:
		return intIndex(v)
	case IndexRange:
		return cgotorch.IndexItem{Kind: cgotorch.IndexSlice, Start: v.start, Stop: v.stop, Step: v.step}
	case *Tensor:
		if v.IsClosed() {
			panic(v.unusable(fmt.Sprintf("%s(indices[%d])", op, i), 0))
		}
		l.given = append(l.given, v)
		return cgotorch.IndexItem{Kind: cgotorch.IndexTensor, Tensor: v.handle(op, 0)}
	case indexMark:
		if v == Ellipsis {
			return cgotorch.IndexItem{Kind: cgotorch.IndexEllipsis}
		}
		return cgotorch.IndexItem{Kind: cgotorch.IndexNone}
	case nil:
		return cgotorch.IndexItem{Kind: cgotorch.IndexNone}
	}
	return l.reflected(op, i, v)
}

// reflected converts indices of less common types.
func (l *indexList) reflected(op string, i int, v any) cgotorch.IndexItem {
	name := fmt.Sprintf("indices[%d]", i)
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return intIndex(r.Int())
	case r.CanUint():
		if u := r.Uint(); u <= math.MaxInt64 {
			return intIndex(int64(u))
		}
		panic(argError(op, ErrIndex, name, fmt.Sprintf("%d is out of range for any dimension", v)))
	case r.Kind() == reflect.Bool:
		item := cgotorch.IndexItem{Kind: cgotorch.IndexBool}
		if r.Bool() {
			item.Start = 1
		}
		return item
	case r.Kind() == reflect.Slice:
		if t := listIndex(r); t != nil {
			l.made = append(l.made, t)
			return cgotorch.IndexItem{Kind: cgotorch.IndexTensor, Tensor: t.handle(op, 0)}
		}
	}
	panic(argError(op, ErrType, name,
		fmt.Sprintf("expected an integer, a slice such as All or Slice(1, 2), Ellipsis, NewAxis, a bool, "+
			"a list of integers or bools, or a tensor of integers or bools, got %T", v)))
}

func intIndex(i int64) cgotorch.IndexItem {
	return cgotorch.IndexItem{Kind: cgotorch.IndexInt, Start: i}
}

// listIndex copies a Go slice of signed integers or bools into a tensor. For
// any other slice it returns nil. Unsigned integers are left out since libtorch
// reads bytes as a mask.
func listIndex(v reflect.Value) *Tensor {
	switch v.Type().Elem().Kind() {
	case reflect.Bool:
		return FromSliceWith(v.Interface(), nil, CPU)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		list := make([]int64, v.Len())
		for i := range list {
			list[i] = v.Index(i).Int()
		}
		return FromSliceWith(list, nil, CPU)
	}
	return nil
}

func (l *indexList) close() {
	for _, t := range l.made {
		_ = t.Close()
	}
}

// with returns the tensors that the call uses: the non-nil tensors of ts, and the index
// tensors.
func (l *indexList) with(ts ...*Tensor) []*Tensor {
	ts = slices.DeleteFunc(ts, func(t *Tensor) bool { return t == nil })
	if len(l.given)+len(l.made) == 0 {
		return ts
	}
	return slices.Concat(ts, l.given, l.made)
}
