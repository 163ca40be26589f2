package gguf

import (
	"encoding/binary"
	"math"
)

// half converts a float16 to float32. The result is exact. A NaN keeps its payload.
func half(h uint16) float32 {
	sign, rest := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case rest >= 0x7c00: // infinite or NaN
		return math.Float32frombits(sign | rest<<13 | 0x7f800000)
	case rest >= 0x0400:
		return math.Float32frombits(sign | (rest<<13 + 112<<23))
	}
	// a subnormal; the product is a normal float32, so that the result is the same if the
	// processor treats subnormals as zero
	return math.Float32frombits(math.Float32bits(float32(rest)*0x1p-24) | sign)
}

// halfAt converts the float16 at the start of b.
func halfAt(b []byte) float32 { return half(binary.LittleEndian.Uint16(b)) }

// toHalf converts a float32 to float16, rounding to the nearest even value.
func toHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign, rest := uint16(b>>16&0x8000), b&0x7fffffff
	switch {
	case rest > 0x7f800000: // NaN: keep the upper bits of the payload, but do not make it infinite
		if payload := uint16(rest >> 13 & 0x3ff); payload != 0 {
			return sign | 0x7c00 | payload
		}
		return sign | 0x7c01
	case rest >= 0x477ff000: // rounds to more than the largest float16
		return sign | 0x7c00
	case rest >= 0x38800000: // normal
		rest += 0xfff + rest>>13&1
		return sign | uint16((rest-112<<23)>>13)
	case rest < 0x33000000: // less than half of the smallest subnormal
		return sign
	}
	shift := 126 - rest>>23 // from 14 to 24
	mantissa := rest&0x7fffff | 0x800000
	v := mantissa >> shift
	if tail, middle := mantissa&(1<<shift-1), uint32(1)<<(shift-1); tail > middle || tail == middle && v&1 == 1 {
		v++
	}
	return sign | uint16(v)
}

// toBrain converts a float32 to bfloat16, rounding to the nearest even value. A NaN becomes
// quiet.
func toBrain(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((uint64(b) + 0x7fff + uint64(b>>16&1)) >> 16)
}
