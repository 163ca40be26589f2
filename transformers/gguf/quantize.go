package gguf

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// writers convert float32 values to the types that Quantize supports. dst consists of whole
// blocks.
var writers = map[Type]func(dst []byte, src []float32){
	TypeF32: writeF32, TypeF16: writeF16, TypeBF16: writeBF16, TypeQ4_0: writeQ40, TypeQ8_0: writeQ80,
}

// Quantizable reports whether [Quantize] can convert to the type: F32, F16, BF16, Q4_0 and
// Q8_0.
func (t Type) Quantizable() bool { return writers[t] != nil }

// Quantize converts values to the blocks of a type, with several goroutines. The number of
// values must be a multiple of [Type.BlockSize]. The result equals that of Python's
// gguf.quantize.
//
// The error is a *torch.Error: ErrUnsupported for a type that is not [Type.Quantizable], or
// ErrValue for a wrong number of values.
func Quantize(t Type, values []float32) ([]byte, error) {
	const op = "gguf.Quantize"
	write := writers[t]
	if write == nil {
		return nil, torch.NewError(op, torch.ErrUnsupported, "t", fmt.Sprintf("cannot convert to the type %v", t))
	}
	l := layouts[t]
	if int64(len(values))%l.block != 0 {
		return nil, torch.NewError(op, torch.ErrValue, "values",
			fmt.Sprintf("expected a multiple of %d values for %v, got %d", l.block, t, len(values)))
	}
	blocks := int64(len(values)) / l.block
	dst := make([]byte, blocks*l.bytes)
	inParts(blocks, l, func(lo, hi int64) { write(dst[lo*l.bytes:hi*l.bytes], values[lo*l.block:hi*l.block]) })
	return dst, nil
}

func writeF32(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint32(dst[4*i:], math.Float32bits(v))
	}
}

func writeF16(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], toHalf(v))
	}
}

func writeBF16(dst []byte, src []float32) {
	for i, v := range src {
		binary.LittleEndian.PutUint16(dst[2*i:], toBrain(v))
	}
}

// inverse returns 1/d, or 0 for 0.
func inverse(d float32) float32 {
	if d == 0 {
		return 0
	}
	return 1 / d
}

// truncated converts x to an integer like an x86 processor: numbers outside of int32, and
// NaN, become the smallest int32.
func truncated(x float32) int32 {
	if x >= -0x1p31 && x < 0x1p31 {
		return int32(x)
	}
	return math.MinInt32
}

func writeQ40(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[18:], src[32:] {
		d := extreme(src[:32]) / -8
		id := inverse(d)
		binary.LittleEndian.PutUint16(dst, toHalf(d))
		number := func(x float32) byte { return min(byte(truncated(float32(x*id)+8.5)), 15) }
		for i := range 16 {
			dst[2+i] = number(src[i]) | number(src[i+16])<<4
		}
	}
}

// extreme returns the first of the values with the largest absolute value, or the first NaN.
func extreme(values []float32) float32 {
	var most, at float32 = -1, 0
	for _, v := range values {
		a := float32(math.Abs(float64(v)))
		if a != a {
			return v
		}
		if a > most {
			most, at = a, v
		}
	}
	return at
}

func writeQ80(dst []byte, src []float32) {
	for ; len(src) >= 32; dst, src = dst[34:], src[32:] {
		d := float32(math.Abs(float64(extreme(src[:32])))) / 127
		id := inverse(d)
		binary.LittleEndian.PutUint16(dst, toHalf(d))
		for i, v := range src[:32] {
			x := v * id
			a := float32(math.Abs(float64(x)))
			floor := float32(math.Floor(float64(a)))
			b := floor + float32(math.Floor(float64(2*(a-floor)))) // rounds half away from zero
			if x < 0 {
				b = -b
			}
			dst[2+i] = byte(truncated(b))
		}
	}
}
