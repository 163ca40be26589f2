package data_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// decoded is torchvision's result for an image; see testdata/make_images.py.
type decoded struct {
	Error  string
	Shape  torch.Shape
	DType  string
	Pixels []byte
}

func loadImages(t testing.TB) map[string]map[data.ImageReadMode]decoded {
	b, err := os.ReadFile("testdata/images.json")
	require.NoError(t, err)
	var images map[string]map[data.ImageReadMode]decoded
	require.NoError(t, json.Unmarshal(b, &images))
	return images
}

// pixels returns the elements of x as bytes. A uint16 element becomes two bytes, in
// little-endian order.
func pixels(x *torch.Tensor) []byte {
	if x.DType() == torch.Uint8 {
		return x.Contiguous().Uint8s()
	}
	var out []byte
	for _, v := range x.Contiguous().To(torch.Int32).Int32s() {
		out = append(out, byte(v), byte(v>>8))
	}
	return out
}

func TestDecodeImage(t *testing.T) {
	for name, modes := range loadImages(t) {
		for mode, want := range modes {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				torch.Scope(func() {
					path := filepath.Join("testdata", "images", name)
					x, err := data.ReadImage(path, mode, data.ApplyEXIFOrientation(strings.HasPrefix(name, "turned")))
					switch {
					// torchvision does not support modes with alpha for this format.
					case strings.Contains(want.Error, "mode is not supported") && err == nil:
						assert.Contains(t, []int64{2, 4}, x.Shape()[0])
						assert.EqualValues(t, 255, x.Select(0, -1).Min().Item())
						return
					case want.Error != "":
						require.ErrorIs(t, err, torch.ErrTruncated)
						require.ErrorContains(t, err, path)
						return
					}
					require.NoError(t, err)
					assert.Equal(t, want.Shape, x.Shape())
					assert.Equal(t, want.DType, x.DType().String())
					got := pixels(x)
					require.Len(t, got, len(want.Pixels))
					// Package image/jpeg uses different arithmetic from libjpeg's, and
					// upsamples chroma without a filter.
					if strings.HasSuffix(name, ".jpg") {
						if name == "damaged.jpg" {
							return // libjpeg decodes damaged parts to different pixels
						}
						torchtest.AllClose(t, torch.FromSlice(want.Pixels).To(torch.Float32),
							torch.FromSlice(got).To(torch.Float32), torchtest.ATol(64))
						mean := torch.FromSlice(want.Pixels).To(torch.Float32).
							Sub(torch.FromSlice(got).To(torch.Float32)).Abs().Mean().Item()
						assert.Less(t, mean, 6.0)
						return
					}
					assert.Equal(t, want.Pixels, got)
				})
			})
		}
	}
}

// The memory layout of an image is (height, width, channels), as in torchvision.
func TestImageStrides(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x, err := data.ReadImage("testdata/images/rgb.png")
	require.NoError(t, err)
	defer x.Close()
	assert.Equal(t, []int64{1, 33, 3}, x.Stride())
}

// Images of each type in package image, and of a type in another package, are converted
// correctly.
func TestImageTypes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	at := image.Rect(2, 3, 5, 5) // an image that does not begin at the origin
	fill := func(set func(x, y int, c color.Color)) {
		for y := at.Min.Y; y < at.Max.Y; y++ {
			for x := at.Min.X; x < at.Max.X; x++ {
				set(x, y, color.NRGBA{uint8(40 * x), uint8(30 * y), 9, 255})
			}
		}
	}
	rgba, nrgba, deep := image.NewRGBA(at), image.NewNRGBA(at), image.NewRGBA64(at)
	fill(rgba.Set)
	fill(nrgba.Set)
	fill(deep.Set)
	faint := image.NewRGBA(at)
	fill(func(x, y int, _ color.Color) { faint.Set(x, y, color.NRGBA{200, 100, 50, 51}) })
	for name, c := range map[string]struct {
		img  image.Image
		mode data.ImageReadMode
		want []byte // the values of the first two pixels
	}{
		"RGBA":     {rgba, data.ImageReadModeUnchanged, []byte{80, 90, 9, 120, 90, 9}},
		"NRGBA":    {nrgba, data.ImageReadModeRGB, []byte{80, 90, 9, 120, 90, 9}},
		"faint":    {faint, data.ImageReadModeRGBA, []byte{200, 100, 50, 51, 200, 100, 50, 51}},
		"unknown":  {struct{ image.Image }{nrgba}, data.ImageReadModeRGB, []byte{80, 90, 9, 120, 90, 9}},
		"gray of":  {nrgba, data.ImageReadModeGray, []byte{77, 89}},
		"deep RGB": {deep, data.ImageReadModeRGB, []byte{80, 80, 90, 90, 9, 9, 120, 120, 90, 90, 9, 9}},
	} {
		given = c.img
		torch.Scope(func() {
			x, err := data.DecodeImage([]byte("TEST"), c.mode)
			require.NoError(t, err, name)
			assert.Equal(t, c.want, pixels(x.Permute(1, 2, 0))[:len(c.want)], name)
		})
	}
	given = nil
}

