package dcp_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torchtest"
)

// series returns a directory with complete checkpoints of the given names.
func series(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	x := torch.Ones(torch.Shape{4})
	defer func() { _ = x.Close() }()
	for i, name := range names {
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"n": i, "x": x}, filepath.Join(dir, name)))
	}
	return dir
}

func base(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, filepath.Base(p))
	}
	return out
}

// Latest returns the complete checkpoint with the greatest number.
func TestLatest(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := series(t, "step-9", "step-10", "step-100", "20", "best")
	latest := func() string {
		t.Helper()
		path, err := dcp.Latest(dir)
		require.NoError(t, err)
		return filepath.Base(path)
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "logs-2024"), 0o700)) // not a checkpoint
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file-3000"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "best"), filepath.Join(dir, "link-4000")))
	assert.Equal(t, "step-100", latest())
	// step-200 has no .metadata, as if it were still being written. In other checkpoints
	// a file is damaged or missing.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "step-200"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "step-200", "__0_0.distcp.tmp-1"), nil, 0o600))
	require.NoError(t, os.Truncate(filepath.Join(dir, "step-100", "__0_0.distcp"), 100))
	assert.Equal(t, "20", latest())
	require.NoError(t, os.Remove(filepath.Join(dir, "20", "__0_0.distcp")))
	require.NoError(t, os.Truncate(filepath.Join(dir, "step-10", ".metadata"), 100))
	assert.Equal(t, "step-9", latest())

	all, err := dcp.List(dir)
	require.NoError(t, err)
	var names []string
	for _, info := range all {
		names = append(names, filepath.Base(info.Path))
	}
	assert.Equal(t, []string{"step-9", "step-10", "20", "step-100", "step-200"}, names)
	require.NoError(t, all[0].Err)
	assert.Equal(t, int64(9), all[0].Number)
	require.ErrorIs(t, all[1].Err, torch.ErrTruncated)
	require.ErrorIs(t, all[2].Err, fs.ErrNotExist)
	require.ErrorIs(t, all[3].Err, torch.ErrTruncated)
	require.ErrorIs(t, all[4].Err, fs.ErrNotExist)

	require.NoError(t, os.Remove(filepath.Join(dir, "step-9", ".metadata")))
	_, err = dcp.Latest(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err,
		"none of the folder's numbered subfolders has a complete checkpoint: dcp: "+filepath.Join(dir, "step-200"))
	_, err = dcp.Latest(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = dcp.Latest(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// Prune removes old checkpoints. Other files stay, and so do checkpoints that another
// process may still be writing.
func TestPrune(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := series(t, "1", "2", "3", "4", "5", "6")
	// As if the process was killed during the save.
	require.NoError(t, os.Remove(filepath.Join(dir, "2", ".metadata")))
	// As if another process is still writing it.
	require.NoError(t, os.Remove(filepath.Join(dir, "6", ".metadata")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "3", "notes"), nil, 0o600)) // not a file of a checkpoint
	for _, keep := range []int{0, -1} {
		_, err := dcp.Prune(dir, keep)
		require.ErrorIs(t, err, torch.ErrValue)
	}
	removed, err := dcp.Prune(dir, 2)
	require.NoError(t, err)
	assert.Equal(t, []string{"3", "2", "1"}, base(removed))
	assert.Equal(t, []string{"3", "4", "5", "6"}, names(t, dir))
	assert.Equal(t, []string{"notes"}, names(t, filepath.Join(dir, "3")))
	removed, err = dcp.Prune(dir, 2)
	require.NoError(t, err)
	assert.Empty(t, removed)
	latest, err := dcp.Latest(dir)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "5"), latest)
	_, err = dcp.Prune(filepath.Join(dir, "none"), 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// ReadMetadata reads what Python and Go write.
func TestReadMetadata(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	golden, err := os.ReadFile(filepath.Join("testdata", "python.metadata"))
	require.NoError(t, err)
	put(t, dir, golden)
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	const want = "model.w: float32 (2, 3)\nmodel.b: bfloat16 (2,)\nn: a value\nl.0: float32 (1,)\nl.1.a: a " +
		"value\nt: a value"
	assert.Equal(t, want, m.String())
	assert.Equal(t, []string{"model", "n", "l", "t"}, m.Keys())
	assert.Equal(t, int64(24+4+4), m.Bytes())
	assert.Equal(t, "1.0.0", m.Version)
	assert.Equal(t, []any{"l", 1, "a"}, m.Get("l.1.a").Path)
	assert.False(t, m.Get("n").IsTensor())
	assert.Zero(t, m.Get("n").Bytes())
	assert.Equal(t, torch.Strided, m.Get("model.w").Layout)
	assert.Nil(t, m.Get("other"))
	var none *dcp.Metadata
	assert.Nil(t, none.Get("x"))
	assert.Nil(t, none.Keys())
	assert.Zero(t, none.Bytes())
	assert.Equal(t, "<nil>", none.String())
	made := &dcp.Metadata{Items: m.Items}
	assert.Same(t, m.Get("n"), made.Get("n"))
	assert.Nil(t, made.Get("other"))
	escaped := dcp.Metadata{Items: []dcp.Item{{Name: "a\x1b[2J"}}}
	assert.Equal(t, `a\x1b[2J: a value`, escaped.String(), "names of others are escaped")

	// If Go writes the metadata that it has read, the values and positions stay the same.
	text, err := dcp.Encode(m)
	require.NoError(t, err)
	put(t, dir, text)
	again, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	assert.Equal(t, m, again)

	// PyTorch before 2.3 defined one class in another module.
	old := bytes.ReplaceAll(text, []byte("ctorch.distributed.checkpoint.metadata\nTensorProperties"),
		[]byte("ctorch.distributed._shard.sharded_tensor.metadata\nTensorProperties"))
	require.NotEqual(t, text, old)
	put(t, dir, old)
	again, err = dcp.ReadMetadata(dir)
	require.NoError(t, err)
	assert.Equal(t, m, again)
}
