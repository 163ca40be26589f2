package data_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// repeated returns a reader of start, followed by n copies of text.
func repeated(start, text string, n int) io.Reader {
	block := strings.Repeat(text, 1<<12)
	readers := []io.Reader{strings.NewReader(start)}
	for range n >> 12 {
		readers = append(readers, strings.NewReader(block))
	}
	return io.MultiReader(readers...)
}

// packed writes the contents of a reader to a compressed file.
func packed(t *testing.T, name string, r io.Reader) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	require.NoError(t, err)
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	require.NoError(t, err)
	_, err = io.Copy(z, r)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
	return path
}

// Reading a small file that decompresses to a large one takes no more memory than the limits
// allow.
func TestCSVBombs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib = 1 << 20
	for name, c := range map[string]struct {
		content io.Reader
		opts    []data.CSVOption
		most    int64
		text    string
	}{
		"a long field": {
			repeated("a\n", "1", 64*mib), nil, 160 * mib,
			"after line 1: the row has more than the 16777216 bytes that MaxRowBytes allows",
		},
		"a quote":       {repeated("a\n\"", "1\n", 64*mib), nil, 160 * mib, "MaxRowBytes"},
		"a long header": {repeated("", "a", 64*mib), nil, 160 * mib, "after line 0: the row has more than"},
		"many fields":   {repeated("a\n", ",", 64*mib), nil, 160 * mib, "MaxRowBytes"},
		"many names":    {repeated("", "a,", 64*mib), nil, 160 * mib, "MaxRowBytes"},
		"fields of a tab": {
			repeated("a\n", "\t", 64*mib),
			[]data.CSVOption{data.Sep('\t'), data.MaxRowBytes(mib)},
			16 * mib, "more than the 1048576 bytes",
		},
		"fields of a symbol": {
			repeated("a\n", "é", 64*mib),
			[]data.CSVOption{data.Sep('é'), data.MaxRowBytes(mib)},
			16 * mib, "more than the 1048576 bytes",
		},
		"many rows": {
			repeated("a,b\n", "1,2\n", 16*mib),
			[]data.CSVOption{data.MemoryLimit(8 * mib)},
			64 * mib,
			"line 524290: the table takes more than the 8388608 bytes that MemoryLimit allows",
		},
		"long words": {
			strings.NewReader("a\n" + strings.Repeat("w", 1000) + "\n"),
			[]data.CSVOption{data.Categories{"a": nil}, data.MemoryLimit(1000)},
			mib,
			"line 2, column 1, field \"a\": the table takes more than the 1000 bytes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := packed(t, "a.csv.gz", c.content)
			filetest.Costs(t, c.most, func() {
				_, err := data.ReadCSV(path, c.opts...)
				require.ErrorIs(t, err, torch.ErrFormat)
				assert.ErrorContains(t, err, c.text)
				assert.Less(t, len(err.Error()), 500)
			})
		})
	}
	path := packed(t, "a.csv.gz", repeated("a\n", "1", 64*mib))
	filetest.Costs(t, 160*mib, func() {
		d, err := data.NewCSVDataset(path)
		require.NoError(t, err)
		require.ErrorIs(t, d.Iterate(data.WorkerInfo{}, func(data.Example) bool { return true }), torch.ErrFormat)
	})
}

// Reading a compressed file of zeros returns no more numbers than MemoryLimit allows.
func TestIDXBombs(t *testing.T) {
	const mib = 1 << 20
	path := packed(t, "a.gz", repeated("\x00\x00\x08\x01\x04\x00\x00\x00", "\x00", 64*mib))
	filetest.Costs(t, 8*mib, func() {
		_, err := data.ReadIDX(path, data.MemoryLimit(mib))
		require.ErrorIs(t, err, torch.ErrFormat)
		assert.ErrorContains(t, err, "uint8 (67108864,) takes 67108864 bytes, but MemoryLimit is 1048576")
	})
	x, err := data.ReadIDX(path)
	require.NoError(t, err)
	assert.Len(t, x.Data, 64*mib)
	require.ErrorIs(t, torch.Try(func() { _, _ = data.ReadIDX(path, data.MemoryLimit(0)) }), torch.ErrValue)
	require.ErrorIs(t, torch.Try(func() { _, _ = data.DecodeIDX(nil, "", data.IDXOption(nil)) }), torch.ErrNil)
}

