package data_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// encoded holds data that torchvision and NumPy wrote; see testdata/make_encoded.py.
type encoded struct {
	Images []struct {
		Shape        torch.Shape
		Quality      int
		Pixels, JPEG []byte
	}
	Arrays map[string]struct {
		File    []byte
		Shape   torch.Shape
		DType   string
		Real    []float64
		Imag    []float64
		Refused any
	}
	Fake struct {
		Text     string
		Examples []struct {
			Pixels []byte
			Label  int64
		}
	}
}

func loadEncoded(t testing.TB) (e encoded) {
	b, err := os.ReadFile("testdata/encoded.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &e))
	return e
}

func TestEncodeImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	for _, c := range loadEncoded(t).Images {
		torch.Scope(func() {
			x := torch.FromSliceWith(c.Pixels, c.Shape, torch.CPU)
			for level := range 10 {
				got, err := data.DecodeImage(data.EncodePNG(x, data.CompressionLevel(level)))
				require.NoError(t, err)
				assert.True(t, x.Equal(got), "level %d", level)
			}
			path := filepath.Join(dir, "image.png")
			require.NoError(t, data.WritePNG(x.Transpose(1, 2).Contiguous().Transpose(1, 2), path)) // other strides
			got, err := data.ReadImage(path)
			require.NoError(t, err)
			assert.True(t, x.Equal(got))

			// The JPEG of package image/jpeg is close to libjpeg's JPEG of the same
			// quality.
			near, err := data.DecodeImage(c.JPEG)
			require.NoError(t, err)
			path = filepath.Join(dir, "image.jpg")
			require.NoError(t, data.WriteJPEG(x, path, data.Quality(c.Quality)))
			got, err = data.ReadImage(path)
			require.NoError(t, err)
			require.Equal(t, c.Shape, got.Shape())
			assert.LessOrEqual(t, got.To(torch.Float32).Sub(near.To(torch.Float32)).Abs().Mean().Item(), 3.0)
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, data.EncodeJPEG(x, data.Quality(c.Quality), data.Encoder(nil)), b)
		})
	}
	torch.Scope(func() {
		gray := torch.FromSliceWith([]uint8{1, 2, 3, 4, 5, 6}, torch.Shape{2, 3}, torch.CPU)
		got, err := data.DecodeImage(data.EncodePNG(gray))
		require.NoError(t, err)
		assert.Equal(t, torch.Shape{1, 2, 3}, got.Shape())
		assert.Equal(t, gray.Uint8s(), got.Uint8s())
		size := func(level int) int {
			return len(data.EncodePNG(torch.Zeros(torch.Shape{64, 64}, torch.Uint8), data.CompressionLevel(level)))
		}
		assert.Greater(t, size(0), size(9))
	})
}

func TestEncodeMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		ok, closed := torch.Zeros(torch.Shape{3, 4, 5}, torch.Uint8), torch.Zeros(torch.Shape{3, 4, 5}, torch.Uint8)
		require.NoError(t, closed.Close())
		for name, c := range map[string]struct {
			kind error
			text string
			fn   func()
		}{
			"numbers": {torch.ErrDType, "data.EncodePNG", func() {
				data.EncodePNG(torch.Zeros(torch.Shape{3, 4, 5}))
			}},
			"two channels": {torch.ErrShape, "expected 1 or 3 channels", func() {
				data.EncodeJPEG(torch.Zeros(torch.Shape{2, 4, 5}, torch.Uint8))
			}},
			"no pixels": {torch.ErrShape, "(3, 0, 5)", func() {
				_ = data.WritePNG(torch.Zeros(torch.Shape{3, 0, 5}, torch.Uint8), "x")
			}},
			"a vector": {torch.ErrShape, "(3,)", func() {
				_ = data.WriteJPEG(torch.Zeros(torch.Shape{3}, torch.Uint8), "x")
			}},
			"level": {torch.ErrValue, "CompressionLevel: expected 0 to 9, got 10", func() {
				data.EncodePNG(ok, data.CompressionLevel(10))
			}},
			"quality": {torch.ErrValue, "Quality: expected 1 to 100, got 0", func() {
				data.EncodeJPEG(ok, data.Quality(0))
			}},
			"nil option": {torch.ErrNil, "data.EncodePNG", func() { data.EncodePNG(ok, nil) }},
			"nil tensor": {torch.ErrNil, "data.EncodePNG: argument x", func() { data.EncodePNG(nil) }},
			"closed":     {torch.ErrClosed, "data.WriteJPEG: argument x", func() { _ = data.WriteJPEG(closed, "x") }},
			"too wide": {torch.ErrValue, "a JPEG has at most 65535", func() {
				data.EncodeJPEG(torch.Zeros(torch.Shape{1, 1, 65536}, torch.Uint8))
			}},
			"encoder": {fs.ErrInvalid, "data.EncodeJPEG", func() {
				data.EncodeJPEG(ok, data.Encoder(func([]byte, int, int, int, int) ([]byte, error) {
					return nil, fs.ErrInvalid
				}))
			}},
		} {
			err := torch.Try(c.fn)
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.text, name)
		}
		err := data.WritePNG(ok, filepath.Join(t.TempDir(), "no", "where.png"))
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, "cannot be written")
	})
}

