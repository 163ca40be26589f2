package arrow

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/words"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// reader converts some columns of a file to tensors.
type reader struct {
	settings
	*source
	columns []int
	names   []string
	words   []*words.Words // the words of each column; nil for a column of numbers
	widths  []int64        // the length of the lists in each column, or unknown or notList
}

// These are special values of a column's width, which are not lengths.
const (
	unknown = -1
	notList = -2
)

// reader returns a reader of the columns named in want, or of all columns if want is nil.
func (s *source) reader(set settings, want []string) (*reader, error) {
	r := &reader{settings: set, source: s}
	var err error
	if r.columns, err = s.choose(want); err != nil {
		return nil, err
	}
	r.words, r.widths = make([]*words.Words, len(r.columns)), make([]int64, len(r.columns))
	for k, c := range r.columns {
		name := s.schema.Field(c).Name
		r.names = append(r.names, name)
		r.widths[k] = unknown
		if list, ok := set.categories[name]; ok {
			r.words[k] = words.New(list)
		}
	}
	for _, option := range []struct {
		name  string
		names []string
	}{{"Categories", slices.Sorted(maps.Keys(set.categories))}, {"Targets", set.targets}} {
		for _, n := range option.names {
			if !slices.Contains(r.names, n) {
				return nil, &data.FileError{
					Path: s.path, Kind: torch.ErrMismatch,
					Detail: fmt.Sprintf("%s: there is no column %s; the columns are %s", option.name, plain.Quote(n),
						plain.List(r.names)),
				}
			}
		}
	}
	return r, nil
}

// tensors converts the chunks of a batch to tensors, passes them to use, and returns the
// number of rows. first is the index of the first row. A column without chunks has no rows.
func (r *reader) tensors(chunks [][]arrow.Array, first int64,
	use func(k int, t *torch.Tensor),
) (rows int64, err error) {
	for k, list := range chunks {
		at := first
		if len(list) == 0 {
			list = []arrow.Array{array.MakeArrayOfNull(memory.DefaultAllocator, r.schema.Field(r.columns[k]).Type, 0)}
		}
		for _, chunk := range list {
			var c *column
			err := guard(r.path, func() (err error) {
				c, err = r.read(k, chunk, at)
				if err != nil && !errors.As(err, new(*limitError)) {
					return &data.FileError{Path: r.path, Kind: torch.ErrFormat, Detail: err.Error()}
				}
				return err
			})
			if err != nil {
				return 0, err
			}
			use(k, c.tensor())
			at += c.rows
		}
		if n := at - first; k > 0 && n != rows {
			return 0, &data.FileError{
				Path: r.path, Kind: torch.ErrFormat,
				Detail: fmt.Sprintf("the file is damaged: it has %d rows in column %s, but %d in column %s", n,
					plain.Quote(r.names[k]), rows, plain.Quote(r.names[0])),
			}
		}
		rows = at - first
	}
	return rows, nil
}

// join concatenates the parts of a column into one tensor, which belongs to no scope. It
// leaves out parts without rows, because they may have a different width.
func join(parts []*torch.Tensor) *torch.Tensor {
	full := make([]*torch.Tensor, 0, len(parts))
	for _, p := range parts {
		if p.Shape()[0] > 0 {
			full = append(full, p)
		}
	}
	if len(full) == 0 {
		full = parts[len(parts)-1:]
	}
	return torch.Disown(torch.Cat(full))
}

func closeAll(ts []*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}
