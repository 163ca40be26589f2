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

// CSVDataset is the rows of a CSV file one after the other, for files larger than
// memory: an [IterableDataset]. Each pass reads the file anew. It holds nothing between
// passes and needs no Close; several goroutines may use it.
type CSVDataset struct {
	path            string
	settings        csvSettings
	names           []string
	inputs, targets []int // columns
}

// NewCSVDataset reads the header of a file. Each row becomes an [Example]: Input has the
// columns that [Targets] does not name, of shape (columns), and Target those that it
// does; all columns of one of the two have to have one dtype. Worker w of n takes the
// rows i with i % n = w, each before its [ShuffleBuffer].
//
// Errors are those of [ReadCSV], here and from Iterate, and ErrMismatch for columns of
// different dtypes or none for Input. Wrong options panic, and so do Categories without
// words.
func NewCSVDataset(path string, opts ...CSVDatasetOption) (*CSVDataset, error) {
	const op = "data.NewCSVDataset"
	d := &CSVDataset{path: path, settings: readCSV(op, opts)}
	for n, words := range d.settings.categories {
		if words == nil {
			panic(torch.NewError(op, torch.ErrValue, "Categories", fmt.Sprintf("no words for %q, which a stream cannot find out", n)))
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
		return nil, &FileError{Path: path, Kind: ErrMismatch, Detail: "no column is left for the input"}
	}
	for _, half := range [][]int{d.inputs, d.targets} {
		for _, i := range half {
			if a, b := r.columns[half[0]], r.columns[i]; a.dtype != b.dtype {
				return nil, &FileError{Path: path, Kind: ErrMismatch, Detail: fmt.Sprintf("columns %s of %v and %s of %v cannot be one tensor", plain.Quote(a.name), a.dtype, plain.Quote(b.name), b.dtype)}
			}
		}
	}
	return d, nil
}

// Iterate implements [IterableDataset]. A file whose columns have other names than when the
// dataset was made is ErrMismatch.
func (d *CSVDataset) Iterate(w WorkerInfo, yield func(Example) bool) error {
	checkMade("data.CSVDataset.Iterate", d != nil)
	if yield == nil {
		panic(torch.NilFunc("data.CSVDataset.Iterate", "yield"))
	}
	r, f, err := openCSV(d.path, d.settings)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if names := r.columnNames(); !slices.Equal(names, d.names) {
		return &FileError{Path: d.path, Kind: ErrMismatch, Detail: fmt.Sprintf("the columns are %s now, and were %s when the dataset was made", plain.List(names), plain.List(d.names))}
	}
	take, end := shuffled(d.settings.shuffling, func(row []cell) bool {
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
		if d.settings.buffer > 1 { // which keeps the rows
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

// tensorOf makes a tensor of some cells of a row.
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
			v[k] = row[i].whole
		}
		values = v
	}
	return torch.FromSliceWith(values, shape, dtype, torch.CPU)
}

// Names returns the names of the columns that are read.
func (d *CSVDataset) Names() []string {
	checkMade("data.CSVDataset.Names", d != nil)
	return slices.Clone(d.names)
}

// String returns the file and its columns, "CSVDataset(train.csv: length, species)".
func (d *CSVDataset) String() string {
	if d == nil {
		return "CSVDataset(nil)"
	}
	return fmt.Sprintf("CSVDataset(%s: %s)", plain.Text(d.path), plain.Text(strings.Join(d.names, ", ")))
}
