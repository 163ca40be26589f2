package arrow

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// column holds the numbers of one column for some of the file's rows.
type column struct {
	rows   int64
	width  int64 // how many numbers a row has; notList for a column without lists
	values any   // a slice of a type that torch.FromSlice accepts
	dtype  torch.DType
	places []int64 // each row's index into values if the column is a dictionary, otherwise nil
}

// read copies the numbers of a chunk of column k. first is the row at which the chunk
// begins, for errors.
func (r *reader) read(k int, chunk arrow.Array, first int64) (*column, error) {
	name := plain.Quote(r.names[k])
	c := &column{rows: int64(chunk.Len()), width: notList}
	if e, ok := chunk.(array.ExtensionArray); ok { // an extension type, for example a tensor of fixed shape
		chunk = e.Storage()
	}
	if l, ok := chunk.(array.ListLike); ok {
		if i := firstNull(chunk); i >= 0 {
			return nil, fmt.Errorf("column %s, row %d: expected a list, got a null", name, first+int64(i))
		}
		if err := there(l.ListValues()); err != nil {
			return nil, fmt.Errorf("column %s%w", name, err)
		}
		var start, end int64
		if c.rows > 0 {
			start, end = l.ValueOffsets(0)
		}
		c.width = end - start
		if f, ok := chunk.DataType().(*arrow.FixedSizeListType); ok {
			// the type fixes the length of the lists, so it is known even without rows
			c.width = int64(f.Len())
		}
		if err := r.lists(l, start, c); err != nil {
			return nil, fmt.Errorf("column %s%w", name, err)
		}
		for i := range chunk.Len() {
			a, z := l.ValueOffsets(i)
			if z-a != c.width {
				return nil, fmt.Errorf("column %s, row %d: the lists differ in length: %d numbers, but %d in row %d",
					name, first+int64(i), z-a, c.width, first)
			}
			if a != start+int64(i)*c.width {
				return nil, fmt.Errorf("column %s, row %d: the lists are not contiguous", name, first+int64(i))
			}
		}
		chunk = array.NewSlice(l.ListValues(), start, start+c.rows*c.width)
		defer chunk.Release()
	}
	if err := there(chunk); err != nil {
		return nil, fmt.Errorf("column %s%w", name, err)
	}
	numbers := r.numbers
	if r.words[k] != nil {
		numbers = r.codes(r.words[k])
	}
	if err := numbers(c, chunk, first); err != nil {
		return nil, fmt.Errorf("column %s%w", name, err)
	}
	if c.rows > 0 {
		if w := r.widths[k]; w != unknown && w != c.width {
			return nil, fmt.Errorf("column %s, row %d: the lists differ in length: %d numbers, but %d in earlier rows",
				name, first, c.width, w)
		}
		r.widths[k] = c.width
	}
	return c, nil
}

// lists returns an error for lists that need more values than their column has. start is the
// position of the first value.
func (r *reader) lists(l array.ListLike, start int64, c *column) error {
	values := l.ListValues()
	n := int64(values.Len())
	_, fixed := l.DataType().(*arrow.FixedSizeListType)
	if c.width < 0 || fixed && c.width == 0 || start < 0 || start > n ||
		c.width > 0 && c.rows > (n-start)/c.width {
		return fmt.Errorf(": %d lists of %d numbers need more than the column's %d numbers", c.rows, c.width, n)
	}
	if _, empty := values.(*array.Null); empty { // no buffer limits the number of nulls
		return r.mem.need(n, 1)
	}
	return nil
}

func firstNull(a arrow.Array) int {
	if a.NullN() == 0 || a.NullBitmapBytes() == nil {
		return -1
	}
	for i := range a.Len() {
		if a.IsNull(i) {
			return i
		}
	}
	return -1
}

// there returns an error for a damaged chunk that claims more values than its buffers
// contain. Reading such a chunk could allocate any amount of memory or take hours.
func there(chunk arrow.Array) error {
	d := chunk.Data()
	if chunk.Len() == 0 || len(d.Buffers()) < 2 {
		return nil
	}
	width, more := 0, int64(0)
	switch t := chunk.DataType().(type) {
	case arrow.FixedWidthDataType:
		width = t.BitWidth()
	case *arrow.StringViewType:
		width = 128
	case *arrow.StringType:
		// the buffer has the end of each string, and one more offset where the first string
		// begins
		width, more = 32, 1
	case *arrow.LargeStringType:
		width, more = 64, 1
	}
	bits := int64(0)
	if b := d.Buffers()[1]; b != nil {
		bits = 8 * int64(b.Len())
	}
	if n := int64(width); n > 0 && int64(d.Offset())+int64(chunk.Len()) > bits/n-more {
		return fmt.Errorf(": the column claims %d values but has %d", chunk.Len(), max(bits/n-more, 0))
	}
	return nil
}

// grown returns the number of bytes that an element of a chunk takes in Go and in a tensor together,
// if it is much more than in the chunk, and 0 otherwise.
func grown(chunk arrow.Array) int64 {
	switch chunk.(type) {
	case *array.Boolean: // a bit
		return 1 + 1
	case *array.Float16:
		return 4 + 2
	case *array.Date32, *array.Time32:
		return 8 + 8
	case *array.Dictionary: // an index of a byte: the place, in Go and in a tensor, and the value
		return 8 + 8 + 8
	}
	return 0
}

