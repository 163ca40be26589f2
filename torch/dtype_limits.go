package torch

import (
	"fmt"
	"math"
)

// FloatInfo holds the limits of a floating-point type. Follows torch.finfo.
type FloatInfo struct {
	DType          DType   // for a complex type, the type of its parts
	Bits           int     // bits of one number
	Eps            float64 // the difference between 1 and the next larger number
	Max, Min       float64 // the largest and the lowest finite number
	SmallestNormal float64 // the smallest positive normal number
	Tiny           float64 // the same as SmallestNormal
	Resolution     float64 // 10**-n for the number n of decimal digits that are always exact
}

// IntInfo holds the limits of an integer type. Follows torch.iinfo.
type IntInfo struct {
	DType DType
	Bits  int
	Min   int64
	Max   uint64
}

// floatInfos holds, for each type, the binary exponents of Eps and SmallestNormal, the
// largest number and the number of decimal digits.
var floatInfos = map[DType]struct {
	eps, normal int
	largest     float64
	digits      int
}{
	Float16: {-10, -14, 65504, 3}, BFloat16: {-7, -126, 0x1.fep127, 2},
	Float32: {-23, -126, math.MaxFloat32, 6}, Float64: {-52, -1022, math.MaxFloat64, 15},
	Float8E5M2: {-2, -14, 57344, 0}, Float8E4M3FN: {-3, -6, 448, 0},
	Float8E5M2FN: {-3, -15, 57344, 0}, Float8E4M3FNU: {-3, -7, 240, 0},
}

// Finfo returns the limits of a floating-point type; for a complex type, the limits of
// its real and imaginary parts. It panics with ErrType for any other type.
// Follows torch.finfo.
func Finfo(dtype DType) FloatInfo {
	switch dtype {
	case Complex32:
		dtype = Float16
	case Complex64:
		dtype = Float32
	case Complex128:
		dtype = Float64
	}
	i, ok := floatInfos[dtype]
	if !ok {
		panic(argError("Finfo", ErrType, "dtype",
			fmt.Sprintf("expected a floating-point or complex type, got %v; use Iinfo for integers", dtype)))
	}
	normal := math.Ldexp(1, i.normal)
	return FloatInfo{
		DType: dtype, Bits: int(8 * dtype.Size()), Eps: math.Ldexp(1, i.eps), Max: i.largest, Min: -i.largest,
		SmallestNormal: normal, Tiny: normal, Resolution: 1 / math.Pow10(i.digits),
	}
}

// String prints f as Python does.
func (f FloatInfo) String() string {
	return fmt.Sprintf(
		"finfo(resolution=%.6g, min=%.6g, max=%.6g, eps=%.6g, smallest_normal=%.6g, tiny=%.6g, dtype=%v)",
		f.Resolution, f.Min, f.Max, f.Eps, f.SmallestNormal, f.Tiny, f.DType)
}

// Iinfo returns the limits of an integer type. It panics with ErrType for any
// other type, including Bool. Follows torch.iinfo.
func Iinfo(dtype DType) IntInfo {
	if !dtype.IsInteger() {
		panic(argError("Iinfo", ErrType, "dtype",
			fmt.Sprintf("expected an integer type, got %v; use Finfo for floating-point types", dtype)))
	}
	bits := int(8 * dtype.Size())
	switch dtype {
	case Uint8, Uint16, Uint32, Uint64:
		return IntInfo{dtype, bits, 0, math.MaxUint64 >> (64 - bits)}
	}
	return IntInfo{dtype, bits, math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits)}
}

// String prints i as Python does.
func (i IntInfo) String() string {
	return fmt.Sprintf("iinfo(min=%d, max=%d, dtype=%v)", i.Min, i.Max, i.DType)
}
