package opt

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// MaxPixels is the largest number of pixels that an image may have. No memory could hold
// more. Near the largest int64, libtorch's arithmetic on sizes would overflow.
const MaxPixels = 1 << 40

// Ints reads an argument that is an int, an int64, or an []int, []int64 or torch.Shape of
// one of the given lengths. It panics with ErrType for any other type and with ErrValue
// for any other length.
func Ints(op, arg string, v any, lengths ...int) []int64 {
	var list []int64
	switch v := v.(type) {
	case int:
		return []int64{int64(v)}
	case int64:
		return []int64{v}
	case []int:
		for _, x := range v {
			list = append(list, int64(x))
		}
	case []int64:
		list = append(list, v...)
	case torch.Shape:
		list = append(list, v...)
	default:
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of ints, got %T", v)))
	}
	checkLength(op, arg, len(list), lengths)
	return list
}

// Floats is Ints for a floating-point argument: an int, a float64 or an []float64.
func Floats(op, arg string, v any, lengths ...int) []float64 {
	switch v := v.(type) {
	case int:
		return []float64{float64(v)}
	case float64:
		return []float64{v}
	case []float64:
		checkLength(op, arg, len(v), lengths)
		return append([]float64(nil), v...)
	}
	panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected a float64 or an []float64, got %T", v)))
}

func checkLength(op, arg string, n int, lengths []int) {
	for _, l := range lengths {
		if n == l {
			return
		}
	}
	panic(torch.NewError(op, torch.ErrValue, arg,
		fmt.Sprintf("expected a list of length %s, got length %d", or(lengths), n)))
}

func or(list []int) string {
	s := ""
	for i, n := range list {
		switch {
		case i > 0 && i == len(list)-1:
			s += " or "
		case i > 0:
			s += ", "
		}
		s += strconv.Itoa(n)
	}
	return s
}

// Pair reads a height and a width: two numbers, or one number for both. It panics as Ints
// does, and with ErrValue unless the numbers are positive.
func Pair(op, arg string, v any) (height, width int64) {
	list := Ints(op, arg, v, 1, 2)
	CheckPositive(op, arg, list...)
	return list[0], list[len(list)-1]
}

// CheckPositive panics with ErrValue unless all sizes in list are positive and an image of
// these sizes could fit in memory.
func CheckPositive(op, arg string, list ...int64) {
	for _, n := range list {
		if n < 1 || n > MaxPixels {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected positive numbers up to %d, got %v", int64(MaxPixels),
					append([]int64(nil), list...))))
		}
	}
}

// Sides returns the number of pixels that a padding of one, two or four numbers adds at
// each side. It panics with ErrValue for a list of any other length.
func Sides(op, arg string, list []int64) (left, right, top, bottom int64) {
	checkLength(op, arg, len(list), []int{1, 2, 4})
	switch len(list) {
	case 1:
		return list[0], list[0], list[0], list[0]
	case 2:
		return list[0], list[0], list[1], list[1]
	}
	return list[0], list[2], list[1], list[3]
}

// Check panics with ErrValue for an unknown padding mode.
func (m PaddingMode) Check(op string) {
	switch m {
	case PaddingModeConstant, PaddingModeEdge, PaddingModeReflect, PaddingModeSymmetric:
		return
	}
	panic(torch.NewError(op, torch.ErrValue, "PaddingMode",
		"expected constant, edge, reflect or symmetric, got "+strconv.Quote(string(m))))
}

// Check panics with ErrValue unless i is one of words.
func (i Interpolation) Check(op string, words ...Interpolation) {
	s := ""
	for k, w := range words {
		if i == w {
			return
		}
		if k > 0 {
			s += ", "
		}
		s += string(w)
	}
	panic(torch.NewError(op, torch.ErrValue, "Interpolation", "expected one of "+s+", got "+strconv.Quote(string(i))))
}

// CheckResizing panics with ErrValue for an interpolation that resizing does not support.
func (i Interpolation) CheckResizing(op string) {
	i.Check(op, InterpolationNearest, InterpolationNearestExact, InterpolationBilinear, InterpolationBicubic)
}

// CheckWarping panics with ErrValue for an interpolation that warping does not support.
func (i Interpolation) CheckWarping(op string) {
	i.Check(op, InterpolationNearest, InterpolationBilinear)
}

// Sizes returns the number of channels, the height and the width of an image (..., C, H, W). It
// panics with ErrNil or ErrClosed, with ErrShape for a tensor that is not an image, and
// with ErrDType for bools and complex numbers.
func Sizes(op string, x *torch.Tensor) (c, h, w int64) {
	x.HandleFor(op, 0)
	shape := x.Shape()
	n := len(shape)
	if n < 3 {
		panic(torch.NewError(op, torch.ErrShape, "image", fmt.Sprintf("expected (..., C, H, W), got %v", shape)))
	}
	CheckDType(op, x)
	return shape[n-3], shape[n-2], shape[n-1]
}

// CheckDType panics with ErrDType for bools and complex numbers.
func CheckDType(op string, x *torch.Tensor) {
	if d := x.DType(); d == torch.Bool || !d.IsFloatingPoint() && !d.IsInteger() {
		panic(torch.NewError(op, torch.ErrDType, "image",
			fmt.Sprintf("expected floating-point numbers or integers, got %v", d)))
	}
}

// ValueBits returns an integer dtype's number of bits, without the sign bit, or 0 for
// other dtypes.
func ValueBits(d torch.DType) int {
	switch d {
	case torch.Uint8:
		return 8
	case torch.Int8:
		return 7
	case torch.Int16:
		return 15
	case torch.Uint16:
		return 16
	case torch.Int32:
		return 31
	case torch.Int64:
		return 63
	}
	return 0
}

// MaxValue returns the largest value that an image of dtype d can have. It is 1 for
// floating-point dtypes.
func MaxValue(d torch.DType) int64 {
	if bits := ValueBits(d); bits > 0 {
		return int64(1)<<bits - 1
	}
	return 1
}
