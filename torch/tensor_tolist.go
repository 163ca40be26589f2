package torch

import "math"

// ToList returns the elements as nested []any, one level per dimension.
// Elements are float64 for floating point, uint64 for Uint64, int64 for other
// integers, bool for Bool, and complex128 for complex numbers. A tensor without
// dimensions gives the value itself. The result shares no memory with t. It
// panics with ErrOutOfMemory if the elements do not fit in memory.
// Follows Tensor.tolist.
func (t *Tensor) ToList() any {
	const op = "ToList(self)"
	t.handle(op, 0)
	shape := t.Shape()
	lists := int64(1)
	for _, n := range shape { // a tensor without elements may still have very many empty lists
		if n > 0 && lists > math.MaxInt64/n {
			lists = math.MaxInt64
		} else {
			lists *= n
		}
		mustFit(op, lists, 16)
	}
	var at func(i int) any
	partOf(op, func() {
		switch d := t.DType(); {
		case d.IsComplex():
			v := t.Complex128s()
			at = func(i int) any { return v[i] }
		case d.IsFloatingPoint():
			v := t.Float64s()
			at = func(i int) any { return v[i] }
		case d == Bool:
			v := t.Bools()
			at = func(i int) any { return v[i] }
		case d == Uint64:
			v := t.Uint64s()
			at = func(i int) any { return v[i] }
		default:
			v := t.Int64s()
			at = func(i int) any { return v[i] }
		}
	})
	next := 0
	var level func(dim int) any
	level = func(dim int) any {
		if dim == len(shape) {
			next++
			return at(next - 1)
		}
		items := make([]any, shape[dim])
		for i := range items {
			items[i] = level(dim + 1)
		}
		return items
	}
	return level(0)
}