// given is the image that the decoder of the format TEST returns.
var given image.Image

func init() {
	image.RegisterFormat("test", "TEST",
		func(io.Reader) (image.Image, error) { return given, nil },
		func(io.Reader) (image.Config, error) {
			return image.Config{Width: 3, Height: 2}, nil
		})
}

func TestImagesThatCannotBeRead(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	good, err := os.ReadFile("testdata/images/rgb.png")
	require.NoError(t, err)
	empty := filepath.Join(t.TempDir(), "empty.png")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	huge := bytes.Clone(good) // the header claims 2^31-1 x 2^31-1 pixels
	copy(huge[16:], "\x7f\xff\xff\xff\x7f\xff\xff\xff")
	bad := func([]byte, data.ImageSettings) (*torch.Tensor, error) {
		torch.Ones(torch.Shape{3}) // ReadImage must free this tensor
		return nil, io.ErrUnexpectedEOF
	}
	for name, c := range map[string]struct {
		kind error
		text string
		read func() (*torch.Tensor, error)
	}{
		"not there": {fs.ErrNotExist, "no.png: cannot be opened", func() (*torch.Tensor, error) {
			return data.ReadImage("no.png")
		}},
		"a folder": {nil, "testdata: expected a file, got a folder", func() (*torch.Tensor, error) {
			return data.ReadImage("testdata")
		}},
		"empty": {torch.ErrTruncated, empty + ": empty", func() (*torch.Tensor, error) {
			return data.ReadImage(empty)
		}},
		"no bytes": {torch.ErrTruncated, "image: empty", func() (*torch.Tensor, error) {
			return data.DecodeImage(nil)
		}},
		"no image": {torch.ErrFormat, "import the format's package", func() (*torch.Tensor, error) {
			return data.DecodeImage([]byte("GIF"))
		}},
		"a bomb": {torch.ErrFormat, "image: not decoded: ", func() (*torch.Tensor, error) {
			return data.DecodeImage(huge)
		}},
		"too large": {
			torch.ErrFormat, "11 x 7 pixels, more than the 76 that MaxPixels allows",
			func() (*torch.Tensor, error) {
				return data.DecodeImage(good, data.MaxPixels(76))
			},
		},
		"no reader": {
			torch.ErrNil, "mine: cannot be read: torch: data.ReadImageFrom: argument r: a nil reader",
			func() (*torch.Tensor, error) {
				return data.ReadImageFrom(nil, "mine")
			},
		},
		"a bad reader": {iotest.ErrTimeout, "mine: cannot be read after 1 bytes", func() (*torch.Tensor, error) {
			return data.ReadImageFrom(iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(good))), "mine")
		}},
		"a decoder's": {torch.ErrTruncated, "image: not decoded: unexpected EOF", func() (*torch.Tensor, error) {
			return data.DecodeImage(good, data.Decoder(bad))
		}},
		"nothing": {torch.ErrFormat, "the decoder returned no tensor", func() (*torch.Tensor, error) {
			return data.DecodeImage(good, data.Decoder(func([]byte, data.ImageSettings) (*torch.Tensor, error) {
				return nil, nil
			}))
		}},
		"a named error": {torch.ErrMismatch, "image: of another kind", func() (*torch.Tensor, error) {
			return data.DecodeImage(good, data.Decoder(func([]byte, data.ImageSettings) (*torch.Tensor, error) {
				return nil, &data.FileError{Kind: torch.ErrMismatch, Detail: "of another kind"}
			}))
		}},
	} {
		x, err := c.read()
		assert.Nil(t, x, name)
		var fe *data.FileError
		require.ErrorAs(t, err, &fe, name)
		if c.kind != nil {
			require.ErrorIs(t, err, c.kind, name)
		}
		assert.ErrorContains(t, err, c.text, name)
	}
}

