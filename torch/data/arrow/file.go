package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/gotorch/gotorch/torch/data"
)

// source is an open file: its schema, and its rows in batches.
type source struct {
	path   string
	schema *arrow.Schema
	// batch returns the chunks of some columns in batch i, which are lent until release
	// is called, and io.EOF behind the last. skip leaves the batch unread.
	batch func(i int, columns []int, skip bool) (chunks [][]arrow.Array, release func(), err error)
	close func()
}

// open finds out what kind of file it is.
func open(path string) (s *source, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, failed(path, "cannot be opened", err)
	}
	defer func() {
		if s == nil {
			_ = f.Close()
		}
	}()
	magic := make([]byte, 6)
	if _, err := io.ReadFull(f, magic); err != nil {
		return nil, failed(path, "", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, failed(path, "cannot be read", err)
	}
	of := map[string]func(*os.File) (*source, error){"PAR1": parquet, "ARROW1": ipcFile, "\xff\xff\xff\xff": ipcStream}
	for start, open := range of {
		if strings.HasPrefix(string(magic), start) {
			err := guard(path, func() (err error) {
				s, err = open(f)
				return err
			})
			if err != nil {
				return nil, err
			}
			s.path = path
			return s, nil
		}
	}
	return nil, &data.FileError{Path: path, Kind: data.ErrFormat, Detail: "neither Parquet nor Arrow"}
}

func parquet(f *os.File) (*source, error) {
	raw, err := file.NewParquetReader(f)
	if err != nil {
		return nil, err
	}
	// What Arrow's writers add to say again what the columns are is read without a check
	// of its sizes, so that damage in it would take any amount of memory.
	raw.MetaData().FileMetaData.KeyValueMetadata = nil
	r, err := pqarrow.NewFileReader(raw, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	schema, err := r.Schema()
	if err != nil {
		return nil, err
	}
	batch := func(i int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if i >= raw.NumRowGroups() {
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		out := make([][]arrow.Array, len(columns))
		var tables []arrow.Table
		release := func() {
			for _, t := range tables {
				t.Release()
			}
		}
		for k, c := range columns { // one after the other, since leaves are numbered apart
			t, err := r.ReadRowGroups(context.Background(), leaves(&r.Manifest.Fields[c]), []int{i})
			if err != nil {
				release()
				return nil, nil, err
			}
			tables = append(tables, t)
			out[k] = t.Column(0).Data().Chunks()
		}
		return out, release, nil
	}
	return &source{"", schema, batch, func() { _ = raw.Close() }}, nil
}

// leaves are the columns of the file that make up a field.
func leaves(f *pqarrow.SchemaField) (out []int) {
	if f.IsLeaf() {
		return []int{f.ColIndex}
	}
	for i := range f.Children {
		out = append(out, leaves(&f.Children[i])...)
	}
	return out
}

func ipcFile(f *os.File) (*source, error) {
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, err
	}
	batch := func(i int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if i >= r.NumRecords() {
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		b, err := r.RecordBatchAt(i)
		if err != nil {
			return nil, nil, err
		}
		return chosen(b, columns), b.Release, nil
	}
	return &source{"", r.Schema(), batch, func() { _, _ = r.Close(), f.Close() }}, nil
}

// chosen returns some columns of a batch.
func chosen(b arrow.RecordBatch, columns []int) [][]arrow.Array {
	out := make([][]arrow.Array, len(columns))
	for k, c := range columns {
		out[k] = []arrow.Array{b.Column(c)}
	}
	return out
}

func ipcStream(f *os.File) (*source, error) {
	r, err := ipc.NewReader(f)
	if err != nil {
		return nil, err
	}
	batch := func(_ int, columns []int, skip bool) ([][]arrow.Array, func(), error) {
		if !r.Next() {
			if err := r.Err(); err != nil {
				return nil, nil, err
			}
			return nil, nil, io.EOF
		}
		if skip {
			return nil, func() {}, nil
		}
		return chosen(r.RecordBatch(), columns), func() {}, nil
	}
	return &source{"", r.Schema(), batch, func() { r.Release(); _ = f.Close() }}, nil
}

// each passes the chunks of the batches that mine wants on to use, for which they are
// lent, until there are no more or it fails.
func (s *source) each(columns []int, mine func(i int) bool, use func(chunks [][]arrow.Array) error) error {
	for i, more := 0, true; more; i++ {
		if err := s.one(i, columns, mine(i), use); err != nil {
			more = false
			if !errors.Is(err, errEnd) {
				return err
			}
		}
	}
	return nil
}

// one does the work of each for one batch; behind the last it returns errEnd.
func (s *source) one(i int, columns []int, wanted bool, use func([][]arrow.Array) error) error {
	var chunks [][]arrow.Array
	var release func()
	err := guard(s.path, func() (err error) {
		if chunks, release, err = s.batch(i, columns, !wanted); err == io.EOF { //nolint:errorlint // an early end wraps it
			return errEnd
		}
		return err
	})
	if err != nil {
		return err
	}
	defer release()
	if !wanted {
		return nil
	}
	return use(chunks)
}

// choose finds the wanted columns.
func (s *source) choose(want []string) (columns []int, err error) {
	if want == nil {
		want = s.names()
	}
	for k, name := range want {
		at := s.schema.FieldIndices(name)
		switch {
		case len(at) == 0:
			return nil, &data.FileError{Path: s.path, Kind: data.ErrMismatch, Detail: fmt.Sprintf("no column %q; there are %s", name, strings.Join(s.names(), ", "))}
		case len(at) > 1 || slices.Contains(want[:k], name):
			return nil, &data.FileError{Path: s.path, Kind: data.ErrMismatch, Detail: fmt.Sprintf("column %q twice", name)}
		}
		columns = append(columns, at[0])
	}
	return columns, nil
}

func (s *source) names() (names []string) {
	for _, f := range s.schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// errEnd is behind the last batch.
var errEnd = errors.New("no more batches")

// guard makes an error or a panic of the library's, which damaged files cause, an error
// that names the file.
func guard(path string, fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &data.FileError{Path: path, Kind: data.ErrFormat, Detail: fmt.Sprintf("damaged: %v", v)}
		}
	}()
	if err := fn(); err != nil {
		return failed(path, "", err)
	}
	return nil
}

// failed gives an error the name of the file. One that has it passes.
func failed(path, detail string, err error) error {
	var fe *data.FileError
	if errors.Is(err, errEnd) || errors.As(err, &fe) {
		return err
	}
	fe = &data.FileError{Path: path, Detail: detail, Err: err}
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		fe.Err = system.Err
		if detail == "" {
			fe.Detail = "cannot be read"
		}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		fe.Kind, fe.Detail = data.ErrTruncated, "ends too early"
	default:
		fe.Kind, fe.Detail = data.ErrFormat, "damaged"
	}
	return fe
}
