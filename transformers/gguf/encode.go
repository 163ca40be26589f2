package gguf

import (
	"encoding/binary"
	"math"
)

// encoder appends the header of a file to b.
type encoder struct{ b []byte }

func (e *encoder) uint32(n uint32) { e.b = binary.LittleEndian.AppendUint32(e.b, n) }

func (e *encoder) uint64(n uint64) { e.b = binary.LittleEndian.AppendUint64(e.b, n) }

func (e *encoder) string(s string) {
	e.uint64(uint64(len(s)))
	e.b = append(e.b, s...)
}

// value appends the kind of a value and the value. It returns false if GGUF has no type for
// it.
func (e *encoder) value(v any) bool {
	kind, scalar := kindOf(v)
	switch {
	case scalar:
		e.uint32(kind)
		e.scalar(v)
		return true
	case kind == kindArray:
		e.uint32(kindArray)
		return e.array(v, 1)
	}
	return false
}

// array appends the kind of an array's elements, their number, and the elements.
func (e *encoder) array(v any, nesting int) bool {
	switch v := v.(type) {
	case []uint8:
		e.begin(kindUint8, len(v))
		e.b = append(e.b, v...)
	case []int8:
		elements(e, kindInt8, v)
	case []uint16:
		elements(e, kindUint16, v)
	case []int16:
		elements(e, kindInt16, v)
	case []uint32:
		elements(e, kindUint32, v)
	case []int32:
		elements(e, kindInt32, v)
	case []uint64:
		elements(e, kindUint64, v)
	case []int64:
		elements(e, kindInt64, v)
	case []float32:
		elements(e, kindFloat32, v)
	case []float64:
		elements(e, kindFloat64, v)
	case []bool:
		elements(e, kindBool, v)
	case []string:
		elements(e, kindString, v)
	case []any:
		e.begin(kindArray, len(v))
		for _, x := range v {
			if nesting == maxNesting || !e.array(x, nesting+1) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

func (e *encoder) begin(kind uint32, n int) {
	e.uint32(kind)
	e.uint64(uint64(n))
}

func elements[T any](e *encoder, kind uint32, list []T) {
	e.begin(kind, len(list))
	for _, v := range list {
		e.scalar(v)
	}
}

// scalar appends a value that is not an array.
func (e *encoder) scalar(v any) {
	switch v := v.(type) {
	case uint8:
		e.b = append(e.b, v)
	case int8:
		e.b = append(e.b, byte(v))
	case uint16:
		e.b = binary.LittleEndian.AppendUint16(e.b, v)
	case int16:
		e.b = binary.LittleEndian.AppendUint16(e.b, uint16(v))
	case uint32:
		e.uint32(v)
	case int32:
		e.uint32(uint32(v))
	case uint64:
		e.uint64(v)
	case int64:
		e.uint64(uint64(v))
	case float32:
		e.uint32(math.Float32bits(v))
	case float64:
		e.uint64(math.Float64bits(v))
	case bool:
		if v {
			e.b = append(e.b, 1)
		} else {
			e.b = append(e.b, 0)
		}
	case string:
		e.string(v)
	}
}

// kindOf returns the kind of a value, and whether it is a scalar. The kind of a value that
// is not a scalar is kindArray.
func kindOf(v any) (kind uint32, scalar bool) {
	switch v.(type) {
	case uint8:
		return kindUint8, true
	case int8:
		return kindInt8, true
	case uint16:
		return kindUint16, true
	case int16:
		return kindInt16, true
	case uint32:
		return kindUint32, true
	case int32:
		return kindInt32, true
	case uint64:
		return kindUint64, true
	case int64:
		return kindInt64, true
	case float32:
		return kindFloat32, true
	case float64:
		return kindFloat64, true
	case bool:
		return kindBool, true
	case string:
		return kindString, true
	}
	return kindArray, false
}
