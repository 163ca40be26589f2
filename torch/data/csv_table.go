package data

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// Table is the content of a CSV file or of another file with columns. It has one tensor for
// each column, whose first dimension is the rows. It owns its tensors until it is closed.
// The counterpart in Python is a pandas.DataFrame.
type Table struct {
	names   []string
	columns []*torch.Tensor
	words   map[string][]string
	rows    int
}

// NewTable returns a table of columns that the caller has read or made. It takes ownership
// of the tensors, of shape (rows) or (rows, numbers), without copying them. It panics with
// ErrValue for a repeated name, for unequal numbers of names and tensors, and for
// [Categories] of a missing column. It panics with ErrShape for tensors of other shapes or
// of different lengths.
func NewTable(names []string, columns []*torch.Tensor, opts ...TableOption) *Table {
	const op = "data.NewTable"
	words := readTable(op, names, opts)
	if len(names) != len(columns) {
		panic(torch.NewError(op, torch.ErrValue, "names",
			fmt.Sprintf("expected a name for each column, got %d names for %d columns", len(names), len(columns))))
	}
	t := &Table{names: slices.Clone(names), columns: slices.Clone(columns), words: words}
	seen := map[string]bool{}
	for i, c := range columns {
		shape := c.Shape()
		if len(shape) != 1 && len(shape) != 2 {
			panic(torch.NewError(op, torch.ErrShape, "columns",
				fmt.Sprintf("%q has shape %v, expected one or two dimensions", names[i], shape)))
		}
		if i == 0 {
			t.rows = int(shape[0])
		}
		if int64(t.rows) != shape[0] {
			panic(torch.NewError(op, torch.ErrShape, "columns",
				fmt.Sprintf("%q has %d rows, but %q has %d", names[i], shape[0], names[0], t.rows)))
		}
		if seen[names[i]] {
			panic(torch.NewError(op, torch.ErrValue, "names", fmt.Sprintf("%q twice", names[i])))
		}
		seen[names[i]] = true
	}
	return t
}

// ReadCSV reads a CSV file of numbers, which may be compressed with gzip, into a table.
// It follows RFC 4180; the first row has the names. Without options each column is
// float32 and a missing value is NaN. The tensors belong to no scope; close the table to
// free them.
//
// It returns a *FileError that names the line, the column and the field. The kinds are:
//
//   - ErrFormat for a field that is not a number of the column's dtype, for a row with
//     too many or too few fields, and for a file that exceeds [MaxRowBytes] or
//     [MemoryLimit];
//   - ErrMismatch for a missing column;
//   - fs.ErrNotExist for a missing file.
//
// Invalid options panic. Follows pandas.read_csv.
func ReadCSV(path string, opts ...CSVOption) (*Table, error) {
	r, f, err := openCSV(path, readCSV("data.ReadCSV", opts))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return r.readTable()
}

// DecodeCSV is [ReadCSV] for a reader, which it reads to the end. name is the file's name
// in errors. A nil reader gives a *FileError that wraps ErrNil.
func DecodeCSV(r io.Reader, name string, opts ...CSVOption) (*Table, error) {
	const op = "data.DecodeCSV"
	s := readCSV(op, opts)
	if r == nil {
		return nil, &FileError{
			Path: name, Detail: "cannot be read",
			Err: torch.NewError(op, torch.ErrNil, "r", "a nil reader"),
		}
	}
	c, err := newCSVReader(r, -1, name, s)
	if err != nil {
		return nil, err
	}
	return c.readTable()
}