// For every format, the memory that decoding would need is checked before decoding begins.
func TestImageBombs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const side, mib = 1000, 1 << 20
	square := image.Rect(0, 0, side, side)
	asPNG := func(img image.Image) []byte {
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, img))
		return b.Bytes()
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewYCbCr(square, image.YCbCrSubsampleRatio444), nil))
	baseline := b.Bytes()
	scan := baseline[bytes.LastIndex(baseline, []byte("\xff\xda")) : len(baseline)-2]
	scans := slices.Concat(baseline[:len(baseline)-2], bytes.Repeat(scan, 100), baseline[len(baseline)-2:])
	progressive, err := os.ReadFile("testdata/progressive.jpg") // has the same size
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file []byte
		mode data.ImageReadMode
		cost int // the number of bytes of memory that decoding needs per pixel
	}{
		"gray":              {asPNG(image.NewGray(square)), data.ImageReadModeUnchanged, 2},
		"colours":           {asPNG(image.NewNRGBA(square)), data.ImageReadModeUnchanged, 8},
		"16 bits":           {asPNG(image.NewNRGBA64(square)), data.ImageReadModeUnchanged, 16},
		"16 bits of gray":   {asPNG(image.NewGray16(square)), data.ImageReadModeRGBAlpha, 10},
		"JPEG":              {baseline, data.ImageReadModeUnchanged, 6},
		"progressive JPEG":  {progressive, data.ImageReadModeUnchanged, 12},
		"progressive, gray": {progressive, data.ImageReadModeGray, 10},
	} {
		t.Run(name, func(t *testing.T) {
			enough := max(side*side*c.cost/8, side*side)
			filetest.Costs(t, int64(side*side*c.cost)+mib, func() {
				x, err := data.DecodeImage(c.file, c.mode, data.MaxPixels(enough))
				require.NoError(t, err)
				_ = x.Close()
			})
			filetest.Costs(t, mib, func() {
				_, err := data.DecodeImage(c.file, c.mode, data.MaxPixels(enough-1000))
				require.ErrorIs(t, err, torch.ErrFormat)
				assert.ErrorContains(t, err, "MaxPixels allows")
			})
		})
	}
	frame := baseline[bytes.Index(baseline, []byte("\xff\xc0")):][:19]
	large := slices.Concat(frame[:5], []byte{0xff, 0xff, 0xff, 0xff}, frame[9:])
	for name, file := range map[string][]byte{
		"many scans":                    scans,
		"and a frame that is too large": slices.Concat(scans[:len(scans)-2], large, scans[len(scans)-2:]),
		"behind a marker of no length":  slices.Concat(scans[:2], []byte{0xff, 0x01}, scans[2:]),
	} {
		_, err = data.DecodeImage(file, data.MaxPixels(side*side))
		require.ErrorIs(t, err, torch.ErrFormat, name)
		assert.ErrorContains(t, err,
			"a JPEG image of 1000 x 1000 pixels has 101 scans; MaxPixels allows 8 scans for 1000000 pixels", name)
	}

	// ReadImage does not read a file that is larger than any allowed image.
	path := filepath.Join(t.TempDir(), "a.png")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Truncate(path, 1<<40))
	filetest.Costs(t, mib, func() {
		_, err = data.ReadImage(path)
		require.ErrorIs(t, err, torch.ErrFormat)
	})
	filetest.Costs(t, 16*mib, func() {
		_, err = data.ReadImageFrom(repeated("", "x", 1<<26), "a", data.MaxPixels(100))
		require.ErrorIs(t, err, torch.ErrFormat)
	})
	assert.ErrorContains(t, err, "more than the 1049376 bytes that MaxPixels allows")
}

// The time for a sample with many fields is proportional to the number of fields. The
// memory stays within the limit.
func TestWebDatasetBombs(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib = 1 << 20
	shard := func(fields, size int) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for i := range fields {
			name := "sample." + strconv.Itoa(i)
			require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(size), Mode: 0o600}))
			_, err := w.Write(make([]byte, size))
			require.NoError(t, err)
		}
		require.NoError(t, w.WriteHeader(&tar.Header{Name: "next.x", Mode: 0o600}))
		require.NoError(t, w.Close())
		return packed(t, "a.tar.gz", &b)
	}
	read := func(path string, opts ...data.WebDatasetOption) (got []string, err error) {
		d, err := data.NewWebDataset([]string{path}, opts...)
		require.NoError(t, err)
		err = d.Samples(data.WorkerInfo{}, func(s *data.WebSample) bool {
			got = append(got, s.Key+" "+strconv.Itoa(len(s.Fields)))
			return true
		})
		return got, err
	}
	many := shard(60_000, 0)
	got, err := read(many)
	require.NoError(t, err)
	assert.Equal(t, []string{"sample 60000", "next 1"}, got)
	large := shard(64, mib)
	for text, c := range map[string]struct {
		path string
		most int64
		opts data.MaxSampleBytes
	}{
		`sample "sample" takes more than the 8388608 bytes that MaxSampleBytes allows`: {large, 64 * mib, 8 * mib},
		`sample "sample" takes more than the 100000 bytes`:                             {many, 128 * mib, 100_000},
	} {
		filetest.Costs(t, c.most, func() {
			_, err := read(c.path, c.opts)
			require.ErrorIs(t, err, torch.ErrFormat)
			assert.ErrorContains(t, err, text)
		})
		var errs []error
		got, err := read(c.path, c.opts, data.Handler(func(err error) bool { errs = append(errs, err); return true }))
		require.NoError(t, err)
		assert.Equal(t, []string{"next 1"}, got, "the sample is dropped, and the next one is read")
		assert.Len(t, errs, 1)
	}
}

