package data

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

type (
	// A CSVOption is an argument of [ReadCSV] and [DecodeCSV] that pandas takes by
	// keyword: [Sep], [Comment], [Header], [Names], [UseCols], [UseColsAt], [DType],
	// [DTypes], [Categories], [NAValues], [KeepDefaultNA], [FillNA], [MaxRowBytes] or
	// [MemoryLimit].
	//gotorch:options MaxRowBytes MemoryLimit Sep Comment Header Names UseCols UseColsAt DType DTypes
	//gotorch:options Categories NAValues KeepDefaultNA FillNA
	CSVOption interface{ csvOption() }
	// A CSVDatasetOption is an argument of [NewCSVDataset]: an option of [ReadCSV] except
	// [MemoryLimit], or [Targets], [ShuffleBuffer] or [Generator].
	//gotorch:options MaxRowBytes Sep Comment Header Names UseCols UseColsAt DType DTypes Categories
	//gotorch:options NAValues KeepDefaultNA FillNA Targets ShuffleBuffer GeneratorOption
	CSVDatasetOption interface{ csvDatasetOption() }
	// A TableOption is an argument of [NewTable]: [Categories]. Its lists contain the
	// words for the codes of a column; [Table.Words] returns them.
	//gotorch:options Categories
	TableOption interface{ tableOption() }
)

// Sep is the character that separates the fields of a row; sep in pandas. The default is
// a comma. A quote, a line break or an invalid rune panics with ErrValue.
type Sep rune

// Comment is the character at the beginning of lines to ignore. The default, and 0,
// ignores no lines. A rune that [Sep] does not accept, or that is the separator, panics
// with ErrValue. It is comment in pandas, where a comment may also begin within a row.
type Comment rune

// Header controls whether the first row has the names of the columns; header in pandas.
// The default is true. Without a header and without [Names] the columns are named "0",
// "1" and so on. If several columns have the same name, the second becomes "name.1".
type Header bool

// Names are the names of all columns, instead of those in the file; names in pandas. The
// default, and nil, uses the names in the file.
type Names []string

// UseCols are the names of the columns to read, in this order; usecols in pandas. The
// default, and nil, is all columns. A repeated name panics with ErrValue, and so does
// combining UseCols with [UseColsAt].
type UseCols []string

// UseColsAt are the positions of the columns to read, counted from 0, instead of the names
// in [UseCols].
type UseColsAt []int

// DType is the dtype of the columns that [DTypes] does not name; dtype in pandas. The
// default, and the zero dtype, is float32. A complex or quantized dtype panics with
// ErrDType.
type DType torch.DType

// DTypes maps names of columns to their dtypes; dtype in pandas. The default is none.
type DTypes map[string]torch.DType

// Categories maps names of columns to lists of words, and turns these columns into category
// codes. Each word becomes its index in the column's list, an int64, and a missing value
// becomes -1. A word that is not in the list is an error. With a nil list [ReadCSV] and
// [DecodeCSV] use the column's distinct words, sorted; [NewCSVDataset] does not accept a
// nil list. Follows astype("category").cat.codes of pandas.
type Categories map[string][]string

// NAValues are additional words that mean a missing value; na_values in pandas. Unless
// [KeepDefaultNA] is false, the empty word, "NA", "NaN", "null", "None" and the other
// default words of pandas mean a missing value too. The default is none.
type NAValues []string

// KeepDefaultNA controls whether pandas' default words mean a missing value;
// keep_default_na in pandas. The default is true.
type KeepDefaultNA bool

// FillNA is the number that replaces missing values, as fillna of pandas does. Without
// FillNA, missing values are NaN in floating-point columns and errors in other columns. In
// [Categories] columns they are always -1. If the column's dtype cannot hold FillNA, the
// first missing value is an error.
type FillNA float64

// Targets are the columns that become the Target of an example instead of part of its
// Input: one column gives a tensor of shape (), several columns give a tensor of shape
// (columns). The default, and nil, is none. A repeated name panics with ErrValue.
type Targets []string

// ShuffleBuffer is the number of examples in a buffer, from which a stream's next example
// is drawn at random. A stream cannot be shuffled as a whole. The first example is drawn
// once the buffer holds 100 examples, or is full. The default, and 0, keeps the order; a
// negative size panics with ErrValue. Follows shuffle of webdataset, which draws from
// Python's module random; ShuffleBuffer draws from [Generator]. A Generator without a
// ShuffleBuffer panics with ErrValue, because nothing would draw from it.
type ShuffleBuffer int

// csvSettings holds the values of CSVOptions.
type csvSettings struct {
	sep, comment rune
	header       bool
	names        []string
	useCols      []string
	useColsAt    []int
	dtype        torch.DType
	dtypes       map[string]torch.DType
	categories   map[string][]string
	na           map[string]bool
	fillValue    float64
	hasFill      bool
	targets      []string
	maxRow       int64
	memory       int64 // 0 for the default
	shuffleSettings
}

// shuffleSettings describes how a stream is shuffled.
type shuffleSettings struct {
	buffer    int
	buffered  bool // a size was given
	generator *torch.Generator
}

