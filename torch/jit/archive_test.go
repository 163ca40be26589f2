package jit_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// record is an entry of a TorchScript archive.
type record struct {
	name string
	data []byte
}

// records reads the entries of a golden archive.
func records(t testing.TB, name string) []record {
	t.Helper()
	data, err := os.ReadFile(goldenPath(name))
	require.NoError(t, err)
	return unzip(t, data)
}

func unzip(t testing.TB, data []byte) (all []record) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		all = append(all, record{f.Name, text})
	}
	return all
}

// zipped returns an archive of the records. Its lengths and checksums are correct.
func zipped(t testing.TB, all []record) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, r := range all {
		w, err := z.CreateHeader(&zip.FileHeader{Name: r.name, Method: zip.Store})
		require.NoError(t, err)
		_, err = w.Write(r.data)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// with returns the records after replacing or adding the entry called name. data is the
// entry's new content.
func with(all []record, name string, data []byte) []record {
	all = slices.Clone(all)
	for i, r := range all {
		if r.name == name {
			all[i].data = data
			return all
		}
	}
	return append(all, record{name, data})
}
