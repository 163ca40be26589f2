package gguf

import (
	"encoding/binary"
	"math"
)

// These kernels convert the K-quants, whose blocks have 256 elements in groups of 16 or 32
// with a scale each. A byte holds parts of up to four elements, which are 32 elements apart.
// The kernels convert them together, because Go is slow at shifts by a variable.

func readQ2K(dst []float32, src []byte) {
	var value [8][4]float32
	for len(src) >= 84 && len(dst) >= 256 {
		b, y := (*[84]byte)(src), (*[256]float32)(dst)
		d, dmin := halfAt(b[80:]), halfAt(b[82:])
		for part := range 2 { // 128 elements each
			for i := range value {
				s := b[8*part+i]
				dl, ml := float32(d*float32(s&15)), float32(dmin*float32(s>>4))
				for q := range value[i] {
					value[i][q] = float32(dl*float32(q)) - ml
				}
			}
			qs, to := (*[32]byte)(b[16+32*part:]), (*[128]float32)(y[128*part:])
			for i := range 16 {
				q, r := qs[i], qs[i+16]
				to[i], to[i+16] = value[0][q&3], value[1][r&3]
				to[i+32], to[i+48] = value[2][q>>2&3], value[3][r>>2&3]
				to[i+64], to[i+80] = value[4][q>>4&3], value[5][r>>4&3]
				to[i+96], to[i+112] = value[6][q>>6], value[7][r>>6]
			}
		}
		src, dst = src[84:], dst[256:]
	}
}

func readQ3K(dst []float32, src []byte) {
	var value [8][8]float32
	for len(src) >= 110 && len(dst) >= 256 {
		b, y := (*[110]byte)(src), (*[256]float32)(dst)
		high, scales, d := *(*[32]byte)(b[:]), (*[12]byte)(b[96:]), halfAt(b[108:])
		for part := range 2 {
			for i := range value {
				at := 8*part + i
				s := scales[i]>>(4*part)&15 | scales[8+at%4]>>(at/4*2)&3<<4
				dl := d * float32(int(s)-32)
				for q := range value[i] {
					value[i][q] = dl * float32(q-4) // the offset is 0 if the high bit is 1
				}
			}
			qs, to := (*[32]byte)(b[32+32*part:]), (*[128]float32)(y[128*part:])
			for i := range 16 {
				q, r, h, k := qs[i], qs[i+16], high[i], high[i+16]
				to[i], to[i+16] = value[0][q&3|h&1<<2], value[1][r&3|k&1<<2]
				to[i+32], to[i+48] = value[2][q>>2&3|h&2<<1], value[3][r>>2&3|k&2<<1]
				to[i+64], to[i+80] = value[4][q>>4&3|h&4], value[5][r>>4&3|k&4]
				to[i+96], to[i+112] = value[6][q>>6|h>>1&4], value[7][r>>6|k>>1&4]
				high[i], high[i+16] = h>>4, k>>4
			}
		}
		src, dst = src[110:], dst[256:]
	}
}

// scaleMin returns the scale and the minimum of a group of 32 elements of Q4_K and Q5_K.
func scaleMin(b *[12]byte, i int) (scale, least float32) {
	if i < 4 {
		return float32(b[i] & 63), float32(b[i+4] & 63)
	}
	return float32(b[i+4]&15 | b[i-4]>>2&0x30), float32(b[i+4]>>4 | b[i]>>2&0x30)
}

func readQ4K(dst []float32, src []byte) {
	var value [2][16]float32
	for len(src) >= 144 && len(dst) >= 256 {
		b, y := (*[144]byte)(src), (*[256]float32)(dst)
		d, dmin := halfAt(b[:]), halfAt(b[2:])
		for part := range 4 { // 64 elements each
			for i := range value {
				s, m := scaleMin((*[12]byte)(b[4:]), 2*part+i)
				dl, ml := float32(d*s), float32(dmin*m)
				for q := range value[i] {
					value[i][q] = float32(dl*float32(q)) - ml
				}
			}
			qs, to := (*[32]byte)(b[16+32*part:]), (*[64]float32)(y[64*part:])
			for i, q := range qs {
				to[i], to[i+32] = value[0][q&15], value[1][q>>4]
			}
		}
		src, dst = src[144:], dst[256:]
	}
}

func readQ5K(dst []float32, src []byte) {
	var value [2][32]float32
	for len(src) >= 176 && len(dst) >= 256 {
		b, y := (*[176]byte)(src), (*[256]float32)(dst)
		d, dmin, high := halfAt(b[:]), halfAt(b[2:]), *(*[32]byte)(b[16:])
		for part := range 4 {
			for i := range value {
				s, m := scaleMin((*[12]byte)(b[4:]), 2*part+i)
				dl, ml := float32(d*s), float32(dmin*m)
				for q := range value[i] {
					value[i][q] = float32(dl*float32(q)) - ml
				}
			}
			qs, to := (*[32]byte)(b[48+32*part:]), (*[64]float32)(y[64*part:])
			for i, q := range qs {
				h := high[i]
				to[i], to[i+32] = value[0][q&15|h&1<<4], value[1][q>>4|h&2<<3]
				high[i] = h >> 2
			}
		}
		src, dst = src[176:], dst[256:]
	}
}

// six are the values of numbers of six bits without their scale.
var six = func() (values [64]float32) {
	for i := range values {
		values[i] = float32(i - 32)
	}
	return values
}()

func readQ6K(dst []float32, src []byte) {
	for len(src) >= 210 && len(dst) >= 256 {
		b, y := (*[210]byte)(src), (*[256]float32)(dst)
		d := halfAt(b[208:])
		for part := range 4 { // 16 elements of each of four groups of 32
			at := part%2*16 + part/2*64
			low, low2, high := (*[16]byte)(b[at:]), (*[16]byte)(b[at+32:]), (*[16]byte)(b[128+part*16:])
			scales, to := b[192+part%2+part/2*8:], (*[112]float32)(y[part%2*16+part/2*128:])
			d0, d1 := d*float32(int8(scales[0])), d*float32(int8(scales[2]))
			d2, d3 := d*float32(int8(scales[4])), d*float32(int8(scales[6]))
			for i, h := range high {
				q, r := low[i], low2[i]
				to[i], to[i+32] = d0*six[q&15|h&3<<4], d1*six[r&15|h>>2&3<<4]
				to[i+64], to[i+96] = d2*six[q>>4|h>>4&3<<4], d3*six[r>>4|h>>6<<4]
			}
		}
		src, dst = src[210:], dst[256:]
	}
}

func readQ8K(dst []float32, src []byte) {
	for len(src) >= 292 && len(dst) >= 256 {
		b, y := (*[292]byte)(src), (*[256]float32)(dst)
		d := math.Float32frombits(binary.LittleEndian.Uint32(b[:]))
		for i, q := range b[4:260] {
			y[i] = d * float32(int8(q))
		}
		src, dst = src[292:], dst[256:]
	}
}
