package safetensors_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

// If the file is a Git LFS pointer or an HTML page, the error says so.
func TestFilesInPlaceOfOthers(t *testing.T) {
	for text, says := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n": "a pointer of Git LFS",
		"<!DOCTYPE html><html></html>":                                       "an HTML page",
	} {
		path := filepath.Join(t.TempDir(), "model.safetensors")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := safetensors.LoadFile(path)
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.ErrorContains(t, err, says)
		require.NoError(t, os.WriteFile(path+".index.json", []byte(text), 0o600))
		_, err = safetensors.OpenSharded(path + ".index.json")
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.ErrorContains(t, err, says)
	}
}
