package torch

import (
	"strconv"
	"strings"
)

// Shape is the size of each dimension. A Shape that a function returns is the
// caller's own copy. Follows torch.Size.
type Shape []int64

// Numel returns the number of elements of a tensor of this shape. It is 1 for
// the empty shape of a scalar.
func (s Shape) Numel() int64 {
	n := int64(1)
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same sizes.
func (s Shape) Equal(other Shape) bool {
	if len(s) != len(other) {
		return false
	}
	for i, d := range s {
		if d != other[i] {
			return false
		}
	}
	return true
}

// String returns the shape as a Python tuple: "(2, 3)", "(5,)", "()".
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('(')
	for i, d := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	if len(s) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
