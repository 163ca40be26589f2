// Package wire writes messages in the binary format of protocol buffers, for the few
// formats that the library writes: profiles of pprof and event files of TensorBoard. A
// message is appended field by field to a slice of bytes, with the numbers of its .proto
// file. Fields that are left out have their zero value, which is what proto3 does with
// zeros.
//
// The full package, google.golang.org/protobuf, would bring generated types and a
// registry to every program that links the library, for some forty lines.
package wire

import (
	"encoding/binary"
	"math"
	"strings"
)

// The kinds of fields, which a reader has to know to skip one.
const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
	fixed32 = 5
)

// AppendVarint appends a number in as few groups of seven bits as it needs.
func AppendVarint(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

func appendKey(b []byte, field, kind int) []byte {
	return AppendVarint(b, uint64(field)<<3|uint64(kind))
}

// AppendInt appends a field of type int64, int32, uint64 or enum.
func AppendInt(b []byte, field int, n int64) []byte {
	return AppendVarint(appendKey(b, field, varint), uint64(n))
}

// AppendBytes appends a field of type bytes, a message within the message, or a packed
// list.
func AppendBytes(b []byte, field int, v []byte) []byte {
	return append(AppendVarint(appendKey(b, field, bytes), uint64(len(v))), v...)
}

// AppendString appends a field of type string. What is no UTF-8 in it becomes U+FFFD, since
// readers refuse the whole message for it.
func AppendString(b []byte, field int, v string) []byte {
	v = strings.ToValidUTF8(v, "\ufffd")
	return append(AppendVarint(appendKey(b, field, bytes), uint64(len(v))), v...)
}

// AppendFloat appends a field of type float.
func AppendFloat(b []byte, field int, v float32) []byte {
	return binary.LittleEndian.AppendUint32(appendKey(b, field, fixed32), math.Float32bits(v))
}

// AppendDouble appends a field of type double.
func AppendDouble(b []byte, field int, v float64) []byte {
	return binary.LittleEndian.AppendUint64(appendKey(b, field, fixed64), math.Float64bits(v))
}

// AppendDoubles appends a packed list of doubles.
func AppendDoubles(b []byte, field int, v []float64) []byte {
	b = AppendVarint(appendKey(b, field, bytes), uint64(8*len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// AppendFloats appends a packed list of floats.
func AppendFloats(b []byte, field int, v []float32) []byte {
	b = AppendVarint(appendKey(b, field, bytes), uint64(4*len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
