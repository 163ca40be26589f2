package arrow_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	lib "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/arrow"
	"github.com/gotorch/gotorch/torchtest"
)

func written(t *testing.T, b []byte) string {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	return path
}

// wrapped returns an Arrow file that contains only the given footer.
func wrapped(footer []byte) []byte {
	b := append([]byte("ARROW1\x00\x00"), footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return append(b, "ARROW1"...)
}

// schema returns a footer whose field refers to the same child several times; times is
// the number of references. The child refers to its own child in the same way, and so on,
// down to the given depth.
func schema(depth, times int) []byte {
	b := flatbuffers.NewBuilder(0)
	vector := func(of flatbuffers.UOffsetT) flatbuffers.UOffsetT {
		b.StartVector(4, times, 4)
		for range times {
			b.PrependUOffsetT(of)
		}
		return b.EndVector(times)
	}
	b.StartObject(0)
	list := b.EndObject()
	var field flatbuffers.UOffsetT
	for i := range depth {
		var children flatbuffers.UOffsetT
		if i > 0 {
			children = vector(field)
		}
		b.StartObject(7)
		b.PrependByteSlot(2, 12, 0) // a list
		b.PrependUOffsetTSlot(3, list, 0)
		if i > 0 {
			b.PrependUOffsetTSlot(5, children, 0)
		}
		field = b.EndObject()
	}
	fields := vector(field)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	s := b.EndObject()
	b.StartObject(5)
	b.PrependUOffsetTSlot(1, s, 0)
	b.Finish(b.EndObject())
	return wrapped(b.FinishedBytes())
}

// parquetOf returns a Parquet file that contains only the given footer.
func parquetOf(footer []byte) []byte {
	b := append([]byte("PAR1"), footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return append(b, "PAR1"...)
}

// A small file that repeats long strings takes no more memory than the limit allows.
func TestTextBombs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib = 1 << 20
	schema := lib.NewSchema([]lib.Field{
		{Name: "a", Type: lib.BinaryTypes.String},
		{Name: "null", Type: lib.Null, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	const rows = 100_000
	texts, word := b.Field(0).(*array.StringBuilder), strings.Repeat("w", 1000)
	for range rows {
		texts.Append(word)
		b.Field(1).AppendNull()
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &file, pq.NewWriterProperties(), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, w.Write(batch))
	require.NoError(t, w.Close())
	path := written(t, file.Bytes())
	require.Less(t, file.Len(), mib)
	for name, most := range map[string]int64{"a": 64 * mib, "null": 16 * mib} {
		filetest.Costs(t, most, func() {
			_, err = arrow.ReadTable(path, arrow.Columns{name}, arrow.Categories{name: nil}, arrow.MemoryLimit(rows))
		})
		require.ErrorIs(t, err, torch.ErrFormat, name)
		assert.ErrorContains(t, err, "takes more memory than is allowed", name)
	}
	table, err := arrow.ReadTable(path, arrow.Categories{"a": nil, "null": nil})
	require.NoError(t, err)
	assert.Equal(t, []string{word}, table.Words("a"))
	assert.Equal(t, int64(-1), table.Column("null").Int64s()[rows-1])
	require.NoError(t, table.Close())
}

// Paths that are not regular files are refused, because reading a pipe could wait forever.
func TestNoFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{t.TempDir(), pipe, "/dev/zero"} {
		_, err := arrow.ReadTable(path)
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.ErrorContains(t, err, path+": expected a file, got a ")
		_, err = arrow.NewDataset(path)
		require.ErrorIs(t, err, torch.ErrFormat)
	}
}

// A file that claims large sizes or deep nesting is refused, without using much memory,
// time or stack.
func TestMetadata(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	// a schema of a million elements, each with one child
	many := binary.AppendUvarint([]byte{0x29, 0xfc}, 1<<20)
	for range 1 << 20 {
		many = append(many, 0x55, 0x02, 0x00) // one element with one child
	}
	// wrapped16 is a similar schema, in which the field IDs exceed 1<<16. Readers use
	// them modulo 1<<16, and therefore mistake these fields for the schema and for the
	// number of children.
	wrapped16 := binary.AppendUvarint([]byte{0x09}, 2*(1<<16+2))
	wrapped16 = binary.AppendUvarint(append(wrapped16, 0xfc), 1<<10)
	for range 1 << 10 {
		wrapped16 = append(binary.AppendUvarint(append(wrapped16, 0x05), 2*(1<<16+5)), 0x02, 0x00)
	}
	for name, c := range map[string]struct {
		file []byte
		text string
	}{
		"wrapped groups": {parquetOf(append(wrapped16, 0)), "more than 64 nested groups"},
		"shared fields":  {schema(40, 2), "a part of the metadata is used more than once"},
		"deep fields":    {schema(200, 1), "more than 80 nested tables"},
		"groups":         {parquetOf(append(many, 0)), "more than 64 nested groups"},
		"structs":        {parquetOf(slices.Repeat([]byte{0x1c}, 1<<20)), "more than 128 nested values"},
		"lists": {
			parquetOf(append([]byte{0x19}, slices.Repeat([]byte{0x19}, 1<<20)...)),
			"more than 128 nested values",
		},
		"a long list": {
			parquetOf(append(binary.AppendUvarint([]byte{0x49, 0xfc}, 90<<20), 0)),
			"stated length exceeds the file",
		},
		"a long text": {
			parquetOf(binary.AppendUvarint([]byte{0x68}, 1<<62)),
			"stated length exceeds the file",
		}, "no such type": {parquetOf([]byte{0x1f}), "type 15"},
		"no end":         {parquetOf(nil), "stated length exceeds the file"},
		"an empty table": {wrapped(make([]byte, 16)), "damaged"},
		"no footer":      {append([]byte("ARROW1"), make([]byte, 100)...), `"ARROW1" is missing at the end`},
	} {
		_, err := arrow.ReadTable(written(t, c.file))
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		assert.ErrorContains(t, err, c.text, name)
	}
}

// Columns of structs are refused before they are read. arrow-go reads them on its own
// goroutines, where exceeding MemoryLimit would end the process.
func TestStructsAreNotRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	leaf := lib.Field{Name: "a", Type: lib.PrimitiveTypes.Float64}
	inner := lib.StructOf(leaf, lib.Field{Name: "b", Type: lib.PrimitiveTypes.Float64})
	schema := lib.NewSchema([]lib.Field{
		{Name: "x", Type: lib.PrimitiveTypes.Float64},
		{Name: "s", Type: inner},
		{Name: "list", Type: lib.ListOfNonNullable(inner)},
		{Name: "map", Type: lib.MapOf(lib.PrimitiveTypes.Int64, lib.PrimitiveTypes.Float64)},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	require.NoError(t,
		b.UnmarshalJSON(
			[]byte(`{"x": 1, "s": {"a": 2, "b": 3}, "list": [{"a": 4, "b": 5}], "map": [{"key": 6, "value": 7}]}`)))
	rows := b.NewRecordBatch()
	defer rows.Release()
	var parquet, stream bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &parquet, pq.NewWriterProperties(), pqarrow.DefaultWriterProps())
	require.NoError(t, err)
	require.NoError(t, w.Write(rows))
	require.NoError(t, w.Close())
	s := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	require.NoError(t, s.Write(rows))
	require.NoError(t, s.Close())
	for _, file := range [][]byte{parquet.Bytes(), stream.Bytes()} {
		path := written(t, file)
		x, err := arrow.ReadTable(path, arrow.Columns{"x"})
		require.NoError(t, err)
		assert.NoError(t, x.Close())
		for _, name := range []string{"s", "list", "map"} {
			_, err := arrow.ReadTable(path, arrow.Columns{name}, arrow.MemoryLimit(1))
			require.ErrorIs(t, err, torch.ErrFormat, name)
			require.ErrorContains(t, err, `column "`+name+`": a tensor cannot hold struct<`)
			assert.ErrorContains(t, err, "a tensor cannot hold")
			_, err = arrow.NewDataset(path, arrow.Columns{"x", name})
			assert.ErrorIs(t, err, torch.ErrFormat, name)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, path := range files {
		_, err := arrow.ReadTable(path, arrow.Columns{"f64"}, arrow.MemoryLimit(20))
		require.ErrorIs(t, err, torch.ErrFormat, path)
		require.ErrorContains(t, err, "bytes are needed, but MemoryLimit is 20", path)
		set, err := arrow.NewDataset(path, arrow.Columns{"f64"}, arrow.MemoryLimit(20))
		if err == nil {
			_, err = rows(t, set, data.WorkerInfo{})
		}
		require.ErrorContains(t, err, "MemoryLimit is 20", path)
	}
	// This table is large although each of its batches is small.
	path := written(t, arrowOf(t, 50, 100))
	_, err := arrow.ReadTable(path, arrow.MemoryLimit(30_000))
	require.ErrorContains(t, err, "MemoryLimit is 30000")
	set, err := arrow.NewDataset(path, arrow.MemoryLimit(30_000))
	require.NoError(t, err)
	all, err := rows(t, set, data.WorkerInfo{})
	require.NoError(t, err)
	assert.Len(t, all, 5000)
	require.ErrorIs(t, torch.Try(func() { _, _ = arrow.ReadTable(path, arrow.MemoryLimit(0)) }), torch.ErrValue)
}

// arrowOf returns a file of batches with a column of numbers and a dictionary column of
// strings.
func arrowOf(t *testing.T, batches, rows int, opts ...ipc.Option) []byte {
	path := filepath.Join(t.TempDir(), "written")
	f, err := os.Create(path)
	require.NoError(t, err)
	words := &lib.DictionaryType{IndexType: lib.PrimitiveTypes.Int8, ValueType: lib.BinaryTypes.String}
	s := lib.NewSchema([]lib.Field{{Name: "x", Type: lib.PrimitiveTypes.Float64}, {Name: "word", Type: words}}, nil)
	if len(opts) > 0 || batches > 10 {
		s = lib.NewSchema(s.Fields()[:1], nil)
	}
	w, err := ipc.NewFileWriter(f, append(opts, ipc.WithSchema(s))...)
	require.NoError(t, err)
	for range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for i := range rows {
			b.Field(0).(*array.Float64Builder).Append(float64(i))
			if s.NumFields() > 1 {
				require.NoError(t, b.Field(1).(*array.BinaryDictionaryBuilder).AppendString("a"))
			}
		}
		require.NoError(t, w.Write(b.NewRecordBatch()))
	}
	require.NoError(t, w.Close())
	require.NoError(t, f.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

// Columns of numbers can be read even if other columns have dictionaries or buffers are
// compressed.
func TestDictionariesAndPackedBatches(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, opts := range map[string][]ipc.Option{"words": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()}} {
		table, err := arrow.ReadTable(written(t, arrowOf(t, 3, 1000, opts...)), arrow.Columns{"x"})
		require.NoError(t, err, name)
		assert.Equal(t, 3000, table.Len(), name)
		require.NoError(t, table.Close())
	}
}

// If compressed Parquet data claims to be larger than its page, reading it is an error. No
// memory is allocated for the claimed size.
func TestCodecs(t *testing.T) {
	huge := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 8, 0, 0, 0, 0x01, 0, 0} // Zstandard of 32 GiB
	for codec, packed := range map[compress.Compression][]byte{
		compress.Codecs.Snappy: {0xff, 0xff, 0xff, 0xff, 0x0f, 0},
		compress.Codecs.Zstd:   huge,
	} {
		c, err := compress.GetCodec(codec)
		require.NoError(t, err)
		_, err = compress.Decode(c, make([]byte, 10), packed)
		require.Error(t, err, codec)
		page := make([]byte, 100)
		got, err := compress.Decode(c, make([]byte, 100), c.Encode(nil, page))
		require.NoError(t, err, codec)
		assert.Equal(t, page, got, codec)
	}
}
