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

// Dataset is the rows of a file one after the other: a [data.IterableDataset]. One batch
// of rows, a row group of Parquet or a record batch of Arrow, is in memory at a time.
// Worker w of n reads the batches i with i % n = w; of Arrow's stream format it has to
// read the others too. It holds nothing between passes and needs no Close; several
// goroutines may use it.
type Dataset struct {
	path     string
	settings settings
	names    []string
}

// NewDataset reads the schema of a file. Each row becomes an Example: Input has the columns
// that [Targets] does not name, of shape (numbers), and Target those that it does, of
// shape () for one number. Columns of different dtypes become what torch.ResultType makes
// of them.
//
// Errors are those of [ReadTable], here and from Iterate, and ErrMismatch if no column is
// left for Input. Wrong options panic.
func NewDataset(path string, opts ...DatasetOption) (*Dataset, error) {
	const op = "arrow.NewDataset"
	d := &Dataset{path: path, settings: read(op, opts)}
	for _, name := range slices.Sorted(maps.Keys(d.settings.categories)) {
		if d.settings.categories[name] == nil {
			panic(torch.NewError(op, torch.ErrValue, "Categories", fmt.Sprintf("no words for %q, which a stream cannot find out", name)))
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
		return nil, &data.FileError{Path: path, Kind: data.ErrMismatch, Detail: "no column is left for the input"}
	}
	return d, nil
}

// errStop ends a pass whose yield returned false.
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

// batch passes the rows of a batch on. The table lives longer than the step that a row is
// for, so it belongs to no scope.
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

// String returns the file and its columns, "Dataset(train.parquet: age, label)".
func (d *Dataset) String() string {
	if d == nil {
		return "Dataset(nil)"
	}
	return fmt.Sprintf("Dataset(%s: %s)", plain.Text(d.path), plain.Text(strings.Join(d.names, ", ")))
}
