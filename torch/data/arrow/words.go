package arrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/words"
)

// wordCost is roughly the number of bytes that a word needs in a map and a slice, without its
// text.
const wordCost = 64

// missing is the category code of a null.
const missing = -1

// codes returns a function that reads a chunk of strings as category codes. It has the
// signature of the method numbers.
func (r *reader) codes(w *words.Words) func(c *column, chunk arrow.Array, first int64) error {
	return func(c *column, chunk arrow.Array, first int64) error {
		bytes := int64(0) // of the texts so far
		code := func(text string, i int) (int64, error) {
			// Views of texts may all refer to the same long text.
			if bytes += int64(len(text)); bytes > r.mem.limit {
				return 0, &limitError{bytes, r.mem.limit}
			}
			n := w.Len()
			number, known := w.Code(text)
			if !known {
				return 0, fmt.Errorf(", row %d: %s is not one of the Categories %s", c.row(first, i), plain.Quote(text),
					plain.List(w.List()))
			}
			if w.Len() > n {
				return number, r.mem.keep(int64(len(text)) + wordCost)
			}
			return number, nil
		}
		r.mem.take(8 * int64(chunk.Len()))
		out := make([]int64, chunk.Len())
		c.values = out
		switch a := chunk.(type) {
		case *array.Null:
			for i := range out {
				out[i] = missing
			}
			return nil
		case array.StringLike:
			return each(a, out, func(i int) (int64, error) { return code(a.Value(i), i) })
		case *array.Dictionary:
			texts, ok := a.Dictionary().(array.StringLike)
			if !ok {
				return notText(a.Dictionary())
			}
			if err := there(texts); err != nil {
				return err
			}
			r.mem.take(8 * int64(texts.Len()))
			known := make([]int64, texts.Len()) // the code of each word, plus one; many rows may have a long word
			return each(a, out, func(i int) (int64, error) {
				at := a.GetValueIndex(i)
				if at < 0 || at >= texts.Len() {
					return 0, outside(at, texts)
				}
				if texts.IsNull(at) {
					return missing, nil
				}
				if known[at] == 0 {
					number, err := code(texts.Value(at), i)
					if err != nil {
						return 0, err
					}
					known[at] = number + 1
				}
				return known[at] - 1, nil
			})
		}
		return notText(chunk)
	}
}

func notText(a arrow.Array) error {
	return fmt.Errorf(": Categories applies to strings, and the column has %s", plain.Short(a.DataType().String()))
}

func outside(at int, values arrow.Array) error {
	return fmt.Errorf(": index %d is out of range for a dictionary of %d values", at, values.Len())
}

// each sets the elements of out to category codes: code(i), or missing for a null.
func each(a arrow.Array, out []int64, code func(i int) (int64, error)) (err error) {
	for i := range out {
		if a.IsNull(i) {
			out[i] = missing
		} else if out[i], err = code(i); err != nil {
			return err
		}
	}
	return nil
}

var errTexts = errors.New(": the column has strings; use Categories to read them as category codes")

// places copies the values of a dictionary to c.values, and each row's index into the
// dictionary to c.places. If rows are null, it appends a value for them.
func (r *reader) places(c *column, d *array.Dictionary, first int64) error {
	values := d.Dictionary()
	switch values.(type) {
	case *array.Dictionary:
		return noTensor(d)
	case array.StringLike:
		return errTexts
	}
	if err := there(values); err != nil {
		return err
	}
	places := make([]int64, d.Len())
	null := -1
	for i := range places {
		if !d.IsNull(i) {
			at := d.GetValueIndex(i)
			if at < 0 || at >= values.Len() {
				return outside(at, values)
			}
			if places[i] = int64(at); !values.IsNull(at) {
				continue
			}
		}
		places[i] = int64(values.Len())
		if null < 0 {
			null = i
		}
	}
	if null >= 0 && !r.filled {
		return fmt.Errorf(", row %d: the value is null; set FillNull to replace nulls", c.row(first, null))
	}
	c.places = places
	if null < 0 {
		unused := *r
		// no row is null, so the dictionary's own nulls, which no row uses, become 0
		unused.filled, unused.fill = true, 0
		return unused.numbers(c, values, first)
	}
	last := array.MakeArrayOfNull(r.mem, values.DataType(), 1)
	defer last.Release()
	joined, err := array.Concatenate([]arrow.Array{values, last}, r.mem)
	if err != nil {
		return err
	}
	defer joined.Release()
	return r.numbers(c, joined, first)
}
