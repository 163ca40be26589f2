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

// Columns are the names of the columns to read, in this order; columns in pyarrow.
// The default, and nil, is all columns.
type Columns []string

// FillNull is the number that replaces nulls, as fill_null of pyarrow.compute does.
// Without FillNull a null is an error. A FillNull that the column's dtype cannot hold is
// an error too.
type FillNull float64

// Categories maps names of columns to lists of strings, and turns these columns into
// category codes. Each string becomes its index in the column's list, an int64, and a null
// becomes -1. A string that is not in the list is an error.
//
// With a nil list [ReadTable] uses the column's distinct strings, sorted; [NewDataset]
// refuses a nil list with ErrValue. By default no column is categorical, and a column of
// strings is an error. Arrow dictionaries follow the same rules: a dictionary of strings
// needs Categories, a dictionary of numbers does not. Follows
// astype("category").cat.codes of pandas, as data.Categories does.
type Categories map[string][]string

// Targets are the columns that become the Target of an example instead of part of its
// Input. The default, and nil, is none. A repeated name panics with ErrValue.
type Targets []string

// MemoryLimit is the number of bytes that reading may use. ReadTable counts the whole
// table and the current batch of rows, a [Dataset] only the current batch. A file that
// needs more is an error, because a file of a few bytes can claim any number of rows. The
// default is the larger of 1 GiB and 64 times the size of the file. A limit below 1
// panics with ErrValue.
type MemoryLimit int64

// settings holds the values of the options.
type settings struct {
	columns    []string
	fill       float64
	filled     bool
	categories map[string][]string
	targets    []string
	limit      int64
	limited    bool
}

// read reads the options of ReadTable or NewDataset.
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
				panic(torch.NewError(op, torch.ErrValue, "MemoryLimit",
					fmt.Sprintf("expected at least 1 byte, got %d", int64(o))))
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
