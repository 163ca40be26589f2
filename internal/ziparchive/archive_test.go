package ziparchive_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
)

// entry is one file in an archive that a test creates.
type entry struct {
	name, data string
	method     uint16
}

func write(t testing.TB, all ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range all {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		require.NoError(t, err)
		_, err = f.Write([]byte(e.data))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// directory returns the part of data that starts at the directory entry with the given
// name.
func directory(t testing.TB, data []byte, name string) []byte {
	t.Helper()
	at := bytes.LastIndex(data, []byte(name)) - 46
	require.Equal(t, "PK\x01\x02", string(data[at:at+4]))
	return data[at:]
}

func source(data []byte) ziparchive.Source {
	return ziparchive.Source{Format: "pt", Path: "/a", Reader: bytes.NewReader(data), Size: int64(len(data))}
}

var errOther = errors.New("another format")

func open(data []byte) (*ziparchive.Archive, error) {
	return ziparchive.Open(source(data), func([]byte) error { return errOther })
}

func TestOpenTellsCutFromForeign(t *testing.T) {
	good := write(t, entry{"a/x", "text", zip.Store})
	for n := range good {
		_, err := open(good[:n])
		if n == 1 {
			assert.ErrorIs(t, err, errOther, "one byte says nothing")
			continue
		}
		assert.ErrorIs(t, err, fileerr.ErrTruncated, "%d bytes", n)
	}
	_, err := open(good[:len(good)-1])
	require.EqualError(t, err,
		fmt.Sprintf("pt: /a: byte %d: a damaged zip archive: the end of the file, which holds the central directory, "+
			"is missing", len(good)-1))
	_, err = open(nil)
	require.EqualError(t, err, "pt: /a: byte 0: an empty file")
	_, err = open([]byte("PKWARE"))
	require.ErrorIs(t, err, errOther)
	_, err = open(write(t))
	require.ErrorIs(t, err, fileerr.ErrFormat)
	assert.ErrorContains(t, err, "without entries")
	s := source(write(t))
	s.Arrays = true
	_, err = ziparchive.Open(s, nil)
	require.NoError(t, err, "NumPy writes archives of no arrays")
}

func TestIndex(t *testing.T) {
	const x, y = "a/x", "a/y"
	text := strings.Repeat("text", 100)
	two := []entry{{x, text, zip.Store}, {y, text, zip.Deflate}}
	set16 := func(field, to int) func([]byte) {
		return func(d []byte) { binary.LittleEndian.PutUint16(d[field:], uint16(to)) }
	}
	set32 := func(field, to int) func([]byte) {
		return func(d []byte) { binary.LittleEndian.PutUint32(d[field:], uint32(to)) }
	}
	for name, c := range map[string]struct {
		all    []entry
		of     string // the entry whose record in the directory is changed
		change func([]byte)
		kind   error
		says   string
		array  string // the array that the error names, or ""
	}{
		"good": {two, x, func([]byte) {}, nil, "", ""},
		"twice": {
			append(two, entry{x, "", zip.Store}), y, func([]byte) {}, fileerr.ErrFormat,
			`entry "a/x" occurs twice`, "it occurs twice",
		},
		"large": {
			two, y, set32(20, 1<<20), fileerr.ErrFormat,
			`entries that are larger than the file together, at "a/y"`, "arrays that are larger than the file together",
		},
		"grows": {
			two, y, set32(24, 1<<30), fileerr.ErrFormat,
			`entries that grow to more than 16 times the file, at "a/y"`,
			"arrays that grow to more than 16 times the file and 7 bytes: Option may permit it",
		},
		"sizes": {
			two, x, set32(24, 401), fileerr.ErrFormat,
			`entry "a/x" has 401 bytes, stored in 400 without compression`,
			"it has 401 bytes, stored in 400 without compression",
		},
		"method":    {two, y, set16(10, 12), fileerr.ErrUnsupported, `entry "a/y" is compressed by method 12`, ""},
		"encrypted": {two, y, set16(8, 1), fileerr.ErrUnsupported, `entry "a/y" is encrypted`, ""},
	} {
		data := write(t, c.all...)
		c.change(directory(t, data, c.of))
		a, err := open(data)
		require.NoError(t, err, name)
		err = a.Index(ziparchive.Rules{})
		if c.kind == nil {
			require.NoError(t, err, name)
			assert.Len(t, a.Entries, 2)
		} else {
			var e *fileerr.Error
			require.ErrorAs(t, err, &e, name)
			assert.Equal(t, c.kind, e.Kind, name)
			assert.Equal(t, c.says, e.Detail, name)
			assert.Positive(t, e.Offset, name)
		}

		s := source(data)
		s.Arrays = true
		a, err = ziparchive.Open(s, nil)
		require.NoError(t, err, name)
		err = a.Index(ziparchive.Rules{Spare: 7, Option: "Option", Key: func(name string) (string, bool) {
			return name[2:], true
		}})
		if c.array == "" {
			require.NoError(t, err, name)
			_, err = a.Open(a.Entries["y"], true)
			assert.Equal(t, c.kind == nil, err == nil, "%s: it is refused once it is read: %v", name, err)
			continue
		}
		var e *fileerr.Error
		require.ErrorAs(t, err, &e, name)
		assert.Equal(t, c.array, e.Detail, name)
		assert.Equal(t, c.of == x || name == "twice", e.Tensor == "x", "%s: %s", name, e.Tensor)
		assert.Equal(t, int64(fileerr.NoOffset), e.Offset, name)
	}
}

// If an entry's offset is negative, the file is malformed. The error must say so. It must
// not be the system error of a read at this offset.
func TestEntryBeforeTheFile(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	extra := append([]byte{1, 0, 8, 0}, bytes.Repeat([]byte{0xff}, 8)...) // the 64-bit offset -1
	_, err := w.CreateHeader(&zip.FileHeader{Name: "a/x", Method: zip.Store, Extra: extra})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	binary.LittleEndian.PutUint32(directory(t, b.Bytes(), "a/x")[42:], 1<<32-1)
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	for _, arrays := range []bool{false, true} {
		a, err := ziparchive.Open(ziparchive.Source{
			Format: "pt", Path: path, Reader: f, Size: int64(b.Len()),
			Arrays: arrays,
		}, nil)
		require.NoError(t, err)
		_, err = a.Open(a.Files[0], true)
		require.ErrorIs(t, err, fileerr.ErrFormat)
		assert.ErrorContains(t, err, "points before the start of the file")
	}
}

func TestKeys(t *testing.T) {
	a, err := open(write(t, entry{"a/x", "", 0}, entry{"b/x", "", 0}, entry{"a/X", "", 0}))
	require.NoError(t, err)
	folder := func(name string) (string, bool) { return strings.CutPrefix(name, "a/") }
	require.NoError(t, a.Index(ziparchive.Rules{Key: folder}))
	assert.Len(t, a.Entries, 2)
	err = a.Index(ziparchive.Rules{Key: func(name string) (string, bool) { return strings.ToLower(name), true }})
	require.ErrorContains(t, err, `entry "a/X" occurs twice, or differs from another name only in case`)
}

func TestRead(t *testing.T) {
	text := strings.Repeat("text", 100)
	data := write(t, entry{"a/x", text, zip.Store}, entry{"a/y", text, zip.Deflate})
	read := func(data []byte, name string, sums bool) (string, error) {
		a, err := open(data)
		require.NoError(t, err)
		require.NoError(t, a.Index(ziparchive.Rules{}))
		r, err := a.Open(a.Entries[name], sums)
		if err != nil {
			return "", err
		}
		b, err := io.ReadAll(r)
		_, again := r.Read(make([]byte, 1))
		assert.Equal(t, err == nil, again == io.EOF, "an error stays")
		return string(b), err
	}
	for _, name := range []string{"a/x", "a/y"} {
		for _, sums := range []bool{false, true} {
			got, err := read(data, name, sums)
			require.NoError(t, err)
			assert.Equal(t, text, got)
		}
	}
	bad := bytes.Clone(data)
	directory(t, bad, "a/x")[16] ^= 1
	directory(t, bad, "a/y")[16] ^= 1
	_, err := read(bad, "a/x", false)
	require.NoError(t, err, "nobody asked")
	_, err = read(bad, "a/x", true)
	require.ErrorIs(t, err, fileerr.ErrFormat)
	assert.Regexp(t, `^pt: /a: byte 33: entry "a/x": the checksum is [0-9a-f]{8}, expected [0-9a-f]{8}$`, err.Error())
	_, err = read(bad, "a/y", false)
	require.ErrorIs(t, err, zip.ErrChecksum)
	assert.ErrorContains(t, err, `entry "a/y": `)

	bad = bytes.Clone(data)
	binary.LittleEndian.PutUint32(directory(t, bad, "a/y")[24:], 401)
	_, err = read(bad, "a/y", true)
	require.ErrorIs(t, err, fileerr.ErrTruncated)
	bad = bytes.Clone(data)
	binary.LittleEndian.PutUint32(directory(t, bad, "a/x")[42:], uint32(len(data)))
	_, err = read(bad, "a/x", true)
	var e *fileerr.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, int64(len(data)), e.Offset)
}

// changed is a file that has become shorter, or cannot be read, after its first bytes.
type changed struct {
	io.ReaderAt
	most int64
	err  error
}

// ReadAt implements io.ReaderAt.
func (c *changed) ReadAt(b []byte, at int64) (int, error) {
	if c.most > 0 && at+int64(len(b)) > c.most {
		n, _ := c.ReaderAt.ReadAt(b[:max(c.most-at, 0)], at)
		return n, c.err
	}
	return c.ReaderAt.ReadAt(b, at)
}

// If a file becomes shorter while it is being read, the error is ErrTruncated. A system
// error, such as a disk error, has no kind.
func TestFilesThatChange(t *testing.T) {
	disk := &fs.PathError{Op: "read", Path: "/a", Err: errors.New("input/output error")}
	for _, c := range []struct{ err, kind error }{{io.EOF, fileerr.ErrTruncated}, {disk, nil}} {
		s := source(write(t, entry{"a/x", strings.Repeat("text", 10_000), zip.Store}))
		r := &changed{ReaderAt: s.Reader, err: c.err}
		s.Reader = r
		a, err := ziparchive.New(s)
		require.NoError(t, err)
		require.NoError(t, a.Index(ziparchive.Rules{}))
		r.most = 100
		var e *fileerr.Error
		require.ErrorAs(t, a.Check(a.Files[0]), &e)
		assert.Equal(t, c.kind, e.Kind)
		assert.Equal(t, c.kind == nil, e.Offset == fileerr.NoOffset, "%v", e)
		_, err = ziparchive.Open(s, nil)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.kind, e.Kind, "%v", e)
		assert.Equal(t, c.kind == nil, e.Detail == "", "%v", e)
	}
}
