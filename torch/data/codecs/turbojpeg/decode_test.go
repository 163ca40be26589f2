package turbojpeg_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/turbojpeg"
	"github.com/gotorch/gotorch/torchtest"
)

// images is the directory testdata of package data, which has torchvision's results.
var images = filepath.Join("..", "..", "testdata")

type decoded struct {
	Error  string
	Shape  torch.Shape
	Pixels []byte
}

// Every pixel is the same as in torchvision. In mode RGB, it is also the same as in Pillow,
// which make_images.py checks.
func TestDecode(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(images, "images.json"))
	require.NoError(t, err)
	var all map[string]map[data.ImageReadMode]decoded
	require.NoError(t, json.Unmarshal(b, &all))
	count := 0
	for name, modes := range all {
		if !strings.HasSuffix(name, ".jpg") {
			continue
		}
		for mode, want := range modes {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				count++
				x, err := data.ReadImage(filepath.Join(images, "images", name), data.Decoder(turbojpeg.Decode), mode,
					data.ApplyEXIFOrientation(strings.HasPrefix(name, "turned")))
				if strings.Contains(want.Error, "mode is not supported") && err == nil {
					defer x.Close()
					checkAlpha(t, name, mode, x, modes)
					return
				}
				if want.Error != "" {
					require.ErrorIs(t, err, torch.ErrTruncated)
					require.ErrorContains(t, err,
						name+": not decoded: unexpected end of file: the image ends too early")
					return
				}
				require.NoError(t, err)
				defer x.Close()
				assert.Equal(t, want.Shape, x.Shape())
				assert.Equal(t, torch.Uint8, x.DType())
				assert.Equal(t, want.Pixels, pixels(x))
			})
		}
	}
	assert.Greater(t, count, 40)
}

// checkAlpha checks an image that was decoded with alpha, which torchvision does not
// support for JPEG. Alpha must be 255, and the colors must be the same as without alpha.
func checkAlpha(t *testing.T, name string, mode data.ImageReadMode, x *torch.Tensor,
	modes map[data.ImageReadMode]decoded,
) {
	plain := modes[data.ImageReadModeRGB]
	if mode == data.ImageReadModeGrayAlpha {
		plain = modes[data.ImageReadModeGray]
	}
	got, n := pixels(x), len(plain.Pixels)
	require.Greater(t, len(got), n, name)
	assert.Equal(t, plain.Pixels, got[:n], name)
	assert.Equal(t, bytes.Repeat([]byte{255}, len(got)-n), got[n:], name)
}

func pixels(x *torch.Tensor) []byte {
	c := x.Contiguous()
	defer c.Close()
	return c.Uint8s()
}

func read(t testing.TB, name string) []byte {
	b, err := os.ReadFile(filepath.Join(images, "images", name))
	require.NoError(t, err)
	return b
}

func TestOtherFormats(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x, err := data.DecodeImage(read(t, "rgba.png"), data.Decoder(turbojpeg.Decode), data.ImageReadModeRGB)
	require.NoError(t, err)
	defer x.Close()
	assert.Equal(t, torch.Shape{3, 7, 11}, x.Shape())
	_, err = data.DecodeImage([]byte("nothing"), data.Decoder(turbojpeg.Decode))
	require.ErrorIs(t, err, torch.ErrFormat)
}

// sized returns a copy of the image b whose header claims the given size.
func sized(b []byte, height, width uint16) []byte {
	b = bytes.Clone(b)
	frame := bytes.Index(b, []byte{0xff, 0xc0}) // baseline
	binary.BigEndian.PutUint16(b[frame+5:], height)
	binary.BigEndian.PutUint16(b[frame+7:], width)
	return b
}

