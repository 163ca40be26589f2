package arrow

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// source is an open file: its schema, and its rows in batches.
type source struct {
	path   string
	schema *arrow.Schema
	// batch returns the chunks of the given columns of batch i, and io.EOF after the last
	// batch. The chunks are valid until release is called. If skip is true, batch does not
	// read the rows and returns no chunks.
	batch func(i int, columns []int, skip bool) (chunks [][]arrow.Array, release func(), err error)
	close func()
	mem   *allocator
}

// open detects the format of a file and opens it.
func open(path string, settings settings) (s *source, err error) {
	f, size, err := files.Open(path)
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
	mem := newAllocator(settings, size)
	of := map[string]func(*os.File, *allocator) (*source, error){
		"PAR1": parquet, ipcMagic: ipcFile,
		continued: ipcStream,
	}
	for start, open := range of {
		if strings.HasPrefix(string(magic), start) {
			err := guard(path, func() (err error) {
				s, err = open(f, mem)
				return err
			})
			if err != nil {
				return nil, err
			}
			s.path = path
			return s, nil
		}
	}
	return nil, &data.FileError{Path: path, Kind: torch.ErrFormat, Detail: "expected a Parquet or Arrow file"}
}

// each calls use for every batch whose index satisfies mine, passing its chunks, until
// the last batch or an error. The chunks are valid only during the call.
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

// one reads batch i and calls use with its chunks. If wanted is false, it skips the batch
// instead. After the last batch it returns errEnd.
func (s *source) one(i int, columns []int, wanted bool, use func([][]arrow.Array) error) error {
	var chunks [][]arrow.Array
	var release func()
	s.mem.next()
	err := guard(s.path, func() (err error) {
		chunks, release, err = s.batch(i, columns, !wanted)
		if err == io.EOF { //nolint:errorlint // an early end wraps it
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

func (s *source) choose(want []string) (columns []int, err error) {
	if want == nil {
		want = s.names()
	}
	seen := map[string]bool{}
	for _, name := range want {
		at := s.schema.FieldIndices(name)
		switch {
		case len(at) == 0:
			return nil, &data.FileError{
				Path: s.path, Kind: torch.ErrMismatch,
				Detail: fmt.Sprintf("there is no column %s; the columns are %s", plain.Quote(name),
					plain.List(s.names())),
			}
		case len(at) > 1 || seen[name]:
			return nil, &data.FileError{
				Path: s.path, Kind: torch.ErrMismatch,
				Detail: fmt.Sprintf("column %s is named twice", plain.Quote(name)),
			}
		}
		seen[name] = true
		if t := unfit(s.schema.Field(at[0]).Type); t != nil {
			return nil, &data.FileError{
				Path: s.path, Kind: torch.ErrFormat,
				Detail: fmt.Sprintf("column %s: a tensor cannot hold %s", plain.Quote(name), plain.Short(t.String())),
			}
		}
		columns = append(columns, at[0])
	}
	return columns, nil
}

// unfit returns the type inside a column's type that a tensor cannot hold, or nil. Such
// columns are refused before they are read. arrow-go reads Parquet structs on goroutines
// of its own, where the allocator's panic could not be recovered. For texts of fixed
// length, it allocates memory for the length that a file claims.
func unfit(t arrow.DataType) arrow.DataType {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return unfit(t.StorageType())
	case *arrow.DictionaryType:
		return unfit(t.ValueType)
	case arrow.ListLikeType:
		return unfit(t.Elem())
	case *arrow.StructType, *arrow.FixedSizeBinaryType, arrow.DecimalType:
		return t
	}
	return nil
}

func (s *source) names() (names []string) {
	for _, f := range s.schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// errEnd is returned after the last batch.
var errEnd = errors.New("no more batches")

// guard converts an error or panic of arrow-go, which damaged files cause, to an error
// that names the file.
func guard(path string, fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			cause, ok := v.(error)
			if !ok {
				cause = fmt.Errorf("%v", v)
			}
			err = failed(path, "", cause)
		}
	}()
	if err := fn(); err != nil {
		return failed(path, "", err)
	}
	return nil
}

// failed converts an error to a *data.FileError that names the file. It does not change
// errEnd or errors that already are a *data.FileError.
func failed(path, detail string, err error) error {
	var fe *data.FileError
	if errors.Is(err, errEnd) || errors.As(err, &fe) {
		return err
	}
	fe = &data.FileError{Path: path, Detail: detail, Err: err}
	var system *fs.PathError
	var limit *limitError
	var other *files.NotRegularError
	switch {
	case errors.As(err, &other):
		fe.Kind, fe.Detail, fe.Err = torch.ErrFormat, other.Detail(), nil
	case errors.As(err, &limit):
		fe.Kind, fe.Detail, fe.Err = torch.ErrFormat, "reading the file takes more memory than is allowed", limit
	case errors.As(err, &system):
		fe.Err = system.Err
		if detail == "" {
			fe.Detail = "cannot be read"
		}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		fe.Kind, fe.Detail = torch.ErrTruncated, "ends too early"
	default:
		fe.Kind, fe.Detail = torch.ErrFormat, "damaged"
	}
	return fe
}