// A .npy file in a WebDataset becomes a tensor with the same dtype, shape and numbers as in
// NumPy.
func TestNumPyFields(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, c := range loadEncoded(t).Arrays {
		torch.Scope(func() {
			set, err := data.NewWebDataset([]string{"a.tar"}, data.Fields{"npy"},
				inMemory(map[string][]byte{"a.tar": tarred("0.npy", string(c.File))}))
			require.NoError(t, err)
			count := 0
			err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
				count++
				assert.Equal(t, c.DType, e.Input.DType().String(), name)
				assert.Equal(t, c.Shape, e.Input.Shape(), name)
				assert.True(t, e.Input.IsContiguous(), name)
				x := e.Input.To(torch.Complex128).ViewAsReal().Reshape(-1, 2)
				assert.Equal(t, c.Real, x.Select(1, 0).Float64s(), name)
				assert.Equal(t, c.Imag, x.Select(1, 1).Float64s(), name)
				return true
			})
			if c.Refused != nil {
				require.ErrorIs(t, err, torch.ErrFormat, name)
				assert.ErrorContains(t, err, `a.tar: sample "0": field "npy": npy: byte 0: `, name)
				return
			}
			require.NoError(t, err, name)
			assert.Equal(t, 1, count, name)
			set, err = data.NewWebDataset([]string{"a.tar"}, data.Fields{"npy"},
				inMemory(map[string][]byte{"a.tar": tarred("0.npy", string(c.File[:len(c.File)-1]))}))
			require.NoError(t, err)
			err = set.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true })
			if name != "nothing" {
				require.ErrorIs(t, err, torch.ErrTruncated, name)
			}
		})
	}
}

// npyFile returns a NumPy file with the given header and eight bytes of data.
func npyFile(descr, fortran, shape string) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, fortran, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), 0}) + header + "\x01\x02\x03\x04\x05\x06\x07\x08"
}

// An empty array keeps its shape, in C order and in Fortran order. If no tensor can have
// the shape, reading it is an error.
func TestEmptyNumPyFields(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, c := range []struct {
		order, dims string
		want        torch.Shape // nil for an error
	}{
		{"False", "(0, 3)", torch.Shape{0, 3}},
		{"True", "(0, 3)", torch.Shape{0, 3}},
		{"True", "(2, 0, 3)", torch.Shape{2, 0, 3}},
		{"False", "(0, 9223372036854775807, 9223372036854775807)", nil},
		{"True", "(0, 9223372036854775807, 9223372036854775807)", nil},
	} {
		torch.Scope(func() {
			file := tarred("0.npy", npyFile("<f4", c.order, c.dims))
			set, err := data.NewWebDataset([]string{"a.tar"}, data.Fields{"npy"},
				inMemory(map[string][]byte{"a.tar": file}))
			require.NoError(t, err)
			var got torch.Shape
			err = set.Iterate(data.WorkerInfo{}, func(e data.Example) bool {
				got = e.Input.Shape()
				return true
			})
			if c.want == nil {
				require.ErrorIs(t, err, torch.ErrFormat)
				assert.ErrorContains(t, err, c.dims)
				assert.ErrorContains(t, err, "a.tar")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got, "%+v", c)
		})
	}
}

