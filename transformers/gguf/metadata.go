package gguf

import (
	"math"
	"slices"
)

// KV is one entry of the metadata. The value has the Go type of its type in the file: a
// uint8, int8, uint16, int16, uint32, int32, uint64, int64, float32, float64, bool or string.
// An array is a slice of one of these types, and an array of arrays is a []any.
type KV struct {
	Key   string
	Value any
}

// Metadata returns the metadata in the order of the file. Do not modify the slices in it.
// It works after Close.
func (f *File) Metadata() []KV {
	f.must("gguf.File.Metadata")
	return slices.Clone(f.head.metadata)
}

// Value returns the value of a key, and false if the file does not have the key. See [KV]
// for its type. Do not modify a slice.
func (f *File) Value(key string) (any, bool) {
	f.must("gguf.File.Value")
	return f.value(key)
}

func (f *File) value(key string) (any, bool) {
	i, ok := f.head.keys[key]
	if !ok {
		return nil, false
	}
	return f.head.metadata[i].Value, true
}

// String returns a string of the metadata. It returns false if the file does not have the
// key, or if the value has a different type.
func (f *File) String(key string) (string, bool) {
	f.must("gguf.File.String")
	v, _ := f.value(key)
	s, ok := v.(string)
	return s, ok
}

// Bool returns a boolean of the metadata. It returns false, false if the file does not have
// the key, or if the value has a different type.
func (f *File) Bool(key string) (value, ok bool) {
	f.must("gguf.File.Bool")
	v, _ := f.value(key)
	value, ok = v.(bool)
	return value, ok
}

// Int returns an integer of the metadata, of any size. It returns false if the file does not
// have the key, or if the value has a different type or does not fit.
func (f *File) Int(key string) (int64, bool) {
	f.must("gguf.File.Int")
	v, _ := f.value(key)
	switch v := v.(type) {
	case uint8:
		return int64(v), true
	case int8:
		return int64(v), true
	case uint16:
		return int64(v), true
	case int16:
		return int64(v), true
	case uint32:
		return int64(v), true
	case int32:
		return int64(v), true
	case uint64:
		return int64(v), v <= math.MaxInt64
	case int64:
		return v, true
	}
	return 0, false
}

// Float returns a float32 or float64 of the metadata. It returns false if the file does not
// have the key, or if the value has a different type.
func (f *File) Float(key string) (float64, bool) {
	f.must("gguf.File.Float")
	v, _ := f.value(key)
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Strings returns a copy of an array of strings. It returns false if the file does not have
// the key, or if the value has a different type.
func (f *File) Strings(key string) ([]string, bool) {
	f.must("gguf.File.Strings")
	v, _ := f.value(key)
	s, ok := v.([]string)
	return slices.Clone(s), ok
}

// Bools returns a copy of an array of booleans. It returns false if the file does not have
// the key, or if the value has a different type.
func (f *File) Bools(key string) ([]bool, bool) {
	f.must("gguf.File.Bools")
	v, _ := f.value(key)
	s, ok := v.([]bool)
	return slices.Clone(s), ok
}

// Ints returns a copy of an array of integers of any size. It returns false if the file does
// not have the key, or if the value has a different type or does not fit.
func (f *File) Ints(key string) ([]int64, bool) {
	f.must("gguf.File.Ints")
	v, _ := f.value(key)
	switch v := v.(type) {
	case []uint8:
		return widened[int64](v), true
	case []int8:
		return widened[int64](v), true
	case []uint16:
		return widened[int64](v), true
	case []int16:
		return widened[int64](v), true
	case []uint32:
		return widened[int64](v), true
	case []int32:
		return widened[int64](v), true
	case []int64:
		return slices.Clone(v), true
	case []uint64:
		if slices.ContainsFunc(v, func(n uint64) bool { return n > math.MaxInt64 }) {
			return nil, false
		}
		return widened[int64](v), true
	}
	return nil, false
}

// Floats returns a copy of an array of float32 or float64. It returns false if the file does
// not have the key, or if the value has a different type.
func (f *File) Floats(key string) ([]float64, bool) {
	f.must("gguf.File.Floats")
	v, _ := f.value(key)
	switch v := v.(type) {
	case []float32:
		return widened[float64](v), true
	case []float64:
		return slices.Clone(v), true
	}
	return nil, false
}

// widened converts the elements of a slice to a wider type.
func widened[To int64 | float64, From uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | float32](
	s []From,
) []To {
	to := make([]To, len(s))
	for i, v := range s {
		to[i] = To(v)
	}
	return to
}
