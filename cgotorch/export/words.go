package export

import (
	"math"
	"unsafe"
)

// Words are values in the format that export.h defines.
type Words []uint64

// Add appends words.
func (w *Words) Add(n ...uint64) { *w = append(*w, n...) }

// Tag appends a tag with a number.
func (w *Words) Tag(kind, n int) { w.Add(uint64(n)<<8 | uint64(kind)) }

// Int appends an integer.
func (w *Words) Int(n int64) { w.Add(Int, uint64(n)) }

// Float appends a float.
func (w *Words) Float(f float64) { w.Add(Float, math.Float64bits(f)) }

// Complex appends a complex number.
func (w *Words) Complex(c complex128) {
	w.Add(Complex, math.Float64bits(real(c)), math.Float64bits(imag(c)))
}

// Bool appends a bool.
func (w *Words) Bool(b bool) {
	n := 0
	if b {
		n = 1
	}
	w.Tag(Bool, n)
}

// Text appends a string.
func (w *Words) Text(s string) {
	w.Tag(String, len(s))
	for ; s != ""; s = s[min(8, len(s)):] {
		var b [8]byte
		copy(b[:], s)
		w.Add(*(*uint64)(unsafe.Pointer(&b)))
	}
}

// A SlotNumber is the number of a value in a recording.
type SlotNumber int

// Decode returns the values in words. tensors are those of the result that the words belong
// to. A list is a []any.
func Decode[T any](w []uint64, tensors []T) []any {
	var all []any
	for len(w) > 0 {
		var v any
		v, w = decodeOne(w, tensors)
		all = append(all, v)
	}
	return all
}

func decodeOne[T any](w []uint64, tensors []T) (v any, left []uint64) {
	n := int(w[0] >> 8)
	kind, w := w[0]&0xff, w[1:]
	switch kind {
	case Tensor:
		return tensors[n], w
	case Bool:
		return n != 0, w
	case Int:
		return int64(w[0]), w[1:]
	case Float:
		return math.Float64frombits(w[0]), w[1:]
	case Complex:
		return complex(math.Float64frombits(w[0]), math.Float64frombits(w[1])), w[2:]
	case Slot:
		return SlotNumber(n), w
	case String:
		return string(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), n)), w[(n+7)/8:]
	case List:
		items := make([]any, n)
		for i := range items {
			items[i], w = decodeOne(w, tensors)
		}
		return items, w
	}
	return nil, w
}