// endless is an endless reader of zeros.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// A shard with too many bytes between two files of samples is an error. Otherwise a small
// compressed shard could take hours to read.
func TestShardsOfIgnoredFiles(t *testing.T) {
	const much = 16 << 30
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "a.x", Mode: 0o600}))
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "ignored", Size: much, Mode: 0o600, Format: tar.FormatGNU}))
	open := data.OpenShard(func(string) (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(bytes.NewReader(b.Bytes()), io.LimitReader(endless{}, much+1024))), nil
	})
	d, err := data.NewWebDataset([]string{"a.tar"}, open, data.MaxFieldBytes(1), data.MaxSampleBytes(1<<10))
	require.NoError(t, err)
	samples := 0
	err = d.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { samples++; return true })
	require.ErrorIs(t, err, torch.ErrFormat)
	require.ErrorContains(t, err, "more than 1073742849 bytes between two files of samples")
	assert.Zero(t, samples, "the sample may have more files behind the damage")
}

// The limit on the size of a row applies to each row separately. The time for reading
// repeated names is not quadratic.
func TestCSVWithinLimits(t *testing.T) {
	table, err := data.DecodeCSV(strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 10_000)), "a.csv",
		data.MaxRowBytes(4096))
	require.NoError(t, err)
	assert.Equal(t, 10_000, table.Len())
	require.NoError(t, table.Close())
	names := strings.Repeat("a,", 200_000) + "a\n"
	table, err = data.DecodeCSV(strings.NewReader(names), "a.csv", data.UseColsAt{200_000})
	require.NoError(t, err)
	assert.Equal(t, []string{"a.200000"}, table.Names())
	require.NoError(t, table.Close())
	_, err = data.DecodeCSV(strings.NewReader("a\n"+strings.Repeat("w", 5000)+"\n"), "a.csv")
	assert.Less(t, len(err.Error()), 250, "errors contain only the beginning of a long value")
}

// A few links from each folder to the next one lead to the last one in very many ways.
func TestLinksToMoreAndMoreFolders(t *testing.T) {
	root := t.TempDir()
	folder := func(i int) string { return filepath.Join(root, "class", strconv.Itoa(i)) }
	const folders = 30
	for i := range folders {
		require.NoError(t, os.MkdirAll(folder(i), 0o700))
		for _, name := range []string{"a", "b"} {
			if i > 0 {
				require.NoError(t, os.Symlink(folder(i), filepath.Join(folder(i-1), name)))
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder(folders-1), "x.png"), nil, 0o600))
	_, err := data.NewImageFolder(root)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "links lead to more than 100000 folders")
}

// The largest number means no limit.
func TestLimitsOfAnySize(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const most = math.MaxInt64
	table := decodeCSV(t, "a,b\n1,2\n", data.MaxRowBytes(most), data.MemoryLimit(most))
	assert.Equal(t, 1, table.Len())
	require.NoError(t, table.Close())
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 5, 1))))
	x, err := data.DecodeImage(b.Bytes(), data.MaxPixels(most))
	require.NoError(t, err)
	_ = x.Close()
	web := newWeb(t, []string{"a"}, data.MaxFieldBytes(most), data.MaxSampleBytes(most),
		inMemory(map[string][]byte{"a": tarred("1.txt", "text")}))
	n := 0
	require.NoError(t, web.Samples(data.WorkerInfo{}, func(*data.WebSample) bool { n++; return true }))
	assert.Equal(t, 1, n)
}

// If components of a JPEG have the same number, a scan counts as one of the largest of them.
func TestScansOfComponentsOfOneNumber(t *testing.T) {
	file := []byte("\xff\xd8\xff\xc2\x00\x0e\x08\x03\xe8\x03\xe8\x02\x01\x44\x00\x01\x11\x00")
	for range 20 {
		file = append(file, "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00"...)
	}
	decoder := data.Decoder(func([]byte, data.ImageSettings) (*torch.Tensor, error) {
		return torch.Ones(torch.Shape{1, 1, 1}), nil
	})
	_, err := data.DecodeImage(append(file, "\xff\xd9"...), data.MaxPixels(1000*1000), decoder)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "has 20 scans")
}
