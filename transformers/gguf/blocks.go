package gguf

import "encoding/binary"

// These kernels convert the types with blocks of 32 elements. The arithmetic is that of
// Python's package gguf: float32, in the same order. A block has at most 32 different
// values, so most kernels compute each value once.
//
// The conversions to float32 of products keep the compiler from fusing a multiplication
// with the addition after it, which would round once instead of twice.

func readQ40(dst []float32, src []byte) {
	var value [16]float32
	for len(src) >= 18 && len(dst) >= 32 {
		b, y := (*[18]byte)(src), (*[32]float32)(dst)
		d := halfAt(b[:])
		for i := range value {
			value[i] = d * float32(i-8)
		}
		for i, q := range b[2:] {
			y[i], y[i+16] = value[q&15], value[q>>4]
		}
		src, dst = src[18:], dst[32:]
	}
}

func readQ41(dst []float32, src []byte) {
	var value [16]float32
	for len(src) >= 20 && len(dst) >= 32 {
		b, y := (*[20]byte)(src), (*[32]float32)(dst)
		d, m := halfAt(b[:]), halfAt(b[2:])
		for i := range value {
			value[i] = float32(d*float32(i)) + m
		}
		for i, q := range b[4:] {
			y[i], y[i+16] = value[q&15], value[q>>4]
		}
		src, dst = src[20:], dst[32:]
	}
}

func readQ50(dst []float32, src []byte) {
	var value [32]float32
	for len(src) >= 22 && len(dst) >= 32 {
		b, y := (*[22]byte)(src), (*[32]float32)(dst)
		d := halfAt(b[:])
		for i := range value {
			value[i] = d * float32(i-16)
		}
		fifthBits(y, &value, binary.LittleEndian.Uint32(b[2:]), (*[16]byte)(b[6:]))
		src, dst = src[22:], dst[32:]
	}
}

func readQ51(dst []float32, src []byte) {
	var value [32]float32
	for len(src) >= 24 && len(dst) >= 32 {
		b, y := (*[24]byte)(src), (*[32]float32)(dst)
		d, m := halfAt(b[:]), halfAt(b[2:])
		for i := range value {
			value[i] = float32(d*float32(i)) + m
		}
		fifthBits(y, &value, binary.LittleEndian.Uint32(b[4:]), (*[16]byte)(b[8:]))
		src, dst = src[24:], dst[32:]
	}
}

// fifthBits sets y to the values of numbers of five bits, whose highest bits are in high.
func fifthBits(y, value *[32]float32, high uint32, low *[16]byte) {
	for i, q := range low {
		y[i] = value[q&15|byte(high>>i&1)<<4]
		y[i+16] = value[q>>4|byte(high>>(i+16)&1)<<4]
	}
}

func readQ80(dst []float32, src []byte) {
	for len(src) >= 34 && len(dst) >= 32 {
		b, y := (*[34]byte)(src), (*[32]float32)(dst)
		d := halfAt(b[:])
		for i, q := range b[2:] {
			y[i] = float32(int8(q)) * d
		}
		src, dst = src[34:], dst[32:]
	}
}
