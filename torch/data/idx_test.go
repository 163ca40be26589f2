package data_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
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

// idx returns an IDX file with a type, the sizes of its dimensions, and its elements.
func idx(kind byte, dims []uint32, elements any) []byte {
	var b bytes.Buffer
	b.Write([]byte{0, 0, kind, byte(len(dims))})
	for _, part := range []any{dims, elements} {
		if err := binary.Write(&b, binary.BigEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func zipped(content []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(content)
	_ = z.Close()
	return b.Bytes()
}

func TestReadIDXOfEveryType(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, c := range []struct {
		kind     byte
		elements any
		dtype    torch.DType
	}{
		{0x08, []uint8{0, 1, 2, 127, 128, 255}, torch.Uint8},
		{0x09, []int8{0, 1, 2, 127, -128, -1}, torch.Int8},
		{0x0B, []int16{0, 1, 2, 32767, -32768, -1}, torch.Int16},
		{0x0C, []int32{0, 1, 2, 1 << 30, -1 << 31, -1}, torch.Int32},
		{0x0D, []float32{0, 1, -2.5, 3e38, 1e-40, -1}, torch.Float32},
		{0x0E, []float64{0, 1, -2.5, 3e300, 1e-310, -1}, torch.Float64},
	} {
		content := idx(c.kind, []uint32{2, 3}, c.elements)
		for _, file := range [][]byte{content, zipped(content)} {
			path := filepath.Join(t.TempDir(), "x")
			require.NoError(t, os.WriteFile(path, file, 0o600))
			x, err := data.ReadIDX(path)
			require.NoError(t, err)
			assert.Equal(t, c.dtype, x.DType)
			assert.Equal(t, torch.Shape{2, 3}, x.Shape)
			torch.Scope(func() {
				torchtest.AllClose(t, torch.FromSlice(c.elements, 2, 3), x.Tensor(), torchtest.RTol(0),
					torchtest.ATol(0))
			})
		}
	}
}

func TestReadIDXWithoutElements(t *testing.T) {
	x, err := data.DecodeIDX(bytes.NewReader(idx(8, []uint32{3, 0, 7}, []uint8{})), "empty")
	require.NoError(t, err)
	torch.Scope(func() { assert.Equal(t, torch.Shape{3, 0, 7}, x.Tensor().Shape()) })
}

func TestDamagedIDX(t *testing.T) {
	good := idx(8, []uint32{2, 3}, []uint8{1, 2, 3, 4, 5, 6})
	packed := zipped(good)
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-6] ^= 0xff // in the checksum
	for name, c := range map[string]struct {
		file []byte
		kind error
		says string
	}{
		"nothing":             {nil, torch.ErrTruncated, "ends in the magic number"},
		"half a magic number": {good[:3], torch.ErrTruncated, "ends in the magic number"},
		"half a header":       {good[:9], torch.ErrTruncated, "ends in dimension 1 of 2"},
		"a header alone":      {good[:12], torch.ErrTruncated, "0 bytes of data, but uint8 (2, 3) needs 6"},
		"an element too few":  {good[:17], torch.ErrTruncated, "5 bytes of data, but uint8 (2, 3) needs 6"},
		"an element too many": {append(bytes.Clone(good), 7), torch.ErrFormat, "extra data after the 6 bytes"},
		"text":                {[]byte("<!DOCTYPE html>"), torch.ErrFormat, "starts with 3c 21 44 4f"},
		"an unknown type":     {idx(0x0A, []uint32{1}, []uint8{1}), torch.ErrFormat, "starts with 00 00 0a 01"},
		"no dimensions":       {[]byte{0, 0, 8, 0, 1}, torch.ErrFormat, "0 dimensions"},
		"too many dimensions": {append([]byte{0, 0, 8, 65}, make([]byte, 400)...), torch.ErrFormat, "65 dimensions"},
		"a size beyond 64 bits": {
			idx(8, []uint32{1 << 31, 1 << 31, 4}, []uint8{}), torch.ErrFormat,
			"more than 64 bits can count",
		},
		"that times zero": {
			idx(8, []uint32{1 << 31, 1 << 31, 4, 0}, []uint8{}), torch.ErrFormat,
			"more than 64 bits can count",
		},
		"a size beyond any disk": {
			idx(14, []uint32{1 << 31, 1 << 28}, []uint8{1, 2, 3}), torch.ErrTruncated,
			"3 bytes of data",
		},
		"half a gzip header":    {packed[:5], torch.ErrTruncated, "ends in its gzip header"},
		"a gzip file cut short": {packed[:len(packed)-9], torch.ErrTruncated, "ends after"},
		"a wrong gzip header": {
			append([]byte{0x1f, 0x8b, 9}, make([]byte, 20)...), torch.ErrFormat,
			"damaged in its gzip header",
		},
		"a wrong gzip checksum":  {flipped, torch.ErrFormat, "damaged after 6 of 6 bytes of data"},
		"gzip of something else": {zipped([]byte("hello, world")), torch.ErrFormat, "starts with 68 65 6c 6c"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "images-idx3-ubyte")
			require.NoError(t, os.WriteFile(path, c.file, 0o600))
			_, err := data.ReadIDX(path)
			require.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, path)
			assert.ErrorContains(t, err, c.says)
			var fe *data.FileError
			require.ErrorAs(t, err, &fe)
			assert.Equal(t, path, fe.Path)
		})
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: "p", Err: errors.New("input/output error")}
}

