package zstd_test

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/zstd"
	"github.com/gotorch/gotorch/torchtest"
)

func read(t *testing.T, shard string) (classes []int64, err error) {
	set, err := data.NewWebDataset([]string{shard}, data.Fields{"cls"}, data.Decompressors{".zst": zstd.NewReader})
	require.NoError(t, err)
	torch.Scope(func() {
		err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
			classes = append(classes, e.Input.Int64s()...)
			return true
		})
	})
	return classes, err
}

func TestShard(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	before := runtime.NumGoroutine()
	classes, err := read(t, "testdata/shard.tar.zst")
	require.NoError(t, err)
	assert.Equal(t, []int64{3, 4}, classes)
	assert.Equal(t, before, runtime.NumGoroutine())
}

func TestDamage(t *testing.T) {
	good, err := os.ReadFile("testdata/shard.tar.zst")
	require.NoError(t, err)
	// the header of a frame with the largest window size
	wide := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 0xff, 0, 0}
	broken := bytes.Clone(good)
	broken[len(broken)-1] ^= 1 // the checksum
	for name, b := range map[string][]byte{
		"cut": good[:len(good)/2], "no zstd": []byte("no zstd at all"),
		"checksum": broken, "wide": wide,
	} {
		path := t.TempDir() + "/a.tar.zst"
		require.NoError(t, os.WriteFile(path, b, 0o600))
		_, err := read(t, path)
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		assert.Equal(t, path, fe.Path)
	}
}

func TestNewReader(t *testing.T) {
	good, err := os.ReadFile("testdata/shard.tar.zst")
	require.NoError(t, err)
	r, err := zstd.NewReader(bytes.NewReader(good))
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Zero(t, len(b)%512)
	require.NoError(t, r.Close())
}
