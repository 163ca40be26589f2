package arrow

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

type (
	// A TableOption is an argument of [ReadTable] that pyarrow takes by keyword:
	// [Columns] or [FillNull], or [Categories] or [MemoryLimit].
	//
	//gotorch:options Columns FillNull Categories MemoryLimit
	TableOption interface{ tableOption() }
	// A DatasetOption is an argument of [NewDataset]: [Columns], [FillNull], [Categories],
	// [MemoryLimit] or [Targets].
	//
	//gotorch:options Columns FillNull Categories MemoryLimit Targets
	DatasetOption interface{ datasetOption() }
)

// Columns are the names of the columns to read, in the order wanted; columns in pyarrow.
// The default, and nil, is all.
type Columns []string

// FillNull takes the place of nulls. Without it a null is an error, and so is a value that
// the column's dtype cannot hold. Follows fill_null of pyarrow.compute.
type FillNull float64

// Categories are columns of texts, by name: each text becomes its place in the list, an int64,
// and a null -1. With a nil list the words are those of the file, sorted, which [ReadTable] can
// find out and [NewDataset] refuses with ErrValue. A text that is not in the list is an error.
// The default is none, and a column of texts is an error then. What Arrow calls a dictionary
// makes no difference: one of texts needs Categories, and one of numbers is read without.
// Follows astype("category").cat.codes of pandas, as data.Categories does.
type Categories map[string][]string

// Targets are the columns that become the Target of an example, not part of its Input.
// The default, and nil, is none. A name that is there twice is ErrValue.
type Targets []string

// MemoryLimit is how many bytes reading may take: the table with all of its columns and the
// batch of rows that is read, or for a [Dataset] the batch alone. A file that asks for more
// is an error; a few bytes can claim to be any number of rows. The default is 1 GiB, or 64
// times the size of the file if that is more. Less than 1 is ErrValue.
type MemoryLimit int64

// settings is a list of options, read.
type settings struct {
	columns    []string
	fill       float64
	filled     bool
	categories map[string][]string
	targets    []string
	limit      int64
	limited    bool
}

// read reads options of either family.
func read[O any](op string, opts []O) settings {
	var s settings
	for _, o := range opts {
		switch o := any(o).(type) {
		case Columns:
			s.columns = slices.Clone(o)
		case FillNull:
			s.fill, s.filled = float64(o), true
		case Categories:
			s.categories = maps.Clone(o)
		case MemoryLimit:
			if o < 1 {
				panic(torch.NewError(op, torch.ErrValue, "MemoryLimit", fmt.Sprintf("%d bytes, expected at least 1", int64(o))))
			}
			s.limit, s.limited = int64(o), true
		case Targets:
			s.targets = slices.Clone(o)
			for i, name := range o {
				if slices.Contains(o[:i], name) {
					panic(torch.NewError(op, torch.ErrValue, "Targets", fmt.Sprintf("%q twice", name)))
				}
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}