// defaultNA are pandas' words for a missing value.
var defaultNA = []string{
	"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
	"<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
}

// readCSV reads CSVOptions or CSVDatasetOptions.
func readCSV[O any](op string, opts []O) csvSettings {
	s := csvSettings{sep: ',', header: true, dtype: torch.Float32, maxRow: defaultMaxRowBytes}
	var na []string
	keep := true
	for _, o := range opts {
		switch o := any(o).(type) {
		case Sep:
			s.sep = rune(o)
		case Comment:
			s.comment = rune(o)
		case Header:
			s.header = bool(o)
		case Names:
			s.names = slices.Clone(o)
		case UseCols:
			s.useCols = slices.Clone(o)
		case UseColsAt:
			s.useColsAt = slices.Clone(o)
		case DType:
			if s.dtype = torch.DType(o); o == 0 {
				s.dtype = torch.Float32
			}
			mustBeColumn(op, "DType", s.dtype)
		case DTypes:
			s.dtypes = maps.Clone(o)
			for _, d := range o {
				mustBeColumn(op, "DTypes", d)
			}
		case Categories:
			s.categories = maps.Clone(o)
		case NAValues:
			na = slices.Clone(o)
		case KeepDefaultNA:
			keep = bool(o)
		case MaxRowBytes:
			s.maxRow = mustBePositive(op, "MaxRowBytes", int64(o))
		case MemoryLimit:
			s.memory = mustBePositive(op, "MemoryLimit", int64(o))
		case FillNA:
			s.fillValue, s.hasFill = float64(o), true
		case Targets:
			s.targets = slices.Clone(o)
		default:
			if !s.shuffleSettings.read(op, o) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	s.mustBeConsistent(op)
	s.na = map[string]bool{}
	if keep {
		na = append(na, defaultNA...)
	}
	for _, w := range na {
		s.na[w] = true
	}
	return s
}

// mustBeConsistent panics for invalid separators and for options that contradict each other.
func (s *csvSettings) mustBeConsistent(op string) {
	mustBeSeparator(op, "Sep", s.sep)
	if s.comment != 0 {
		mustBeSeparator(op, "Comment", s.comment)
	}
	if s.comment == s.sep {
		panic(torch.NewError(op, torch.ErrValue, "Comment", fmt.Sprintf("%q already separates the fields", s.comment)))
	}
	if s.useCols != nil && s.useColsAt != nil {
		panic(torch.NewError(op, torch.ErrValue, "UseColsAt", "cannot be combined with UseCols"))
	}
	s.mustShuffle(op)
	mustBeDistinct(op, "UseCols", s.useCols)
	mustBeDistinct(op, "UseColsAt", s.useColsAt)
	mustBeDistinct(op, "Targets", s.targets)
}

// readTable reads the options of NewTable.
func readTable(op string, names []string, opts []TableOption) map[string][]string {
	var words map[string][]string
	for _, o := range opts {
		c, ok := o.(Categories)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		words = maps.Clone(c)
	}
	for _, n := range keys(words) {
		if !slices.Contains(names, n) {
			panic(torch.NewError(op, torch.ErrValue, "Categories",
				fmt.Sprintf("there is no column %q; the columns are %s", n, strings.Join(names, ", "))))
		}
	}
	return words
}

// mustBeDistinct panics if an option names a column more than once.
func mustBeDistinct[C comparable](op, option string, columns []C) {
	for i, c := range columns {
		if slices.Contains(columns[:i], c) {
			panic(torch.NewError(op, torch.ErrValue, option, fmt.Sprintf("%#v twice", c)))
		}
	}
}

// read reads o if it is an option for shuffling. It reports whether o is such an option.
func (s *shuffleSettings) read(op string, o any) bool {
	switch o := o.(type) {
	case ShuffleBuffer:
		s.buffer, s.buffered = int(o), true
		if o < 0 {
			panic(torch.NewError(op, torch.ErrValue, "ShuffleBuffer", fmt.Sprintf("expected 0 or more, got %d", o)))
		}
	case GeneratorOption:
		s.generator = o.generator
	default:
		return false
	}
	return true
}

// mustShuffle panics if a generator was given without a buffer size, because nothing
// would draw from the generator.
func (s *shuffleSettings) mustShuffle(op string) {
	if s.generator != nil && !s.buffered {
		panic(torch.NewError(op, torch.ErrValue, "Generator", "nothing is shuffled, so it would have no effect"))
	}
}

// mustBeColumn panics with ErrDType for a dtype that a column of a text file cannot have.
func mustBeColumn(op, arg string, d torch.DType) {
	if !d.IsFloatingPoint() && !d.IsInteger() && d != torch.Bool || d.Size() == 0 {
		panic(torch.NewError(op, torch.ErrDType, arg,
			fmt.Sprintf("expected floating point, integers or bool, got %v", d)))
	}
}

// mustBeSeparator panics for a rune that package encoding/csv cannot use.
func mustBeSeparator(op, arg string, r rune) {
	if r == 0 || r == '"' || r == '\r' || r == '\n' || r == '\ufffd' || r < 0 || r > 0x10ffff ||
		0xd800 <= r && r < 0xe000 {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("%q cannot separate fields", r)))
	}
}