func TestUnreadableIDX(t *testing.T) {
	_, err := data.ReadIDX(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "absent: cannot be opened")

	_, err = data.ReadIDX(t.TempDir())
	var fe *data.FileError
	require.ErrorAs(t, err, &fe)
	assert.ErrorContains(t, err, "expected a file, got a folder")

	_, err = data.DecodeIDX(io.MultiReader(bytes.NewReader(idx(8, []uint32{5}, []uint8{1})), failingReader{}), "disk")
	require.ErrorAs(t, err, &fe)
	assert.NotErrorIs(t, err, torch.ErrFormat)
	assert.EqualError(t, err, "data: disk: cannot be read after 1 of 5 bytes of data: input/output error")
}

// FuzzDecodeIDX checks that any input gives a complete *IDX or a *FileError.
func FuzzDecodeIDX(f *testing.F) {
	good := idx(8, []uint32{2, 3}, []uint8{1, 2, 3, 4, 5, 6})
	for _, seed := range [][]byte{
		nil, good, good[:13], zipped(good), zipped(good)[:15], append(bytes.Clone(good), 0),
		idx(0x0E, []uint32{1, 1}, []float64{1}), idx(8, []uint32{1 << 31, 1 << 31, 4, 0}, []uint8{}),
		idx(0x0D, []uint32{0xffffffff, 0xffffffff}, []uint8{}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		x, err := data.DecodeIDX(bytes.NewReader(content), "fuzz")
		if err != nil {
			var fe *data.FileError
			if !errors.As(err, &fe) || fe.Path != "fuzz" {
				t.Fatalf("no *FileError that names the file: %v", err)
			}
			return
		}
		if int64(len(x.Data)) != x.Shape.Numel()*x.DType.Size() {
			t.Fatalf("%d bytes for %v %v", len(x.Data), x.DType, x.Shape)
		}
		torch.Scope(func() {
			if got := x.Tensor(); !got.Shape().Equal(x.Shape) || got.DType() != x.DType {
				t.Fatalf("the tensor is %v %v, the file %v %v", got.DType(), got.Shape(), x.DType, x.Shape)
			}
		})
	})
}

// writeMNIST writes images and labels to a directory in the format of MNIST. half is the
// prefix of the file names, and n the number of images.
func writeMNIST(t *testing.T, dir, half string, n int, compress bool) {
	pixels, labels := make([]uint8, n*4*5), make([]uint8, n)
	for i := range pixels {
		pixels[i] = uint8(i)
	}
	for i := range labels {
		labels[i] = uint8(i % 10)
	}
	for name, content := range map[string][]byte{
		"images-idx3-ubyte": idx(8, []uint32{uint32(n), 4, 5}, pixels),
		"labels-idx1-ubyte": idx(8, []uint32{uint32(n)}, labels),
	} {
		path := filepath.Join(dir, half+"-"+name)
		if compress {
			path, content = path+".gz", zipped(content)
		}
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

func TestMNIST(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	writeMNIST(t, dir, "train", 12, true)
	writeMNIST(t, dir, "t10k", 3, false)
	for train, n := range map[bool]int{true: 12, false: 3} {
		var d *data.TensorDataset
		torch.Scope(func() {
			var err error
			d, err = data.MNIST(dir, data.Train(train))
			require.NoError(t, err)
		})
		assert.Equal(t, n, d.Len())
		// read the tensors in a different scope, because they must outlive the scope that
		// read the files
		torch.Scope(func() {
			e := d.Get(2)
			assert.Equal(t, torch.Shape{1, 4, 5}, e.Input.Shape())
			assert.Equal(t, uint8(41), e.Input.Uint8s()[1])
			assert.Equal(t, torch.Int64, e.Target.DType())
			assert.Equal(t, int64(2), e.Target.ItemInt())
		})
		require.NoError(t, d.Close())
	}
	assert.Len(t, data.FashionMNISTClasses, 10)
}

func TestMNISTFilesThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	_, err := data.MNIST(filepath.Join(dir, "nowhere"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "the folder does not exist")
	assert.ErrorContains(t, err, "scripts/get_fashion_mnist.sh")

	_, err = data.MNIST(dir)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "train-images-idx3-ubyte: does not exist, and neither does train-images-idx3-ubyte.gz")

	writeMNIST(t, dir, "train", 12, false)
	write := func(name string, content []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	write("train-labels-idx1-ubyte", idx(8, []uint32{11}, make([]uint8, 11)))
	_, err = data.MNIST(dir)
	assert.ErrorIs(t, err, torch.ErrMismatch)
	assert.ErrorContains(t, err, "got 11 labels for the 12 images in train-images-idx3-ubyte")

	write("train-labels-idx1-ubyte", idx(0x0C, []uint32{12}, make([]int32, 12)))
	_, err = data.MNIST(dir)
	assert.ErrorIs(t, err, torch.ErrMismatch)
	assert.ErrorContains(t, err, "holds int32 (12,), expected uint8 of 1 dimensions")

	write("train-images-idx3-ubyte", idx(8, []uint32{12}, make([]uint8, 12)))
	_, err = data.MNIST(dir)
	assert.ErrorIs(t, err, torch.ErrMismatch)

	write("train-images-idx3-ubyte", []byte{0, 0})
	_, err = data.MNIST(dir)
	assert.ErrorIs(t, err, torch.ErrTruncated)
}
