package arrow_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/arrow"
)

// fuzz checks that every input gives a table, or an error that names the file. The first
// inputs are the files at paths.
func fuzz(f *testing.F, paths ...string) {
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { readable(t, b) })
}

func readable(t *testing.T, b []byte) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	for _, opts := range [][]arrow.TableOption{
		{arrow.FillNull(0)},
		{arrow.Columns{"f64", "fixed", "i8", "flag"}, arrow.FillNull(0), arrow.MemoryLimit(64 << 20)},
		{arrow.Columns{"x"}, arrow.Categories{"x": nil}, arrow.MemoryLimit(64 << 20)},
	} {
		table, err := arrow.ReadTable(path, opts...)
		if err == nil {
			require.NoError(t, table.Close())
			continue
		}
		var fe *data.FileError
		require.ErrorAs(t, err, &fe)
	}
	set, err := arrow.NewDataset(path, arrow.FillNull(0), arrow.MemoryLimit(64<<20))
	if err == nil {
		_, _ = rows(t, set, data.WorkerInfo{})
	}
}

func FuzzArrow(f *testing.F) { fuzz(f, "testdata/table.arrow", "testdata/table.arrows") }

func FuzzParquet(f *testing.F) {
	texts := append(append(differences(0, 1, 3, 128), differences(1, 0, 3, 128)...), "abc"...)
	for _, c := range []column{
		{kind: kindInt64, rows: 2, pages: [][]byte{dataPage(2, plain, make([]byte, 16))}},
		{kind: kindInt64, rows: 300, pages: [][]byte{dataPage(300, delta, differences(5, 2, 300, 128))}},
		{kind: kindText, rows: 3, pages: [][]byte{dataPage(3, deltaText, texts)}},
		{kind: kindInt64, rows: 2, pages: [][]byte{
			dictionaryPage(2, make([]byte, 16)), dataPage(2, dictionary, []byte{1, 2 << 1, 1}),
		}},
	} {
		f.Add(c.file())
	}
	fuzz(f, "testdata/table.parquet", "testdata/packed.parquet")
}