func (c *csvReader) readTable() (*Table, error) {
	t := &Table{words: map[string][]string{}}
	floats, wholes := make([][]float64, len(c.columns)), make([][]int64, len(c.columns))
	row := make([]cell, len(c.columns))
	for {
		err := c.next(row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if problem := c.table.take(cellCost * int64(len(row))); problem != "" {
			return nil, &FileError{
				Path: c.path, Kind: torch.ErrFormat,
				Detail: fmt.Sprintf("line %d: %s", c.line, problem),
			}
		}
		for i, v := range row {
			if c.columns[i].dtype.IsFloatingPoint() {
				floats[i] = append(floats[i], v.float)
			} else {
				wholes[i] = append(wholes[i], v.integer)
			}
		}
		t.rows++
	}
	made := false
	defer func() {
		if !made { // a tensor could not be made, for example because memory is short
			_ = t.Close()
		}
	}()
	for i := range c.columns {
		col := &c.columns[i]
		if col.words != nil {
			col.words.Sort(wholes[i])
			t.words[col.name] = col.words.List()
		}
		var values any = wholes[i]
		if col.dtype.IsFloatingPoint() {
			values = floats[i]
		}
		t.names = append(t.names, col.name)
		t.columns = append(t.columns,
			torch.Disown(torch.FromSliceWith(values, torch.Shape{int64(t.rows)}, col.dtype, torch.CPU)))
	}
	made = true
	return t, nil
}

// Len returns the number of rows.
func (t *Table) Len() int { return t.mustExist("data.Table.Len").rows }

// mustExist returns t, or panics with ErrNil if t is nil.
func (t *Table) mustExist(op string) *Table {
	mustBeMade(op, t != nil)
	return t
}

// Names returns the names of the columns.
func (t *Table) Names() []string { return slices.Clone(t.mustExist("data.Table.Names").names) }

// Column returns the tensor of a column, of shape (rows) or (rows, numbers). The table
// still owns the tensor. Column panics with ErrValue for a missing name.
func (t *Table) Column(name string) *torch.Tensor {
	return t.columns[t.index("data.Table.Column", name)]
}

func (t *Table) index(op, name string) int {
	i := slices.Index(t.mustExist(op).names, name)
	if i < 0 {
		panic(torch.NewError(op, torch.ErrValue, "names",
			fmt.Sprintf("there is no column %q; the columns are %s", name, plain.List(t.names))))
	}
	return i
}

// Words returns the words of a [Categories] column, in the order of their codes, and nil
// for other columns.
func (t *Table) Words(name string) []string {
	return slices.Clone(t.mustExist("data.Table.Words").words[name])
}

// Tensor returns a new tensor (rows, columns) of the named columns, or of all columns if
// none is named. A column with several numbers per row becomes as many columns of the
// result. Different dtypes are promoted as by torch.ResultType. It panics with ErrValue for
// a missing name.
func (t *Table) Tensor(names ...string) *torch.Tensor {
	const op = "data.Table.Tensor"
	t.mustExist(op)
	if len(names) == 0 {
		names = t.names
	}
	places := make(map[string]int, len(t.names))
	for i, n := range t.names {
		places[n] = i
	}
	return torch.Tidy(func() *torch.Tensor {
		columns := make([]*torch.Tensor, len(names))
		for k, n := range names {
			i, ok := places[n]
			if !ok {
				i = t.index(op, n) // panics
			}
			if columns[k] = t.columns[i]; columns[k].Dim() == 1 {
				columns[k] = columns[k].Unsqueeze(1)
			}
		}
		return torch.Cat(columns, 1)
	})
}

// Dataset returns a dataset of the rows. Target has the target columns. Its shape is () for
// a single number and (targets) for several; without targets it is nil. Input has all other
// columns and has shape (columns). The dataset owns its tensors, which are copies: close
// it, and close the table when it is no longer needed. It panics as [Table.Tensor] does,
// and with ErrValue if no column is left for Input.
func (t *Table) Dataset(targets ...string) *TensorDataset {
	const op = "data.Table.Dataset"
	t.mustExist(op)
	mustBeDistinct(op, "targets", targets)
	for _, n := range targets {
		t.index(op, n)
	}
	inputs := slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return slices.Contains(targets, n) })
	if len(inputs) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "targets", "no column is left for the input"))
	}
	tensors := torch.TidyAll(func() []*torch.Tensor {
		all := []*torch.Tensor{t.Tensor(inputs...)}
		switch len(targets) {
		case 0:
		case 1:
			all = append(all, t.Column(targets[0]).Clone())
		default:
			all = append(all, t.Tensor(targets...))
		}
		return all
	})
	for _, x := range tensors {
		torch.Disown(x)
	}
	return NewTensorDataset(tensors...)
}

// Close closes the tensors. It always returns nil.
func (t *Table) Close() error {
	if t != nil {
		for _, c := range t.columns {
			_ = c.Close()
		}
	}
	return nil
}

// String returns a string such as "Table(150 rows: length float32, species int64)": the
// number of rows, and the columns with their dtypes.
func (t *Table) String() string {
	if t == nil {
		return "Table(nil)"
	}
	parts := make([]string, len(t.names))
	for i, n := range t.names {
		parts[i] = plain.Text(n)
		if !t.columns[i].IsClosed() {
			parts[i] += " " + t.columns[i].DType().String()
		}
	}
	return fmt.Sprintf("Table(%d rows: %s)", t.rows, strings.Join(parts, ", "))
}
