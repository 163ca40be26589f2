package turbojpeg_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/turbojpeg"
	"github.com/gotorch/gotorch/torchtest"
)

// Encode writes the same bytes as torchvision.
func TestEncode(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b, err := os.ReadFile(filepath.Join(images, "encoded.json"))
	require.NoError(t, err)
	var all struct {
		Images []struct {
			Shape        torch.Shape
			Quality      int
			Pixels, JPEG []byte
		}
	}
	require.NoError(t, json.Unmarshal(b, &all))
	require.NotEmpty(t, all.Images)
	var wait sync.WaitGroup
	for _, c := range all.Images {
		for range 4 {
			wait.Go(func() {
				x := torch.FromSliceWith(c.Pixels, c.Shape, torch.CPU)
				defer x.Close()
				assert.Equal(t, c.JPEG, data.EncodeJPEG(x, data.Quality(c.Quality), data.Encoder(turbojpeg.Encode)),
					"%v", c.Shape)
			})
		}
	}
	wait.Wait()
}

func TestEncodeMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		bytes, height, width, channels, quality int
		text                                    string
	}{
		"channels":      {8, 2, 2, 2, 75, "channels: expected 1 or 3, got 2"},
		"quality":       {4, 2, 2, 1, 101, "quality: expected 1 to 100, got 101"},
		"few bytes":     {11, 2, 2, 3, 75, "pixels: 11 bytes do not fit 2 x 2 pixels of 3 channels"},
		"no pixels":     {0, 0, 2, 3, 75, "pixels: 0 bytes"},
		"many a side":   {65536, 1, 65536, 1, 75, "pixels: 65536 bytes"},
		"the library's": {65535, 65535, 1, 1, 75, "Maximum supported image dimension is 65500 pixels"},
	} {
		_, err := turbojpeg.Encode(make([]byte, c.bytes), c.height, c.width, c.channels, c.quality)
		require.ErrorContains(t, err, c.text, name)
		if name != "the library's" {
			require.ErrorIs(t, err, torch.ErrValue, name)
		}
	}
}
