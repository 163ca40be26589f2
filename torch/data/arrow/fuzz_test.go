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

func FuzzParquet(f *testing.F) { fuzz(f, "testdata/table.parquet", "testdata/packed.parquet") }