// numbers copies the values of a chunk to c.
func (r *reader) numbers(c *column, chunk arrow.Array, first int64) error {
	if err := r.mem.need(int64(chunk.Len()), grown(chunk)); err != nil {
		return err
	}
	if d, ok := chunk.(*array.Dictionary); ok {
		return r.places(c, d, first)
	}
	if _, text := chunk.(array.StringLike); text {
		return errTexts
	}
	null := firstNull(chunk)
	if null >= 0 && !r.filled {
		return fmt.Errorf(", row %d: the value is null; set FillNull to replace nulls", c.row(first, null))
	}
	var bad bool
	switch a := chunk.(type) {
	case *array.Float32:
		c.values, bad = filled(a.Values(), chunk, float32(r.fill), false, 0, 0)
	case *array.Float64:
		c.values, bad = filled(a.Values(), chunk, r.fill, false, 0, 0)
	case *array.Float16:
		v := make([]float32, a.Len())
		for i, x := range a.Values() {
			v[i] = x.Float32()
		}
		c.dtype = torch.Float16
		c.values, bad = filled(v, chunk, float32(r.fill), false, 0, 0)
	case *array.Int64:
		c.values, bad = r.whole(a.Values(), chunk)
	case *array.Int32:
		c.values, bad = filled(a.Values(), chunk, int32(r.fill), true, r.fill, math.MaxInt32)
	case *array.Int16:
		c.values, bad = filled(a.Values(), chunk, int16(r.fill), true, r.fill, math.MaxInt16)
	case *array.Int8:
		c.values, bad = filled(a.Values(), chunk, int8(r.fill), true, r.fill, math.MaxInt8)
	case *array.Uint8:
		c.values, bad = filled(a.Values(), chunk, uint8(r.fill), true, r.fill, -math.MaxUint8)
	case *array.Uint16:
		c.values, bad = filled(a.Values(), chunk, uint16(r.fill), true, r.fill, -math.MaxUint16)
	case *array.Uint32:
		c.values, bad = filled(a.Values(), chunk, uint32(r.fill), true, r.fill, -math.MaxUint32)
	case *array.Uint64:
		c.values, bad = filled(a.Values(), chunk, uint64(r.fill), true, r.fill, -maxWhole)
	case *array.Boolean:
		v := make([]bool, a.Len())
		for i := range v {
			v[i] = a.Value(i)
		}
		c.values, bad = filled(v, chunk, r.fill == 1, true, r.fill, -1)
	case *array.Timestamp:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Date32:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Date64:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Time32:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Time64:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Duration:
		c.values, bad = r.whole(int64s(a.Values()), chunk)
	case *array.Null:
		if a.Len() > 0 {
			return errTexts
		}
		c.values = []float32{} // all lists are empty, so no number says which dtype they have
	default:
		return noTensor(chunk)
	}
	if bad {
		if c.places != nil {
			null = slices.IndexFunc(c.places, func(at int64) bool { return chunk.IsNull(int(at)) })
		}
		return fmt.Errorf(", row %d: FillNull is %v, which is not a valid %v", c.row(first, null), r.fill,
			chunk.DataType())
	}
	return nil
}

func noTensor(a arrow.Array) error {
	return fmt.Errorf(": a tensor cannot hold %s", plain.Short(a.DataType().String()))
}

// row returns the row of the file that contains element i of a chunk. first is the chunk's
// first row.
func (c *column) row(first int64, i int) int64 { return first + int64(i)/max(c.width, 1) }

// maxWhole is the number up to which float64 represents every integer exactly.
const maxWhole = 1 << 53

func (r *reader) whole(values []int64, chunk arrow.Array) (any, bool) {
	return filled(values, chunk, int64(r.fill), true, r.fill, maxWhole)
}

// int64s converts dates and times to int64.
func int64s[T ~int32 | ~int64](values []T) []int64 {
	out := make([]int64, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

// filled returns values with nulls replaced by fill. If there are nulls, the result is a
// copy. The parameter of is the option's value before its conversion to fill. bad reports
// whether the dtype cannot hold the option's value. If whole is true, the option's value
// must be an integer: from -limit-1 to limit or, for a negative limit, from 0 to -limit.
func filled[T any](values []T, chunk arrow.Array, fill T, whole bool, of, limit float64) (out []T, bad bool) {
	if chunk.NullN() == 0 {
		return values, false
	}
	if whole &&
		(of != math.Trunc(of) || math.IsNaN(of) || limit < 0 && (of < 0 || of > -limit) ||
			limit > 0 && (of > limit || of < -limit-1)) {
		return nil, true
	}
	out = append([]T(nil), values...)
	for i := range out {
		if chunk.IsNull(i) {
			out[i] = fill
		}
	}
	return out, false
}

func (c *column) tensor() *torch.Tensor {
	shape := torch.Shape{c.rows}
	if c.width != notList {
		shape = append(shape, c.width)
	}
	opts := []torch.TensorOption{torch.CPU}
	if c.dtype != 0 {
		opts = append(opts, c.dtype)
	}
	if c.places == nil {
		return torch.FromSliceWith(c.values, shape, opts...)
	}
	return torch.Tidy(func() *torch.Tensor {
		n := int64(reflect.ValueOf(c.values).Len())
		values := torch.FromSliceWith(c.values, torch.Shape{n}, opts...)
		return values.IndexSelect(0,
			torch.FromSliceWith(c.places, torch.Shape{int64(len(c.places))}, torch.CPU)).Reshape(shape...)
	})
}
