package arrow

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Dataset streams the rows of a file. It is a [data.IterableDataset]. It holds one batch of
// rows in memory at a time: a row group of Parquet, or a record batch of Arrow. Worker w of
// n workers reads the batches i with i % n = w. In Arrow's stream format it must also read
// the other batches, to skip them. A Dataset holds nothing between passes, needs no Close,
// and is safe for use by several goroutines.
type Dataset struct {
	path     string
	settings settings
	names    []string
}

// NewDataset reads the schema of a file. Each row becomes an Example. Input has the
// columns that [Targets] does not name and has shape (numbers). Target has the columns
// that Targets names and has shape () for a single number. Columns of different dtypes
// are converted to their common dtype, as by torch.ResultType.
//
// NewDataset and Iterate return the errors of [ReadTable], and ErrMismatch if no column
// is left for Input. Invalid options panic.
func NewDataset(path string, opts ...DatasetOption) (*Dataset, error) {
	const op = "arrow.NewDataset"
	d := &Dataset{path: path, settings: read(op, opts)}
	for _, name := range slices.Sorted(maps.Keys(d.settings.categories)) {
		if d.settings.categories[name] == nil {
			panic(torch.NewError(op, torch.ErrValue, "Categories",
				fmt.Sprintf("expected a list of words for %q, because the file is read as a stream, got none", name)))
		}
	}
	f, err := open(path, d.settings)
	if err != nil {
		return nil, err
	}
	defer f.close()
	r, err := f.reader(d.settings, d.settings.columns)
	if err != nil {
		return nil, err
	}
	d.names = r.names
	if len(d.settings.targets) == len(d.names) {
		return nil, &data.FileError{Path: path, Kind: torch.ErrMismatch, Detail: "no column is left for the input"}
	}
	return d, nil
}

// errStop ends a pass through a file after yield has returned false.
var errStop = errors.New("stopped")

// Iterate implements [data.IterableDataset].
func (d *Dataset) Iterate(w data.WorkerInfo, yield func(data.Example) bool) error {
	const op = "arrow.Dataset.Iterate"
	if d == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "a nil *arrow.Dataset"))
	}
	if yield == nil {
		panic(torch.NilFunc(op, "yield"))
	}
	f, err := open(d.path, d.settings)
	if err != nil {
		return err
	}
	defer f.close()
	r, err := f.reader(d.settings, d.names)
	if err != nil {
		return err
	}
	rows := int64(0)
	err = f.each(r.columns, w.Has, func(chunks [][]arrow.Array) error {
		n, err := r.batch(chunks, rows, yield)
		rows += n
		return err
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// batch yields the rows of a batch. The table of the batch outlives the step that uses a row,
// so its tensors belong to no scope.
func (r *reader) batch(chunks [][]arrow.Array, first int64, yield func(data.Example) bool) (int64, error) {
	parts := make([][]*torch.Tensor, len(chunks))
	var whole []*torch.Tensor
	defer func() {
		for _, p := range parts {
			closeAll(p)
		}
		closeAll(whole)
	}()
	rows, err := r.tensors(chunks, first, func(k int, t *torch.Tensor) { parts[k] = append(parts[k], torch.Disown(t)) })
	if err != nil || rows == 0 {
		return rows, err
	}
	for _, p := range parts {
		whole = append(whole, join(p))
	}
	set := data.NewTable(r.names, whole).Dataset(r.targets...)
	defer func() { _ = set.Close() }()
	for i := range set.Len() {
		if !yield(set.Get(i)) {
			return rows, errStop
		}
	}
	return rows, nil
}

// Names returns the names of the columns that are read.
func (d *Dataset) Names() []string {
	if d == nil {
		panic(torch.NewError("arrow.Dataset.Names", torch.ErrNil, "receiver", "a nil *arrow.Dataset"))
	}
	return slices.Clone(d.names)
}

// String returns a string such as "Dataset(train.parquet: age, label)", with the file and
// its columns.
func (d *Dataset) String() string {
	if d == nil {
		return "Dataset(nil)"
	}
	return fmt.Sprintf("Dataset(%s: %s)", plain.Text(d.path), plain.Text(strings.Join(d.names, ", ")))
}
