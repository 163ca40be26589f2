package aoti_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
)

// ReadInfo describes the constants correctly, and loads nothing.
func TestReadInfo(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	before := libraries(t)
	for _, name := range []string{"mlp", "conv", "empty"} {
		path := filepath.Join(packages(t), name)
		info, err := aoti.ReadInfo(path + ".pt2")
		require.NoError(t, err)
		require.Len(t, info, 1)
		m := info[0]
		assert.Equal(t, "model", m.Name)
		assert.True(t, m.Described)
		assert.Equal(t, "test", m.Metadata["purpose"])
		assert.Len(t, m.Inputs, 1)
		want, err := safetensors.Open(path + ".weights.safetensors")
		require.NoError(t, err)
		defer func() { assert.NoError(t, want.Close()) }()
		assert.NotEmpty(t, m.Constants)
		for _, c := range m.Constants {
			w, err := want.Info(c.Name)
			if !assert.NoError(t, err, name) {
				continue
			}
			assert.Equal(t, w.DType, c.DType)
			assert.Equal(t, w.Shape, c.Shape)
			assert.GreaterOrEqual(t, c.Bytes, w.Bytes)
			assert.Equal(t, torch.Strided.String(), c.Layout)
		}
	}
	assert.Equal(t, before, libraries(t))
	_, err := aoti.ReadInfo(filepath.Join(packages(t), "mlp.exported.pt2"))
	assert.ErrorIs(t, err, torch.ErrUnsupported)
}
