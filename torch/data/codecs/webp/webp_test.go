package webp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/webp"
	"github.com/gotorch/gotorch/torchtest"
)

// Every pixel is the same as in torchvision; see testdata/make_webp.py.
func TestDecode(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b, err := os.ReadFile("testdata/webp.json")
	require.NoError(t, err)
	var all map[string]map[data.ImageReadMode]struct {
		Shape  torch.Shape
		Pixels []byte
		Error  string
	}
	require.NoError(t, json.Unmarshal(b, &all))
	require.Len(t, all, 4)
	for name, modes := range all {
		for mode, want := range modes {
			x, err := data.ReadImage("testdata/"+name+".webp", data.Decoder(webp.Decode), mode)
			if mode == data.ImageReadModeGray || mode == data.ImageReadModeGrayAlpha {
				require.ErrorIs(t, err, torch.ErrFormat)
				require.ErrorContains(t, err, "WebP does not support mode "+string(mode))
				continue
			}
			require.NoError(t, err)
			require.Empty(t, want.Error)
			c := x.Contiguous()
			assert.Equal(t, want.Shape, x.Shape(), name)
			assert.True(t, bytes.Equal(want.Pixels, c.Uint8s()), "%s %s", name, mode)
			_, _ = x.Close(), c.Close()
		}
	}
}

func TestDamage(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good, err := os.ReadFile("testdata/lossy.webp")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		b    []byte
		opts []data.ImageOption
	}{
		"cut":       {good[:len(good)/2], nil},
		"header":    {good[:12], nil},
		"no pixels": {good[:30], nil},
		"large":     {good, []data.ImageOption{data.MaxPixels(700)}},
		"costly":    {good, []data.ImageOption{data.MaxPixels(pixelsOf(t, good))}},
		"no image":  {[]byte("RIFF"), nil},
	} {
		_, err := data.DecodeImage(c.b, append(c.opts, data.Decoder(webp.Decode))...)
		require.ErrorIs(t, err, torch.ErrFormat, name)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"lossy", "lossless", "clear", "clear_lossy"} {
		b, err := os.ReadFile("testdata/" + name + ".webp")
		require.NoError(f, err)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		defer torchtest.CheckLeaks(t)()
		for _, mode := range []data.ImageReadMode{data.ImageReadModeUnchanged, data.ImageReadModeRGBA} {
			if x, err := data.DecodeImage(b, data.Decoder(webp.Decode), mode, data.MaxPixels(1<<16)); err == nil {
				_ = x.Close()
			}
		}
	})
}

// pixelsOf returns the number of pixels of an image.
func pixelsOf(t *testing.T, b []byte) int64 {
	t.Helper()
	x, err := data.DecodeImage(b, data.Decoder(webp.Decode))
	require.NoError(t, err)
	defer x.Close()
	return x.Size(1) * x.Size(2)
}
