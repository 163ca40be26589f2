package arrow_test

import (
	"bytes"
	"fmt"
	"testing"

	lib "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
