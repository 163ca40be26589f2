package arrow_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
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

// streamed returns an Arrow stream of batches with the columns x0, x1 and so on.
func streamed(t *testing.T, batches [][]lib.Array, opts ...ipc.Option) []byte {
	t.Helper()
	var fields []lib.Field
	for i, c := range batches[0] {
		fields = append(fields, lib.Field{Name: fmt.Sprint("x", i), Type: c.DataType(), Nullable: true})
	}
	s := lib.NewSchema(fields, nil)
	var b bytes.Buffer
	w := ipc.NewWriter(&b, append(opts, ipc.WithSchema(s))...)
	for _, columns := range batches {
		require.NoError(t, w.Write(array.NewRecordBatch(s, columns, int64(columns[0].Len()))))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zeros returns n values of a type whose bytes are 0.
func zeros(of lib.DataType, n int) lib.Array {
	bits := of.(lib.FixedWidthDataType).BitWidth()
	return array.MakeFromData(array.NewData(of, n,
		[]*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, (n*bits+7)/8))}, nil, 0, 0))
}

func int64s(numbers ...int64) (b []byte) {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// The ends of lists may wrap around, so that the lists have no values together.
func TestListsThatWrapAround(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b := array.NewLargeListBuilder(memory.DefaultAllocator, lib.PrimitiveTypes.Int64)
	defer b.Release()
	for range 4 {
		b.Append(true)
		b.ValueBuilder().(*array.Int64Builder).Append(7)
	}
	file := streamed(t, [][]lib.Array{{b.NewArray()}})
	table, err := arrow.ReadTable(written(t, file))
	require.NoError(t, err)
	assert.Equal(t, torch.Shape{4, 1}, table.Column("x0").Shape())
	require.NoError(t, table.Close())
	ends := int64s(0, 1, 2, 3, 4)
	require.Equal(t, 1, bytes.Count(file, ends))
	for _, wrapped := range [][]byte{
		int64s(0, 1<<62, -1<<63, -1<<62, 0), int64s(0, -1, -2, -3, -4), int64s(-4, -3, -2, -1, 0),
		int64s(3, 4, 5, 6, 7), int64s(1<<62, 1<<62, 1<<62, 1<<62, 1<<62),
	} {
		_, err = arrow.ReadTable(written(t, bytes.Replace(file, ends, wrapped, 1)))
		require.ErrorIs(t, err, torch.ErrFormat)
	}
}

// Lists of nulls need no bytes in a file, so a file may claim any number of them.
func TestListsOfNulls(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const rows = 12345
	b := array.NewFixedSizeListBuilder(memory.DefaultAllocator, 1, lib.Null)
	defer b.Release()
	for range rows {
		b.Append(true)
		b.ValueBuilder().AppendNull()
	}
	file := streamed(t, [][]lib.Array{{b.NewArray()}})
	_, err := arrow.ReadTable(written(t, file))
	require.ErrorContains(t, err, "the column has strings")
	for _, many := range []int64{1 << 40, 1<<63 - 1} {
		path := written(t, bytes.ReplaceAll(file, int64s(rows), int64s(many)))
		for _, opts := range [][]arrow.TableOption{nil, {arrow.Categories{"x0": nil}}} {
			_, err = arrow.ReadTable(path, opts...)
			require.ErrorIs(t, err, torch.ErrFormat)
			assert.ErrorContains(t, err, "takes more memory than is allowed")
		}
	}
}

// Values that take more memory in a tensor than in the file count as the tensor takes.
func TestValuesThatGrow(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const n = 4 * mib
	words := &lib.DictionaryType{IndexType: lib.PrimitiveTypes.Int8, ValueType: lib.PrimitiveTypes.Int64}
	indices, word := zeros(lib.PrimitiveTypes.Int8, n), zeros(lib.PrimitiveTypes.Int64, 1)
	for name, values := range map[string]lib.Array{
		"bools":        zeros(lib.FixedWidthTypes.Boolean, 8*n),
		"dictionaries": array.NewDictionaryArray(words, indices, word),
	} {
		path := written(t, streamed(t, [][]lib.Array{{values}}))
		var err error
		filetest.Costs(t, 32*mib, func() { _, err = arrow.ReadTable(path, arrow.MemoryLimit(16*mib)) })
		require.ErrorIs(t, err, torch.ErrFormat, name)
		require.ErrorContains(t, err, "takes more memory than is allowed", name)
		table, err := arrow.ReadTable(path)
		require.NoError(t, err, name)
		require.NoError(t, table.Close())
	}
}

// Many rows may have the same long word. It is compared with the other words once.
func TestLongWordOfManyRows(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	word := strings.Repeat("w", mib)
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Append(word)
	words := &lib.DictionaryType{IndexType: lib.PrimitiveTypes.Int8, ValueType: lib.BinaryTypes.String}
	rows := array.NewDictionaryArray(words, zeros(lib.PrimitiveTypes.Int8, mib), b.NewArray())
	table, err := arrow.ReadTable(written(t, streamed(t, [][]lib.Array{{rows}})), arrow.Categories{"x0": nil})
	require.NoError(t, err)
	assert.Equal(t, []string{word}, table.Words("x0"))
	assert.Equal(t, mib, table.Len())
	require.NoError(t, table.Close())

	var views []byte
	for range 1000 {
		views = binary.LittleEndian.AppendUint32(views, mib)
		views = append(views, "wwww"...)
		views = append(views, make([]byte, 8)...) // the first bytes of the first buffer
	}
	all := array.MakeFromData(array.NewData(lib.BinaryTypes.StringView, 1000,
		[]*memory.Buffer{nil, memory.NewBufferBytes(views), memory.NewBufferBytes([]byte(word))}, nil, 0, 0))
	path := written(t, streamed(t, [][]lib.Array{{all}}))
	_, err = arrow.ReadTable(path, arrow.Categories{"x0": nil}, arrow.MemoryLimit(100*mib))
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "takes more memory than is allowed")
}

// A stream may replace one dictionary before each batch. All of them stay in memory together.
func TestDictionariesOfManyBatches(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const columns, large = 20, mib
	words := &lib.DictionaryType{IndexType: lib.PrimitiveTypes.Int32, ValueType: lib.PrimitiveTypes.Int64}
	of := func(n int) lib.Array {
		return array.NewDictionaryArray(words, zeros(lib.PrimitiveTypes.Int32, 1), zeros(lib.PrimitiveTypes.Int64, n))
	}
	now := make([]lib.Array, columns)
	for i := range now {
		now[i] = of(1)
	}
	var batches [][]lib.Array
	for i := range columns {
		now[i] = of(large)
		batches = append(batches, append([]lib.Array(nil), now...))
	}
	file := streamed(t, batches, ipc.WithZstd())
	require.Less(t, len(file), mib)
	path := written(t, file)
	_, err := arrow.ReadTable(path, arrow.Columns{"x0"}, arrow.MemoryLimit(64*mib))
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "takes more memory than is allowed")
	table, err := arrow.ReadTable(path, arrow.Columns{"x0"}, arrow.MemoryLimit(columns*24*large))
	require.NoError(t, err)
	assert.Equal(t, columns, table.Len())
	require.NoError(t, table.Close())

	// A dictionary that is replaced again and again takes its memory once.
	batches = nil
	for i := range columns {
		batches = append(batches, []lib.Array{of(large + i)})
	}
	table, err = arrow.ReadTable(written(t, streamed(t, batches)), arrow.MemoryLimit(64*mib))
	require.NoError(t, err)
	require.NoError(t, table.Close())
}
