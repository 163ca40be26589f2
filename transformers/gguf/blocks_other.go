package gguf

import (
	"encoding/binary"
	"math"
)

// These kernels convert types with a table of values, and ternary types.

// valuesIQ4 are the values of IQ4_NL and IQ4_XS, and valuesFP4 twice the values of MXFP4 and
// NVFP4.
var (
	valuesIQ4 = [16]float32{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113}
	valuesFP4 = [16]float32{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12}
)

func readIQ4NL(dst []float32, src []byte) {
	var value [16]float32
	for len(src) >= 18 && len(dst) >= 32 {
		b, y := (*[18]byte)(src), (*[32]float32)(dst)
		d := halfAt(b[:])
		for i, v := range valuesIQ4 {
			value[i] = d * v
		}
		for i, q := range b[2:] {
			y[i], y[i+16] = value[q&15], value[q>>4]
		}
		src, dst = src[18:], dst[32:]
	}
}

func readIQ4XS(dst []float32, src []byte) {
	var value [16]float32
	for len(src) >= 136 && len(dst) >= 256 {
		b, y := (*[136]byte)(src), (*[256]float32)(dst)
		d, high := halfAt(b[:]), binary.LittleEndian.Uint16(b[2:])
		for part := range 8 {
			s := b[4+part/2]>>(part%2*4)&15 | byte(high>>(2*part)&3)<<4
			dl := d * float32(int(s)-32)
			for i, v := range valuesIQ4 {
				value[i] = dl * v
			}
			qs, to := (*[16]byte)(b[8+16*part:]), (*[32]float32)(y[32*part:])
			for i, q := range qs {
				to[i], to[i+16] = value[q&15], value[q>>4]
			}
		}
		src, dst = src[136:], dst[256:]
	}
}

func readTQ10(dst []float32, src []byte) {
	for len(src) >= 54 && len(dst) >= 256 {
		b, y := (*[54]byte)(src), (*[256]float32)(dst)
		d := halfAt(b[52:])
		at := 0
		digits := func(qs []byte, n int) {
			for power := byte(1); n > 0; n, power = n-1, power*3 {
				for _, q := range qs {
					y[at] = d * float32(int(uint16(q*power)*3>>8)-1)
					at++
				}
			}
		}
		digits(b[:32], 5)
		digits(b[32:48], 5)
		digits(b[48:52], 4)
		src, dst = src[54:], dst[256:]
	}
}

func readTQ20(dst []float32, src []byte) {
	for len(src) >= 66 && len(dst) >= 256 {
		b, y := (*[66]byte)(src), (*[256]float32)(dst)
		d := halfAt(b[64:])
		value := [4]float32{d * -1, d * 0, d * 1, d * 2}
		for part := range 8 {
			for i, q := range b[part/4*32 : part/4*32+32] {
				y[32*part+i] = value[q>>(2*(part%4))&3]
			}
		}
		src, dst = src[66:], dst[256:]
	}
}

func readMXFP4(dst []float32, src []byte) {
	var value [16]float32
	for len(src) >= 17 && len(dst) >= 32 {
		b, y := (*[17]byte)(src), (*[32]float32)(dst)
		bits := uint32(0x00200000) << b[0]
		if b[0] >= 2 {
			bits = uint32(b[0]-1) << 23
		}
		d := math.Float32frombits(bits)
		for i, v := range valuesFP4 {
			value[i] = d * v
		}
		for i, q := range b[1:] {
			y[i], y[i+16] = value[q&15], value[q>>4]
		}
		src, dst = src[17:], dst[32:]
	}
}

// unsignedE4M3 returns half of the value of an unsigned number with 4 bits of exponent and 3
// bits of mantissa. The result is exact.
func unsignedE4M3(x byte) float32 {
	exponent, mantissa := int(x>>3&15), float64(x&7)
	switch {
	case x == 0x7f:
		return 0
	case exponent == 0:
		return float32(mantissa * 0x1p-10)
	}
	return float32(math.Ldexp(1+mantissa/8, exponent-8))
}

func readNVFP4(dst []float32, src []byte) {
	for len(src) >= 36 && len(dst) >= 64 {
		b, y := (*[36]byte)(src), (*[64]float32)(dst)
		for part := range 4 {
			d := unsignedE4M3(b[part])
			for i, q := range b[4+8*part : 12+8*part] {
				y[16*part+i], y[16*part+8+i] = d*valuesFP4[q&15], d*valuesFP4[q>>4]
			}
		}
		src, dst = src[36:], dst[64:]
	}
}
