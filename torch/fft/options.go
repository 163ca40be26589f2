package fft

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// N is the size that the dimension is cut to, or filled up to with zeros, before
// the transform; for IRFFT and HFFT the size of the result. n in Python; without
// it the dimension keeps its size.
type N int64

// S is N for several dimensions, with braces: S{8, 16}; -1 leaves a size as it
// is. Without Dims these are the last dimensions. s in Python; an empty list is
// None.
type S []int64

// Dim is the dimension to transform; a negative one counts from the end. dim in
// Python, -1 unless given.
type Dim int64

// Dims are the dimensions to transform, with braces: Dims{0, -1}. dim in Python:
// the last two for functions of two dimensions, and as many as S has, or all, for
// the others. An empty list is None.
type Dims []int64

// Norm says how a result is scaled. norm in Python, NormBackward unless given.
type Norm string

// Ways to scale. An inverse with the same one undoes a transform.
const (
	NormBackward Norm = "backward" // the inverse by 1/n
	NormOrtho    Norm = "ortho"    // both by 1/sqrt(n)
	NormForward  Norm = "forward"  // the transform by 1/n
)

// An Option says how one dimension is transformed: [N], [Dim], [Norm].
//
//gotorch:options N Dim Norm
type Option interface{ option() }

// An NOption says how several dimensions are transformed: [S], [Dims], [Norm].
//
//gotorch:options S Dims Norm
type NOption interface{ nOption() }

// A ShiftOption says along which dimensions frequencies are moved: [Dim] or
// [Dims].
//
//gotorch:options Dim Dims
type ShiftOption interface{ shiftOption() }

// settings are options, read.
type settings struct {
	n           maybe[int64]
	dim         int64
	sizes, dims []int64 // nil if none were given
	norm        maybe[string]
}

type maybe[T any] struct {
	v     T
	given bool
}

// pointer is nil if none was given. The result is part of m.
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

// readTwo reads the options of functions of two dimensions.
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
		panic(torch.NewError(op, torch.ErrValue, "Norm", fmt.Sprintf("expected backward, ortho or forward, got %q", string(n))))
	}
}
