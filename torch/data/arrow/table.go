package arrow

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// ReadTable reads the columns of a file into a table. The tensors belong to no scope;
// close the table to free them. A file without rows gives tensors without rows. Their shape
// is (0) for numbers, (0, n) for lists whose type has a fixed length n, and (0, 0) for other
// lists.
//
// It returns a *data.FileError. The kinds are:
//
//   - ErrFormat for a damaged file, a null without [FillNull], strings without
//     [Categories], and lists of different lengths;
//   - ErrTruncated for a file that ends too early;
//   - ErrMismatch for a column that is missing or named twice;
//   - fs.ErrNotExist for a missing file.
//
// Invalid options panic. Follows pyarrow.parquet.read_table.
func ReadTable(path string, opts ...TableOption) (*data.Table, error) {
	s := read("arrow.ReadTable", opts)
	f, err := open(path, s)
	if err != nil {
		return nil, err
	}
	defer f.close()
	r, err := f.reader(s, s.columns)
	if err != nil {
		return nil, err
	}
	parts := make([][]*torch.Tensor, len(r.columns)) // for each column, a tensor for each chunk
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
	take := func(chunks [][]arrow.Array) error {
		size := int64(0)
		n, err := r.tensors(chunks, rows, func(k int, t *torch.Tensor) {
			parts[k] = append(parts[k], torch.Disown(t))
			size += t.NBytes()
		})
		rows += n
		if err != nil {
			return err
		}
		return guard(path, func() error { return f.mem.keep(size) })
	}
	if err := f.each(r.columns, func(int) bool { return true }, take); err != nil {
		return nil, err
	}
	if rows == 0 {
		if err := take(make([][]arrow.Array, len(r.columns))); err != nil {
			return nil, err
		}
	}
	categories := data.Categories{}
	for k, p := range parts {
		x := join(p)
		out = append(out, x)
		if w := r.words[k]; w != nil {
			codes := x.Int64s()
			w.Sort(codes)
			out[k] = torch.Disown(torch.FromSliceWith(codes, x.Shape(), torch.CPU))
			_ = x.Close()
			categories[r.names[k]] = w.List()
		}
	}
	done = true
	return data.NewTable(r.names, out, categories), nil
}
