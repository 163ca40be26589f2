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

// CSVDataset streams the rows of a CSV file. It is an [IterableDataset] for files larger
// than memory. Each pass reads the file again. A CSVDataset holds nothing between passes,
// needs no Close, and is safe for use by several goroutines.
type CSVDataset struct {
	path            string
	settings        csvSettings
	names           []string
	inputs, targets []int // columns
}

// NewCSVDataset reads the header of a file. Each row becomes an [Example]. Input has the
// columns that [Targets] does not name and has shape (columns); Target has the columns that
// Targets names. All columns of Input must have one dtype, and so must those of Target.
// Worker w of n workers reads the rows i with i % n = w, and has its own [ShuffleBuffer].
//
// NewCSVDataset and Iterate return the errors of [ReadCSV], and ErrMismatch for columns
// of different dtypes or no column for Input. Invalid options panic, and so does a nil
// list in [Categories].
func NewCSVDataset(path string, opts ...CSVDatasetOption) (*CSVDataset, error) {
	const op = "data.NewCSVDataset"
	d := &CSVDataset{path: path, settings: readCSV(op, opts)}
	for n, words := range d.settings.categories {
		if words == nil {
			panic(torch.NewError(op, torch.ErrValue, "Categories",
				fmt.Sprintf("expected a list of words for %q, because the file is read as a stream, got none", n)))
		}
	}
	r, f, err := openCSV(path, d.settings)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	d.names = r.columnNames()
	for i, c := range r.columns {
		if slices.Contains(d.settings.targets, c.name) {
			continue
		}
		d.inputs = append(d.inputs, i)
	}
	for _, n := range d.settings.targets {
		d.targets = append(d.targets, slices.Index(d.names, n))
	}
	if len(d.inputs) == 0 {
		return nil, &FileError{Path: path, Kind: torch.ErrMismatch, Detail: "no column is left for the input"}
	}
	for _, half := range [][]int{d.inputs, d.targets} {
		for _, i := range half {
			if a, b := r.columns[half[0]], r.columns[i]; a.dtype != b.dtype {
				return nil, &FileError{
					Path: path, Kind: torch.ErrMismatch,
					Detail: fmt.Sprintf("columns %s of dtype %v and %s of dtype %v cannot be joined in one tensor",
						plain.Quote(a.name), a.dtype, plain.Quote(b.name), b.dtype),
				}
			}
		}
	}
	return d, nil
}

// Iterate implements [IterableDataset]. It returns ErrMismatch if the names of the file's
// columns have changed since the dataset was made.
func (d *CSVDataset) Iterate(w WorkerInfo, yield func(Example) bool) error {
	mustBeMade("data.CSVDataset.Iterate", d != nil)
	if yield == nil {
		panic(torch.NilFunc("data.CSVDataset.Iterate", "yield"))
	}
	r, f, err := openCSV(d.path, d.settings)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if names := r.columnNames(); !slices.Equal(names, d.names) {
		return &FileError{
			Path: d.path, Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf("the columns are %s now, but were %s when the dataset was made", plain.List(names),
				plain.List(d.names)),
		}
	}
	take, end := shuffleStream(d.settings.shuffleSettings, func(row []cell) bool {
		e := Example{Input: tensorOf(row, d.inputs, r.columns, torch.Shape{int64(len(d.inputs))})}
		switch n := len(d.targets); n {
		case 0:
		case 1:
			e.Target = tensorOf(row, d.targets, r.columns, torch.Shape{})
		default:
			e.Target = tensorOf(row, d.targets, r.columns, torch.Shape{int64(n)})
		}
		return yield(e)
	})
	row := make([]cell, len(r.columns))
	for i := 0; ; i++ {
		if d.settings.buffer > 1 { // each row needs its own memory, because the shuffle buffer keeps rows
			row = make([]cell, len(r.columns))
		}
		switch err := r.next(row); {
		case errors.Is(err, io.EOF):
			end()
			return nil
		case err != nil:
			return err
		case w.Has(i) && !take(row):
			return nil
		}
	}
}

// tensorOf returns a tensor of some cells of a row. The indices of their columns are in
// which.
func tensorOf(row []cell, which []int, columns []csvColumn, shape torch.Shape) *torch.Tensor {
	dtype := columns[which[0]].dtype
	var values any
	switch {
	case dtype == torch.Float32:
		v := make([]float32, len(which))
		for k, i := range which {
			v[k] = float32(row[i].float)
		}
		values = v
	case dtype.IsFloatingPoint():
		v := make([]float64, len(which))
		for k, i := range which {
			v[k] = row[i].float
		}
		values = v
	default:
		v := make([]int64, len(which))
		for k, i := range which {
			v[k] = row[i].integer
		}
		values = v
	}
	return torch.FromSliceWith(values, shape, dtype, torch.CPU)
}

// Names returns the names of the columns that are read.
func (d *CSVDataset) Names() []string {
	mustBeMade("data.CSVDataset.Names", d != nil)
	return slices.Clone(d.names)
}

// String returns a string such as "CSVDataset(train.csv: length, species)", with the file
// and its columns.
func (d *CSVDataset) String() string {
	if d == nil {
		return "CSVDataset(nil)"
	}
	return fmt.Sprintf("CSVDataset(%s: %s)", plain.Text(d.path), plain.Text(strings.Join(d.names, ", ")))
}
