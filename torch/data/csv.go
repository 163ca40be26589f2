package data

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/words"
	"github.com/gotorch/gotorch/torch"
)

// csvReader reads the rows of a CSV file as numbers.
type csvReader struct {
	csvSettings
	path    string
	rows    *csv.Reader
	row     *rowLimit
	table   tableLimit
	pending []string // the first row, if the file has no header; it was read to count the columns
	columns []csvColumn
	line    int // of the last row
}

// csvColumn is a column to read from the file.
type csvColumn struct {
	name  string
	index int
	dtype torch.DType
	words *words.Words // the words of a column of categories; nil for a column of numbers
}

// cell is the number in one field of a row. The number of a floating-point column is in
// float, and the number of any other column is in integer.
type cell struct {
	float   float64
	integer int64
}

// openCSV opens a file, which may be compressed with gzip. The caller closes it.
func openCSV(path string, s csvSettings) (*csvReader, *os.File, error) {
	f, size, err := files.Open(path)
	if err != nil {
		return nil, nil, openError(path, err)
	}
	r, err := newCSVReader(f, size, path, s)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return r, f, nil
}

// newCSVReader reads the header and finds the columns. size is the size of the file, or
// -1 if unknown.
func newCSVReader(r io.Reader, size int64, path string, s csvSettings) (*csvReader, error) {
	most := limitOf(s.memory, size)
	c := &csvReader{csvSettings: s, path: path, table: tableLimit{most, most}}
	b, err := gunzipped(r)
	if err != nil {
		return nil, c.fileError(err)
	}
	mark, err := b.Peek(len("\ufeff"))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, c.fileError(err)
	}
	if string(mark) == "\ufeff" {
		_, _ = b.Discard(len(mark))
	}
	sep := string(s.sep)
	c.row = &rowLimit{r: b, sep: sep[len(sep)-1], most: s.maxRow}
	c.rows = csv.NewReader(c.row)
	c.rows.Comma, c.rows.Comment = s.sep, s.comment
	first, err := c.read()
	if errors.Is(err, io.EOF) {
		return nil, &FileError{Path: path, Kind: torch.ErrTruncated, Detail: "empty"}
	}
	if err != nil {
		return nil, c.fileError(err)
	}
	c.line, _ = c.rows.FieldPos(0)
	names := uniqueNames(first)
	if !s.header {
		c.pending = first
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
	}
	if s.names != nil {
		if len(s.names) != len(names) {
			return nil, &FileError{
				Path: path, Kind: torch.ErrMismatch,
				Detail: fmt.Sprintf("the file has %d columns, but Names has %d names", len(names), len(s.names)),
			}
		}
		names = uniqueNames(s.names)
	}
	return c, c.chooseColumns(names)
}

// gunzipped returns a reader of the data in r. If the data is compressed with gzip, the
// reader decompresses it.
func gunzipped(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	magic, err := b.Peek(2)
	// return the error here, because later reads would not return it
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, 1<<16), nil
}

// uniqueNames makes duplicate names unique by appending numbers, as pandas does.
func uniqueNames(names []string) []string {
	out, seen, taken := slices.Clone(names), map[string]int{}, map[string]bool{}
	for i, n := range names {
		for k := seen[n]; k > 0 && taken[out[i]]; k++ {
			out[i] = fmt.Sprintf("%s.%d", n, k)
			seen[n] = k
		}
		seen[n]++
		taken[out[i]] = true
	}
	return out
}

func (c *csvReader) chooseColumns(names []string) error {
	want := c.useColsAt
	missing := func(option, name string) error {
		return &FileError{
			Path: c.path, Kind: torch.ErrMismatch,
			Detail: fmt.Sprintf("%s: there is no column %s; the columns are %s", option, plain.Quote(name),
				plain.List(names)),
		}
	}
	switch {
	case c.useCols != nil:
		for _, n := range c.useCols {
			i := slices.Index(names, n)
			if i < 0 {
				return missing("UseCols", n)
			}
			want = append(want, i)
		}
	case want == nil:
		for i := range names {
			want = append(want, i)
		}
	}
	for _, i := range want {
		if i < 0 || i >= len(names) {
			return &FileError{
				Path: c.path, Kind: torch.ErrMismatch,
				Detail: fmt.Sprintf("UseColsAt: column %d is out of range for %d columns", i, len(names)),
			}
		}
		col := csvColumn{name: names[i], index: i, dtype: c.dtype}
		if d, ok := c.dtypes[col.name]; ok {
			col.dtype = d
		}
		if list, ok := c.categories[col.name]; ok {
			col.dtype, col.words = torch.Int64, words.New(list)
		}
		c.columns = append(c.columns, col)
	}
	// Refuse options that name a missing column, instead of ignoring them.
	for _, named := range []struct {
		option string
		names  []string
	}{{"DTypes", keys(c.dtypes)}, {"Categories", keys(c.categories)}, {"Targets", c.targets}} {
		for _, n := range named.names {
			if !slices.ContainsFunc(c.columns, func(col csvColumn) bool { return col.name == n }) {
				return missing(named.option, n)
			}
		}
	}
	return nil
}

