// Package wire writes messages in the binary format of protocol buffers. It is used for
// the few formats that the library writes: pprof profiles and TensorBoard event files. A
// message is appended field by field to a slice of bytes, with the field numbers of its
// .proto file. As in proto3, fields with zero values may be omitted.
//
// The package google.golang.org/protobuf would instead add generated types and a registry
// to every program that links the library. This package has about forty lines.
package wire

import (
	"encoding/binary"
	"math"
	"strings"
)

// The wire types of fields. A reader needs them to skip a field.
const (
	varint  = 0
	fixed64 = 1
	bytes   = 2
	fixed32 = 5
)

// AppendVarint appends a number as a varint, in as few groups of seven bits as possible.
func AppendVarint(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

func appendKey(b []byte, field, kind int) []byte {
	return AppendVarint(b, uint64(field)<<3|uint64(kind))
}

// AppendInt appends a field of type int64, int32, uint64 or enum.
func AppendInt(b []byte, field int, n int64) []byte {
	return AppendVarint(appendKey(b, field, varint), uint64(n))
}

// AppendBytes appends a field of type bytes, a nested message, or a packed list.
func AppendBytes(b []byte, field int, v []byte) []byte {
	return append(AppendVarint(appendKey(b, field, bytes), uint64(len(v))), v...)
}

// AppendString appends a field of type string. Invalid UTF-8 becomes U+FFFD, because
// readers would refuse the whole message.
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