func TestFakeData(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	want := loadEncoded(t).Fake
	set := data.NewFakeData(5, torch.Shape{3, 5, 7}, 10, data.RandomOffset(2))
	assert.Equal(t, want.Text, set.String())
	require.Equal(t, 5, set.Len())
	for i, e := range want.Examples {
		torch.Scope(func() {
			torch.ManualSeed(4)
			before := torch.InitialSeed()
			got := set.Get(i)
			assert.Equal(t, before, torch.InitialSeed())
			assert.Equal(t, e.Label, got.Target.ItemInt())
			assert.Empty(t, got.Target.Shape())
			assert.Equal(t, torch.Shape{3, 5, 7}, got.Input.Shape())
			pixels := got.Input.Uint8s()
			require.Len(t, pixels, len(e.Pixels))
			for k, v := range pixels { // on another processor, the noise may differ in the last bit
				assert.Contains(t, []uint8{0, 1, 255}, v-e.Pixels[k], "image %d, byte %d", i, k)
			}
		})
	}
	assert.Equal(t, "FakeData(nil)", (*data.FakeData)(nil).String())
	for name, c := range map[string]struct {
		kind error
		fn   func()
	}{
		"size":     {torch.ErrValue, func() { data.NewFakeData(-1, torch.Shape{3, 5, 7}, 10) }},
		"shape":    {torch.ErrShape, func() { data.NewFakeData(1, torch.Shape{5, 7}, 10) }},
		"channels": {torch.ErrValue, func() { data.NewFakeData(1, torch.Shape{2, 5, 7}, 10) }},
		"classes":  {torch.ErrValue, func() { data.NewFakeData(1, torch.Shape{3, 5, 7}, 0) }},
		"index":    {torch.ErrIndex, func() { set.Get(5) }},
		"nil":      {torch.ErrNil, func() { (*data.FakeData)(nil).Get(0) }},
	} {
		require.ErrorIs(t, torch.Try(c.fn), c.kind, name)
	}
}

// cifarFile returns a CIFAR file of n images, numbered from first. Each byte of an image
// is the image's number.
func cifarFile(labels, first, n int) []byte {
	var b bytes.Buffer
	for i := first; i < first+n; i++ {
		for k := range labels {
			b.WriteByte(byte(i%10 + 20*k))
		}
		b.Write(bytes.Repeat([]byte{byte(i)}, 3072))
	}
	return b.Bytes()
}

// writeCIFAR writes files in the formats of CIFAR-10 and CIFAR-100 to a new directory.
func writeCIFAR(t *testing.T) string {
	dir := t.TempDir()
	write := func(name string, b []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600)) }
	for i := range 5 {
		write(fmt.Sprintf("data_batch_%d.bin", i+1), cifarFile(1, 3*i, 3))
	}
	write("test_batch.bin", cifarFile(1, 50, 2))
	write("train.bin", cifarFile(2, 0, 7))
	write("test.bin", cifarFile(2, 70, 4))
	return dir
}

func TestCIFAR(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	_, err := data.CIFAR10(t.TempDir())
	require.ErrorIs(t, err, fs.ErrNotExist)
	dir := writeCIFAR(t)
	for name, c := range map[string]struct {
		read         func() (*data.TensorDataset, error)
		n            int
		pixel, label int64 // of the last image
	}{
		"10":       {func() (*data.TensorDataset, error) { return data.CIFAR10(dir) }, 15, 14, 4},
		"10 test":  {func() (*data.TensorDataset, error) { return data.CIFAR10(dir, data.Train(false)) }, 2, 51, 1},
		"100":      {func() (*data.TensorDataset, error) { return data.CIFAR100(dir, data.Train(true)) }, 7, 6, 26},
		"100 test": {func() (*data.TensorDataset, error) { return data.CIFAR100(dir, data.Train(false)) }, 4, 73, 23},
	} {
		set, err := c.read()
		require.NoError(t, err, name)
		require.Equal(t, c.n, set.Len(), name)
		torch.Scope(func() {
			e := set.Get(c.n - 1)
			assert.Equal(t, torch.Shape{3, 32, 32}, e.Input.Shape())
			assert.Equal(t, torch.Uint8, e.Input.DType())
			assert.Equal(t, uint8(c.pixel), e.Input.Uint8s()[3071], name)
			assert.Equal(t, c.label, e.Target.ItemInt(), name)
		})
		require.NoError(t, set.Close())
	}
	write := func(name string, b []byte) { require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600)) }
	write("data_batch_3.bin", cifarFile(1, 0, 1)[:3000])
	_, err = data.CIFAR10(dir)
	require.ErrorIs(t, err, torch.ErrTruncated)
	require.ErrorContains(t, err,
		"data_batch_3.bin: the file has 3000 bytes, expected a multiple of the 3073 bytes of an image")
	write("test.bin", append([]byte{0, 100}, make([]byte, 3072)...))
	_, err = data.CIFAR100(dir, data.Train(false))
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "label 100 of image 0 is too large, expected less than 100")
	assert.Len(t, data.CIFAR10Classes, 10)
}