// If the program imports package image/gif, an animated GIF is decoded to its first frame.
func TestRegisteredFormats(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	img := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.Black, color.White})
	img.SetColorIndex(1, 0, 1)
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, img, nil))
	x, err := data.ReadImageFrom(&b, "a.gif", data.ImageReadModeRGB)
	require.NoError(t, err)
	defer x.Close()
	assert.Equal(t, []uint8{0, 255, 0, 255, 0, 255}, x.Contiguous().Uint8s())
}

// imageValues returns, for each option for reading images, values that have an effect on a
// rotated gray PNG.
func imageValues() []optiontest.Pair {
	ones := func([]byte, data.ImageSettings) (*torch.Tensor, error) {
		return torch.Ones(torch.Shape{1, 2, 2}, torch.Uint8), nil
	}
	return []optiontest.Pair{
		optiontest.Values(data.ImageReadModeRGB, data.ImageReadModeGrayAlpha),
		optiontest.Values(data.ApplyEXIFOrientation(true), data.ApplyEXIFOrientation(false)),
		optiontest.Values(data.Decoder(ones), data.Decoder(nil)),
		optiontest.Values(data.MaxPixels(1000), data.MaxPixels(1)),
		optiontest.Refused(data.ImageReadMode("CMYK")),
		optiontest.Refused(data.MaxPixels(0)),
	}
}

// seen describes an image that was read or, if err is not nil, the error.
func seen(x *torch.Tensor, err error) string {
	if err != nil {
		return err.Error()
	}
	defer x.Close()
	return x.String()
}

func imageRows() map[string]optiontest.Row {
	const path = "testdata/images/turned6.png"
	row := func(read func(opts []data.ImageOption) (*torch.Tensor, error)) optiontest.Row {
		return optiontest.For(func(opts ...data.ImageOption) optiontest.Outcome {
			var text string
			torch.Scope(func() { text = seen(read(opts)) })
			return optiontest.Outcome{"image": text}
		}, imageValues()...)
	}
	return map[string]optiontest.Row{
		"ReadImage": row(func(opts []data.ImageOption) (*torch.Tensor, error) { return data.ReadImage(path, opts...) }),
		"ReadImageFrom": row(func(opts []data.ImageOption) (*torch.Tensor, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return data.ReadImageFrom(f, path, opts...)
		}),
		"DecodeImage": row(func(opts []data.ImageOption) (*torch.Tensor, error) {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			return data.DecodeImage(b, opts...)
		}),
	}
}

func FuzzDecodeImage(f *testing.F) {
	for _, name := range []string{"rgb.png", "gray16.png", "palette.png", "420.jpg", "turned6.jpg", "turned6.png"} {
		b, err := os.ReadFile(filepath.Join("testdata", "images", name))
		require.NoError(f, err)
		f.Add(b)
	}
	var b bytes.Buffer
	require.NoError(f, png.Encode(&b, image.NewNRGBA64(image.Rect(0, 0, 3, 2))))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.HasPrefix(b, []byte("TEST")) {
			return
		}
		defer torchtest.CheckLeaks(t)()
		for _, mode := range []data.ImageReadMode{
			data.ImageReadModeUnchanged, data.ImageReadModeGray,
			data.ImageReadModeRGBA,
		} {
			x, err := data.DecodeImage(b, mode, data.ApplyEXIFOrientation(true), data.MaxPixels(1<<16))
			if err == nil {
				assert.EqualValues(t, 3, x.Dim())
				_ = x.Close()
			}
		}
	})
}
