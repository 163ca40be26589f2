package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// ReadTable reads the columns of a file. The tensors belong to no scope; close the table
// to free them.
//
// It returns a *data.FileError: ErrFormat for a damaged file, for a null without
// [FillNull], for texts and for lists of different lengths, with the row that it is in;
// ErrTruncated for one that ends too early; ErrMismatch for a column that is not there or
// twice; fs.ErrNotExist for such a file. Wrong options panic. Follows
// pyarrow.parquet.read_table.
func ReadTable(path string, opts ...TableOption) (*data.Table, error) {
	s := read("arrow.ReadTable", opts)
	f, err := open(path, s)
	if err != nil {
		return nil, err
	}
	defer f.close()
	columns, err := f.choose(s.columns)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(columns))
	for k, c := range columns {
		names[k] = f.schema.Field(c).Name
	}
	parts := make([][]*torch.Tensor, len(columns)) // of each column
	var out []*torch.Tensor
	done := false
	defer func() {
		for _, p := range parts {
			closeAll(p)
		}
		if !done {
			closeAll(out)
		}
	}()
	rows := int64(0)
	err = f.each(columns, func(int) bool { return true }, func(chunks [][]arrow.Array) error {
		size := int64(0)
		n, err := s.tensors(f.path, names, chunks, rows, func(k int, t *torch.Tensor) {
			parts[k] = append(parts[k], torch.Disown(t))
			size += t.NBytes()
		})
		rows += n
		if err != nil {
			return err
		}
		return guard(path, func() error { return f.mem.keep(size) })
	})
	if err != nil {
		return nil, err
	}
	for k, p := range parts {
		if len(p) == 0 {
			return nil, &data.FileError{Path: path, Kind: data.ErrMismatch, Detail: fmt.Sprintf("no rows for column %q", names[k])}
		}
		for _, t := range p {
			if width := t.Shape()[1:]; !width.Equal(p[0].Shape()[1:]) {
				return nil, &data.FileError{Path: path, Kind: data.ErrFormat, Detail: fmt.Sprintf("column %q: lists of %v numbers and of %v", names[k], p[0].Shape()[1:], width)}
			}
		}
		out = append(out, torch.Disown(torch.Cat(p, 0)))
	}
	done = true
	return data.NewTable(names, out), nil
}

func closeAll(ts []*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

// tensors makes tensors of the chunks of a batch and returns how many rows it has.
func (s settings) tensors(path string, names []string, chunks [][]arrow.Array, first int64, use func(k int, t *torch.Tensor)) (rows int64, err error) {
	for k, list := range chunks {
		at := first
		for _, chunk := range list {
			var c *column
			err := guard(path, func() (err error) {
				if c, err = s.read(names[k], chunk, at); err != nil {
					return &data.FileError{Path: path, Kind: data.ErrFormat, Detail: err.Error()}
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
			use(k, c.tensor())
			at += c.rows
		}
		if n := at - first; k > 0 && n != rows {
			return 0, &data.FileError{Path: path, Kind: data.ErrFormat, Detail: fmt.Sprintf("damaged: %d rows of column %q, %d of %q", n, names[k], rows, names[0])}
		}
		rows = at - first
	}
	return rows, nil
}