func TestDamage(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good := read(t, "420.jpg")
	for name, c := range map[string]struct {
		b    []byte
		kind error
		text string
	}{
		"no size":   {sized(good, 0, 0), torch.ErrFormat, "Empty JPEG image"},
		"no height": {sized(good, 0, 37), torch.ErrFormat, "Empty JPEG image"},
		"a bomb":    {sized(good, 65535, 65535), torch.ErrFormat, "Maximum supported image dimension is 65500 pixels"},
		"too large": {
			sized(good, 65000, 65000), torch.ErrFormat,
			"the image has 65000 x 65000 pixels, more than the 178956970 that MaxPixels allows",
		},
		"two bytes": {good[:2], torch.ErrTruncated, ""},
		"twice SOI": {append([]byte{0xff, 0xd8}, good...), torch.ErrFormat, "two SOI markers"},
		"no tables": {
			append(good[:2:2], good[bytes.Index(good, []byte{0xff, 0xc0}):]...), torch.ErrFormat,
			"Quantization table 0x00 was not defined",
		},
		"one byte":   {good[:len(good)-1], torch.ErrTruncated, ""},
		"many scans": {manyScans(t), torch.ErrFormat, "more than 500 scans"},
	} {
		_, err := data.DecodeImage(c.b, data.Decoder(turbojpeg.Decode))
		require.ErrorIs(t, err, c.kind, name)
		assert.ErrorContains(t, err, c.text, name)
	}
}

// manyScans returns a progressive image whose last scan is repeated 600 times.
func manyScans(t *testing.T) []byte {
	b := read(t, "progressive.jpg")
	last := bytes.LastIndex(b, []byte{0xff, 0xda})
	scan, out := b[last:len(b)-2], b[:len(b)-2:len(b)-2]
	for range 600 {
		out = append(out, scan...)
	}
	return append(out, 0xff, 0xd9)
}

func TestDecodeInParallel(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good, bad := read(t, "420.jpg"), read(t, "truncated.jpg")
	x, err := data.DecodeImage(good, data.Decoder(turbojpeg.Decode))
	require.NoError(t, err)
	want := pixels(x)
	_ = x.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				x, err := data.DecodeImage(good, data.Decoder(turbojpeg.Decode))
				if assert.NoError(t, err) {
					assert.Equal(t, want, pixels(x))
					_ = x.Close()
				}
				_, err = data.DecodeImage(bad, data.Decoder(turbojpeg.Decode))
				assert.ErrorIs(t, err, torch.ErrTruncated)
			}
		})
	}
	all.Wait()
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{
		"420.jpg", "cmyk.jpg", "progressive.jpg", "gray.jpg", "optimized.jpg", "damaged.jpg",
		"truncated.jpg", "turned6.jpg",
	} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		defer torchtest.CheckLeaks(t)()
		for _, mode := range []data.ImageReadMode{
			data.ImageReadModeUnchanged, data.ImageReadModeGray,
			data.ImageReadModeRGBA,
		} {
			x, err := data.DecodeImage(b, data.Decoder(turbojpeg.Decode), mode, data.ApplyEXIFOrientation(true),
				data.MaxPixels(1<<16))
			if err == nil {
				_ = x.Close()
			}
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	file := read(b, "420.jpg")
	for b.Loop() {
		x, err := turbojpeg.Decode(file,
			data.ImageSettings{Mode: data.ImageReadModeRGB, MaxPixels: data.DefaultMaxPixels})
		if err != nil {
			b.Fatal(err)
		}
		_ = x.Close()
	}
}

// The memory for the coefficients of a progressive image counts as well.
func TestMemoryOfProgressiveImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	b, err := os.ReadFile(filepath.Join(images, "progressive.jpg")) // of 1000 x 1000 pixels
	require.NoError(t, err)
	sof := bytes.Index(b, []byte{0xff, 0xc2})
	require.Positive(t, sof)
	require.Equal(t, byte(0x22), b[sof+11])
	b[sof+11] = 0x11 // as many coefficients of each color, which makes 6 bytes a pixel
	const pixels = 1000 * 1000
	first := bytes.Index(b, []byte{0xff, 0xda})
	second := first + 2 + bytes.Index(b[first+2:], []byte{0xff, 0xda})
	one := append(bytes.Clone(b[:second]), 0xff, 0xd9) // few scans, which count as well
	_, err = data.DecodeImage(one, data.Decoder(turbojpeg.Decode), data.MaxPixels(pixels))
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "decoding takes more memory than MaxPixels allows")
	b[sof+11] = 0x22
	x, err := data.DecodeImage(b, data.Decoder(turbojpeg.Decode), data.MaxPixels(pixels))
	require.NoError(t, err)
	require.NoError(t, x.Close())
}
