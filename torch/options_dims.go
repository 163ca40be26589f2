package torch

import "reflect"

// Dim is the dimension along which a function works. A negative one counts from
// the end. Each function documents its default. It is dim in Python.
type Dim int64

// lastOf returns the last element of given, because the last of repeated options counts.
// If given is empty, lastOf returns its second argument. It is for functions whose
// options all have type T.
func lastOf[T any](given []T, otherwise T) T {
	if len(given) == 0 {
		return otherwise
	}
	return given[len(given)-1]
}

// Dims are the dimensions along which a function works, for example Dims{0, -1}. An
// empty list means all dimensions, as None does in Python.
type Dims []int64

// KeepDim keeps reduced dimensions with size 1. The default is false. It is
// keepdim in Python.
type KeepDim bool

// A ReduceOption is an option of reductions such as [Tensor.Sum]: [Dim] or
// [Dims], [KeepDim] or a [DType].
//
//gotorch:options Dim Dims KeepDim DType
type ReduceOption interface{ reduceOption() }

// A ProdOption is an option of [Tensor.Prod]: [Dim], [KeepDim] or a [DType].
//
//gotorch:options Dim KeepDim DType
type ProdOption interface{ prodOption() }

// A DimsOption is an option of reductions such as [Tensor.All]: [Dim] or
// [Dims], or [KeepDim].
//
//gotorch:options Dim Dims KeepDim
type DimsOption interface{ dimsOption() }

// A CountOption is an option of [Tensor.CountNonzero]: [Dim] or [Dims].
//
//gotorch:options Dim Dims
type CountOption interface{ countOption() }

// A DimOption is an option of functions that reduce one dimension: [Dim] or
// [KeepDim].
//
//gotorch:options Dim KeepDim
type DimOption interface{ dimOption() }

// A KeepDimOption is an option of functions that take the dimension as an
// argument: [KeepDim].
//
//gotorch:options KeepDim
type KeepDimOption interface{ keepDimOption() }

// A DTypeOption sets the dtype in which a function computes: a [DType].
//
//gotorch:options DType
type DTypeOption interface{ dtypeOption() }

// along holds the parsed options about dimensions.
type along struct {
	dim     [8]int64 // the first n dimensions, copied so that they stay on the caller's stack
	n       int
	more    []int64 // all dimensions, if there are too many for dim
	given   bool    // a Dim or a list was given; the list may be empty
	one     bool    // a Dim was given, not a list
	keepdim bool
	dtype   int8 // -1: not given
}

// list returns the dimensions, or nil if none were given. The result points
// into a.
func (a *along) list() []int64 {
	switch {
	case !a.given:
		return nil
	case a.n > len(a.dim):
		return a.more
	}
	return a.dim[:a.n]
}

// whole reports whether neither dimensions nor KeepDim were given.
func (a *along) whole() bool { return a.n == 0 && !a.keepdim }

// single returns the dimension, or nil if none was given. The result points
// into a.
func (a *along) single() *int64 {
	if a.one {
		return &a.dim[0]
	}
	return nil
}

// or returns the dimension that an option set, or else its argument.
func (a *along) or(dim int64) int64 {
	if a.one {
		return a.dim[0]
	}
	return dim
}

// take stores the option o. It returns false if o has a different type.
func (a *along) take(o any) bool {
	switch o := o.(type) {
	case Dim:
		a.dim[0], a.one, a.given, a.n = int64(o), true, true, 1
	case Dims:
		if a.one, a.given, a.n = false, o != nil, copy(a.dim[:], o); len(o) > a.n {
			a.n, a.more = len(o), append([]int64(nil), o...)
		}
	case KeepDim:
		a.keepdim = bool(o)
	case DType:
		a.dtype = o.code() // -1 for the zero DType
	default:
		return false
	}
	return true
}

// alongOne reads an optional dimension.
func alongOne(dim []Dim) along {
	a := along{dtype: -1}
	for _, d := range dim {
		a.dim[0], a.one, a.given, a.n = int64(d), true, true, 1
	}
	return a
}

// readAlong reads the options of op. O is the interface type of the options, so that the
// compiler rejects options that op does not accept.
func readAlong[O any](op string, opts []O) along {
	a := along{dtype: -1}
	for _, o := range opts {
		if o := any(o); !a.take(o) {
			panic(badOption(op, o))
		}
	}
	return a
}

// badOption returns the error for a nil option, or for a type that embeds an
// option.
func badOption(op string, o any) *Error {
	if o == nil {
		return argError(op, ErrNil, "opts", "a nil option")
	}
	return argError(op, ErrValue, "opts", reflect.TypeOf(o).String()+" is not an option of this function")
}