func keys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// columnNames returns the names of the columns to read.
func (c *csvReader) columnNames() (names []string) {
	for _, col := range c.columns {
		names = append(names, col.name)
	}
	return names
}

// next stores the next row of the file in row, one cell for each column. It returns io.EOF
// after the last row.
func (c *csvReader) next(row []cell) error {
	fields := c.pending
	if c.pending = nil; fields == nil {
		c.rows.ReuseRecord = true
		var err error
		if fields, err = c.read(); errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return c.fileError(err)
		}
		c.line, _ = c.rows.FieldPos(0)
	}
	for i := range c.columns {
		col := &c.columns[i]
		var problem string
		if row[i], problem = c.parse(col, fields[col.index]); problem != "" {
			line, column := c.rows.FieldPos(col.index)
			return &FileError{
				Path: c.path, Kind: torch.ErrFormat,
				Detail: fmt.Sprintf("line %d, column %d, field %s: %s", line, column, plain.Quote(col.name), problem),
			}
		}
	}
	return nil
}

func (c *csvReader) read() ([]string, error) {
	c.row.begin()
	start := c.rows.InputOffset()
	fields, err := c.rows.Read()
	if err == nil && c.rows.InputOffset()-start+fieldCost*int64(len(fields)) > c.maxRow {
		c.row.isReached, err = true, errRow
	}
	return fields, err
}

// parse converts the text of a field to a cell. If the text is invalid, parse returns a
// description of the error.
func (c *csvReader) parse(col *csvColumn, text string) (cell, string) {
	float := col.dtype.IsFloatingPoint()
	if c.na[text] {
		switch {
		case col.words != nil:
			return cell{integer: -1}, ""
		case c.hasFill:
			text = strconv.FormatFloat(c.fillValue, 'f', -1, 64)
		case float:
			return cell{float: math.NaN()}, ""
		default:
			return cell{}, fmt.Sprintf("%[2]v cannot hold the missing value %[1]s; set FillNA to replace it",
				plain.Quote(text), col.dtype)
		}
	}
	if col.words != nil {
		n := col.words.Len()
		code, known := col.words.Code(text)
		if !known {
			return cell{}, fmt.Sprintf("%s is not one of the Categories %s", plain.Quote(text),
				plain.List(col.words.List()))
		}
		if col.words.Len() > n {
			return cell{integer: code}, c.table.take(int64(len(text)) + wordCost)
		}
		return cell{integer: code}, ""
	}
	text = strings.TrimSpace(text)
	var v cell
	var err error
	switch {
	case float:
		bits := 64
		if col.dtype != torch.Float64 {
			bits = 32
		}
		v.float, err = strconv.ParseFloat(text, bits)
		// ParseFloat accepts Go's syntax, such as 1_000 and 0x1p4, but CSV files do not use
		// it
		if err == nil && strings.ContainsAny(text, "_xX") {
			err = strconv.ErrSyntax
		}
	case col.dtype == torch.Bool:
		var b bool
		if b, err = strconv.ParseBool(text); b {
			v.integer = 1
		}
	case col.dtype == torch.Uint8 || col.dtype == torch.Uint16 || col.dtype == torch.Uint32 ||
		col.dtype == torch.Uint64:
		var u uint64
		u, err = strconv.ParseUint(text, 10, int(col.dtype.Size()*8))
		v.integer = int64(u)
	default:
		v.integer, err = strconv.ParseInt(text, 10, int(col.dtype.Size()*8))
	}
	if err == nil {
		return v, ""
	}
	problem := fmt.Sprintf("%s is not a valid %v", plain.Quote(text), col.dtype)
	if errors.Is(err, strconv.ErrRange) {
		problem = fmt.Sprintf("%s is out of the range of %v", plain.Quote(text), col.dtype)
	}
	return cell{}, problem
}

// fileError converts an error of package csv or of the system to a *FileError.
func (c *csvReader) fileError(err error) error {
	if c.row != nil && c.row.isReached {
		return &FileError{
			Path: c.path, Kind: torch.ErrFormat,
			Detail: fmt.Sprintf("after line %d: the row has more than the %d bytes that MaxRowBytes allows; check for "+
				"a quote that is not closed", c.line, c.maxRow),
		}
	}
	var pe *csv.ParseError
	if errors.As(err, &pe) {
		detail := fmt.Sprintf("line %d, column %d", pe.Line, pe.Column)
		return &FileError{Path: c.path, Kind: torch.ErrFormat, Detail: detail, Err: pe.Err}
	}
	err = readError(fmt.Sprintf("after line %d", c.line), err)
	var fe *FileError
	if errors.As(err, &fe) {
		fe.Path = c.path
	}
	return err
}
