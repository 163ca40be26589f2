package arrow_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	lib "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/arrow"
	"github.com/gotorch/gotorch/torchtest"
)

// A field is a field of a Thrift struct: its number and its value, which is an int (32 bits),
// an int64, a string, a structure or a list.
type (
	field struct {
		id    int
		value any
	}
	structure []field
	list      []any
)

// thrift returns a value in Thrift's compact protocol, and its type.
func thrift(value any) (b []byte, kind byte) {
	switch v := value.(type) {
	case int:
		return binary.AppendVarint(nil, int64(v)), 5
	case int64:
		return binary.AppendVarint(nil, v), 6
	case string:
		return append(binary.AppendUvarint(nil, uint64(len(v))), v...), 8
	case list:
		var items []byte
		for _, item := range v {
			b, kind = thrift(item)
			items = append(items, b...)
		}
		return append(binary.AppendUvarint([]byte{0xf0 | kind}, uint64(len(v))), items...), 9
	case structure:
		for _, f := range v {
			value, kind := thrift(f.value)
			b = append(binary.AppendVarint(append(b, kind), int64(f.id)), value...)
		}
		return append(b, 0), 12
	}
	panic("unknown")
}

// column describes a Parquet file of one column.
type column struct {
	kind, repetition, width int      // the type, optional or required, and the length of a text
	rows                    int64    // in each row group
	pages                   [][]byte // the headers and contents
	size                    int64    // of the column in the file; 0 for the real one
	groups                  int      // the number of row groups, all with the same pages
}

func (c column) file() []byte {
	b := append([]byte("PAR1"), slices.Concat(c.pages...)...)
	if c.size == 0 {
		c.size = int64(len(b) - 4)
	}
	meta := structure{
		{1, c.kind},
		{2, list{0}},
		{3, list{"x"}},
		{4, 0},
		{5, c.rows},
		{6, c.size},
		{7, c.size},
		{9, int64(4)},
	}
	group := structure{{1, list{structure{{2, int64(4)}, {3, meta}}}}, {2, c.size}, {3, c.rows}}
	var groups list
	for range max(c.groups, 1) {
		groups = append(groups, group)
	}
	root := structure{{4, "root"}, {5, 1}}
	leaf := structure{{1, c.kind}, {2, c.width}, {3, c.repetition}, {4, "x"}}
	if c.kind == kindText {
		const utf8 = 0
		leaf = append(leaf, field{6, utf8})
	}
	footer, _ := thrift(structure{{1, 1}, {2, list{root, leaf}}, {3, c.rows * int64(len(groups))}, {4, groups}})
	b = append(b, footer...)
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(footer))), "PAR1"...)
}

// dataPage returns a data page, and dictionaryPage returns a dictionary page.
func dataPage(values, encoding int, body []byte) []byte {
	const rle = 3
	head, _ := thrift(structure{
		{1, 0},
		{2, len(body)},
		{3, len(body)},
		{5, structure{{1, values}, {2, encoding}, {3, rle}, {4, rle}}},
	})
	return append(head, body...)
}

func dictionaryPage(values int, body []byte) []byte {
	head, _ := thrift(structure{{1, 2}, {2, len(body)}, {3, len(body)}, {7, structure{{1, values}, {2, 0}}}})
	return append(head, body...)
}

// differences returns n numbers in the encoding DELTA_BINARY_PACKED. The first number is
// first, and each later number is larger by step. The parameter each is the number of
// values in a block.
func differences(first, step int64, n, each int) []byte {
	var b []byte
	for _, v := range []int{each, 1, n} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	b = binary.AppendVarint(b, first)
	for left := n - 1; left > 0; left -= each {
		b = append(binary.AppendVarint(b, step), 0)
	}
	return b
}

const (
	kindInt64, kindText, kindFixed               = 2, 6, 7
	plain, dictionary, delta, deltaText, splitUp = 0, 8, 5, 7, 9
	required, optional                           = 0, 1
	mib                                          = 1 << 20
)

