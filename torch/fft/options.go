package fft

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// N is the size to which the dimension is truncated or zero-padded before the transform;
// for IRFFT and HFFT it is the size of the result. n in Python; by default the dimension
// keeps its size.
type N int64

// S is N for several dimensions, for example S{8, 16}. A size of -1 keeps the size of
// the dimension. Without Dims, the sizes apply to the last dimensions. s in Python; an
// empty list means None.
type S []int64

// Dim is the dimension to transform; a negative one counts from the end. dim in Python;
// the default is -1.
type Dim int64

// Dims are the dimensions to transform, for example Dims{0, -1}. dim in Python. For
// two-dimensional functions the default is the last two dimensions. For the others it is
// the last len(S) dimensions or, without S, all. An empty list means None.
type Dims []int64

// Norm is the scaling of a result. norm in Python; the default is NormBackward.
type Norm string

// These are the scalings of a transform of n elements. An inverse transform with the
// same Norm undoes a transform.
const (
	NormBackward Norm = "backward" // multiplies the result of the inverse transform by 1/n
	NormOrtho    Norm = "ortho"    // multiplies the results of both transforms by 1/sqrt(n)
	NormForward  Norm = "forward"  // multiplies the result of the forward transform by 1/n
)

// An Option configures a transform of one dimension: [N], [Dim], [Norm].
//
//gotorch:options N Dim Norm
type Option interface{ option() }

// An NOption configures a transform of several dimensions: [S], [Dims], [Norm].
//
//gotorch:options S Dims Norm
type NOption interface{ nOption() }

// A ShiftOption selects the dimensions along which frequencies are shifted: [Dim] or
// [Dims].
//
//gotorch:options Dim Dims
type ShiftOption interface{ shiftOption() }

// settings holds the values of the options.
type settings struct {
	n           maybe[int64]
	dim         int64
	sizes, dims []int64 // nil if not given
	norm        maybe[string]
}

type maybe[T any] struct {
	v     T
	given bool
}

// pointer returns a pointer to the value in m, or nil if there is none.
func (m *maybe[T]) pointer() *T {
	if m.given {
		return &m.v
	}
	return nil
}

func readOptions(op string, opts []Option) settings {
	o := settings{dim: -1}
	for _, opt := range opts {
		switch opt := opt.(type) {
		case N:
			o.n = maybe[int64]{int64(opt), true}
		case Dim:
			o.dim = int64(opt)
		case Norm:
			o.norm = maybe[string]{string(opt), true}
		default:
			panic(torch.BadOption(op, opt))
		}
	}
	o.check(op)
	return o
}

// readTwo reads the options of two-dimensional functions.
func readTwo(op string, opts []NOption) settings {
	o := readN(op, opts)
	if o.dims == nil {
		o.dims = []int64{-2, -1}
	}
	return o
}

func readN(op string, opts []NOption) settings {
	var o settings
	for _, opt := range opts {
		switch opt := opt.(type) {
		case S:
			o.sizes = orNil(opt)
		case Dims:
			o.dims = orNil(opt)
		case Norm:
			o.norm = maybe[string]{string(opt), true}
		default:
			panic(torch.BadOption(op, opt))
		}
	}
	o.check(op)
	return o
}

func readShift(op string, opts []ShiftOption) settings {
	var o settings
	for _, opt := range opts {
		switch opt := opt.(type) {
		case Dim:
			o.dims = []int64{int64(opt)}
		case Dims:
			o.dims = orNil(opt)
		default:
			panic(torch.BadOption(op, opt))
		}
	}
	return o
}

func orNil(list []int64) []int64 {
	if len(list) == 0 {
		return nil
	}
	return list
}

func (o *settings) check(op string) {
	switch n := Norm(o.norm.v); {
	case !o.norm.given, n == NormBackward, n == NormOrtho, n == NormForward:
	default:
		panic(torch.NewError(op, torch.ErrValue, "Norm",
			fmt.Sprintf("expected backward, ortho or forward, got %q", string(n))))
	}
}