// A Parquet file takes no more memory than MemoryLimit allows, whatever numbers it claims.
func TestParquetBombs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	numbers := make([]byte, 16)
	binary.LittleEndian.PutUint64(numbers[8:], 7)
	const texts, nulls = 60_000, 5_000_000
	// each text is the previous text plus one byte
	growing := append(differences(0, 1, texts, 128), differences(1, 0, texts, 128)...)
	growing = append(growing, make([]byte, texts)...)
	none := binary.LittleEndian.AppendUint32(nil, 5) // levels of nulls, run-length encoded
	none = append(binary.AppendUvarint(none, nulls<<1), 0)
	none[0] = byte(len(none) - 4)
	for name, c := range map[string]struct {
		file column
		kind error
		text string
	}{
		"a column beyond the end": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, plain, numbers)}, size: 1 << 40},
			torch.ErrTruncated, "",
		},
		"a column before the start": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, plain, numbers)}, size: -1},
			torch.ErrTruncated, "",
		},
		"a block of many numbers": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, delta, differences(1, 1, 2, 1<<32-128))}},
			torch.ErrFormat, "takes more memory than is allowed",
		},
		"a dictionary of many numbers": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{
				dictionaryPage(1<<31-1, numbers),
				dataPage(2, dictionary, []byte{32, 2 << 1, 0xfe, 0xff, 0xff, 0x7f}),
			}},
			torch.ErrFormat, "a dictionary has 2147483647 values in only 16 bytes",
		},
		"texts that grow": {
			column{kind: kindText, rows: texts, pages: [][]byte{dataPage(texts, deltaText, growing)}},
			torch.ErrFormat, "takes more memory than is allowed",
		},
		"many nulls": {
			column{kind: kindText, repetition: optional, rows: nulls, pages: [][]byte{dataPage(nulls, plain, none)}},
			torch.ErrFormat, "takes more memory than is allowed",
		},
		"long texts": {
			column{
				kind: kindFixed, repetition: optional, width: 1 << 20, rows: nulls,
				pages: [][]byte{dataPage(nulls, splitUp, none)},
			},
			torch.ErrFormat, "a tensor cannot hold fixed_size_binary",
		},
		"one column, many row groups": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, plain, numbers)}, groups: 1000},
			torch.ErrFormat, "two parts of the file overlap at offset 4",
		},
		"a page of an unknown kind": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{{0x15, 18, 0x15, 0, 0x15, 0, 0}}},
			torch.ErrFormat, "a page has the unknown kind 9",
		},
		"a page without a header of its kind": {
			column{kind: kindInt64, rows: 2, pages: [][]byte{{0x15, 0, 0x15, 0, 0x15, 0, 0}}},
			torch.ErrFormat, "a page of kind 0 lacks the number of its values",
		},
	} {
		var err error
		path := written(t, c.file.file())
		filetest.Costs(t, 256*mib, func() {
			_, err = arrow.ReadTable(path, arrow.Categories{"x": nil}, arrow.MemoryLimit(100*mib))
		})
		require.ErrorIs(t, err, c.kind, name)
		require.ErrorContains(t, err, c.text, name)
	}
}

// If a row group has fewer rows than the footer says, reading it is an error.
func TestMissingRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := column{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, plain, make([]byte, 16))}}
	table, err := arrow.ReadTable(written(t, c.file()))
	require.NoError(t, err, "the file must be good before it is changed")
	assert.Equal(t, 2, table.Len())
	require.NoError(t, table.Close())
	c.rows = 5
	_, err = arrow.ReadTable(written(t, c.file()))
	require.ErrorIs(t, err, torch.ErrTruncated)

	schema := lib.NewSchema([]lib.Field{{Name: "x", Type: lib.PrimitiveTypes.Int64}}, nil)
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues([]int64{1, 2, 3}, nil)
	x := b.NewArray()
	defer x.Release()
	batch := array.NewRecordBatch(schema, []lib.Array{x}, 1) // the batch has one row, its column three
	defer batch.Release()
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	_, err = arrow.ReadTable(written(t, stream.Bytes()))
	require.ErrorIs(t, err, torch.ErrFormat)
}

// Values that are stored as differences can be read.
func TestDifferences(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := column{kind: kindInt64, rows: 300, pages: [][]byte{dataPage(300, delta, differences(5, 2, 300, 128))}}
	table, err := arrow.ReadTable(written(t, c.file()))
	require.NoError(t, err)
	assert.Equal(t, int64(5+2*299), table.Column("x").Int64s()[299])
	require.NoError(t, table.Close())
	// "a", "ab" and "abc"
	texts := append(append(differences(0, 1, 3, 128), differences(1, 0, 3, 128)...), "abc"...)
	c = column{kind: kindText, rows: 3, pages: [][]byte{dataPage(3, deltaText, texts)}}
	table, err = arrow.ReadTable(written(t, c.file()), arrow.Categories{"x": nil})
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "ab", "abc"}, table.Words("x"))
	require.NoError(t, table.Close())
}

// A compressed buffer may say that its decoder must keep a large part of the output. This
// memory counts too.
func TestZstandardWindows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b := arrowOf(t, 1, 50_000, ipc.WithZstd())
	magic := []byte("\x28\xb5\x2f\xfd")
	at := bytes.Index(b, magic)
	require.Positive(t, at)
	const single, window = 1 << 5, 19 << 3 // 512 MiB
	if b[at+4]&single == 0 {
		b[at+5] = window
	} else {
		binary.LittleEndian.PutUint32(b[at+5:], 500*mib)
	}
	var err error
	path := written(t, b)
	filetest.Costs(t, 64*mib, func() { _, err = arrow.ReadTable(path, arrow.MemoryLimit(32*mib)) })
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "takes more memory than is allowed")
	// frames after the needed frame count as well
	_, err = arrow.ReadTable(written(t, arrowOf(t, 1, 50_000, ipc.WithZstd())), arrow.MemoryLimit(32*mib))
	require.NoError(t, err)
}

// A footer that lists the same batch many times is refused: reading it could take hours.
func TestBatchesAgainAndAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := written(t, arrowOf(t, 2, 100))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	first, second := batchOffsets(t, b)
	i := bytes.LastIndex(b, binary.LittleEndian.AppendUint64(nil, second))
	require.Positive(t, i)
	binary.LittleEndian.PutUint64(b[i:], first)
	_, err = arrow.ReadTable(written(t, b), arrow.Columns{"x"})
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "two parts of the file overlap")
}

// batchOffsets returns the positions of the two batches of a file.
func batchOffsets(t *testing.T, b []byte) (first, second uint64) {
	t.Helper()
	var all []uint64
	for at := 8; at+8 < len(b); at += 8 { // messages begin at multiples of 8
		if string(b[at:at+4]) == "\xff\xff\xff\xff" && binary.LittleEndian.Uint32(b[at+4:]) > 0 {
			all = append(all, uint64(at))
		}
	}
	require.GreaterOrEqual(t, len(all), 2)
	return all[len(all)-2], all[len(all)-1]
}
