package jit_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// refused loads an archive that is invalid. It checks the error and returns it.
func refused(t testing.TB, data []byte, what string) *torch.FileError {
	t.Helper()
	// The limit allows for the buffers into which the file and each entry are read. Each
	// buffer is a quarter larger than the previous one, and all of them count. A value in a
	// pickle takes up to 80 bytes for each byte of the file.
	e := filetest.Bounded(t, "", int64(len(data)), nil, filetest.Limit{Bytes: 1 << 20, Times: 80}, func() error {
		m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
		assert.Nil(t, m, what)
		return err
	})
	require.NotNil(t, e.Kind, "%s: %v", what, e)
	assert.NotEmpty(t, e.Detail, what)
	// An error of libtorch has no offset, but its message contains a line of the source
	// code or a type.
	assert.True(t, e.Offset >= 0 || errors.As(e, new(*torch.Error)), "%s: no byte: %v", what, e)
	return e
}

func TestTruncatedArchives(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	data, err := os.ReadFile(goldenPath("mlp_scripted"))
	require.NoError(t, err)
	for n := 0; n < len(data); n += 1 + n/40 {
		refused(t, data[:n], fmt.Sprint(n, " bytes"))
	}
	refused(t, data[:len(data)-1], "all but one")
	assert.ErrorIs(t, refused(t, nil, "nothing"), torch.ErrTruncated)
	assert.ErrorIs(t, refused(t, data[:2], "two bytes"), torch.ErrTruncated)
	assert.ErrorIs(t, refused(t, data[:5000], "half"), torch.ErrTruncated)
}

// Bytes of each entry are damaged, so that they no longer match the entry's checksum.
func TestDamagedRecords(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	data, err := os.ReadFile(goldenPath("values"))
	require.NoError(t, err)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range z.File {
		at, err := f.DataOffset()
		require.NoError(t, err)
		for i := range int64(f.CompressedSize64) {
			if i%7 != 0 && i > 8 {
				continue
			}
			bad := bytes.Clone(data)
			bad[at+i] ^= 0x10
			refused(t, bad, fmt.Sprint(f.Name, " ", i))
		}
	}
}

// libtorch would accept these entries although they are invalid.
func TestWrongRecords(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	all := records(t, "values")
	const pkl, code = "values/data.pkl", "values/code/__torch__.py"
	var data []byte
	for _, r := range all {
		if r.name == pkl {
			data = r.data
		}
	}
	swap := func(old, new string) []byte {
		require.Equal(t, 1, bytes.Count(data, []byte(old)), "%q", old)
		return bytes.Replace(data, []byte(old), []byte(new), 1)
	}
	deep := func(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }
	script := func(body string) []byte {
		return []byte("class Values(Module):\n  def forward(self, x: Tensor) -> Tensor:\n" + body + "    return x\n")
	}
	chain := new(strings.Builder)
	for i := range 3000 {
		fmt.Fprintf(chain, "class C%d(Module):\n  def f(self: __torch__.C%d, x: __torch__.C%d) -> int:\n    return 1\n",
			i, i, i+1)
	}
	for name, c := range map[string]struct {
		all  []record
		kind error
		says string
	}{
		"no data.pkl": {[]record{{"a/version", []byte("3\n")}}, torch.ErrFormat, "without data.pkl"},
		"no constants.pkl": {
			[]record{{"a/data.pkl", []byte("\x80\x02).")}, {"a/version", []byte("3\n")}},
			torch.ErrFormat, "package torch/serialization reads it",
		},
		"no folder":       {[]record{{"version", []byte("3\n")}}, torch.ErrFormat, "not in a folder"},
		"two folders":     {with(all, "other/x", nil), torch.ErrFormat, "not in the folder"},
		"twice":           {append(with(all, "values/x", nil), record{"values/x", nil}), torch.ErrFormat, "twice"},
		"old":             {with(all, "values/model.json", []byte("{}")), torch.ErrUnsupported, "1.4"},
		"byteorder":       {with(all, "values/byteorder", []byte("big")), torch.ErrUnsupported, "byte order"},
		"version":         {with(all, "values/version", []byte("99999\n")), nil, ""},
		"version is text": {with(all, "values/version", []byte("abc\n")), nil, ""},
		"empty pickle":    {with(all, pkl, nil), torch.ErrFormat, "ends too early"},
		"half a pickle":   {with(all, pkl, data[:len(data)/2]), torch.ErrFormat, "ends too early"},
		"no pickle":       {with(all, pkl, []byte("zzz")), torch.ErrFormat, "opcode"},
		"huge memo":       {with(all, pkl, swap("q\x18.", "r\xf0\xff\xff\xff.")), torch.ErrFormat, "value number"},
		"huge text": {
			with(all, pkl, swap("X\x05\x00\x00\x00scale", "X\xf0\xff\xff\xffscale")),
			torch.ErrFormat, "ends too early",
		},
		"deep tuples": {
			with(all, pkl, []byte("\x80\x02"+deep("(", "t", 100_000)+".")), torch.ErrFormat,
			"nested",
		},
		"deep lists": {
			with(all, pkl, []byte("\x80\x02"+deep("](", "e", 100_000)+".")), torch.ErrFormat,
			"nested",
		},
		"list in itself": {with(all, pkl, []byte("\x80\x02]q\x00h\x00a.")), torch.ErrFormat, "contains itself"},
		"object in itself": {
			with(all, pkl,
				[]byte("\x80\x02c__torch__\nValues\n)\x81q\x00}(X\x01\x00\x00\x00wh\x00ub.")), torch.ErrFormat,
			"contains itself",
		},
		"nothing on stack": {with(all, pkl, []byte("\x80\x02b.")), torch.ErrFormat, "stack"},
		"no mark":          {with(all, pkl, []byte("\x80\x02]e.")), torch.ErrFormat, "mark"},
		"put of nothing":   {with(all, pkl, []byte("\x80\x02q\x00.")), torch.ErrFormat, "stack"},
		"call of a number": {with(all, pkl, []byte("\x80\x02K\x01)R.")), torch.ErrFormat, "not a function"},
		"state of a list":  {with(all, pkl, []byte("\x80\x02]}b.")), torch.ErrFormat, "not an object"},
		"no storage":       {with(all, pkl, []byte("\x80\x02K\x01Q.")), torch.ErrFormat, "identifier"},
		"storage too long": {with(all, pkl, swap("K\x02tQ", "K\x03tQ")), torch.ErrFormat, "but the archive has 8"},
		"storage far away": {
			with(all, pkl, swap("X\x01\x00\x00\x000q\x05", "X\x01\x00\x00\x001q\x05")),
			torch.ErrFormat, "has no data",
		},
		"tensor too long": {
			with(all, pkl, swap("(K\x02t(K\x01t", "(K\x03t(K\x01t")), torch.ErrFormat,
			"in a storage of 2 numbers",
		},
		"stride too long": {
			with(all, pkl, swap("(K\x02t(K\x01t", "(K\x02t(K\x02t")), torch.ErrFormat,
			"in a storage of 2 numbers",
		},
		"negative size": {
			with(all, pkl, swap("(K\x02t(K\x01t", "(J\xff\xff\xff\xfft(K\x01t")), torch.ErrFormat,
			"size -1",
		},
		"negative stride": {
			with(all, pkl, swap("(K\x02t(K\x01t", "(K\x02t(J\xff\xff\xff\xfft")), torch.ErrFormat,
			"stride -1",
		},
		"two strides": {
			with(all, pkl, swap("(K\x02t(K\x01t", "(K\x02t(K\x01K\x01t")), torch.ErrFormat,
			"without a storage",
		},
		"deep type": {
			with(all, pkl,
				swap("X\x09\x00\x00\x00List[str]", "X\xe8\x03\x00\x00"+strings.Repeat("List[", 200))), torch.ErrFormat,
			"nested",
		},
		"no such class": {with(all, pkl, swap("c__torch__\nValues\n", "c__torch__\nOther\n")), nil, ""},
		"no attributes": {with(all, pkl, []byte("\x80\x02c__torch__\nValues\n)\x81}b.")), nil, ""},
		"no module":     {with(all, pkl, []byte("\x80\x02K\x01.")), nil, ""},
		"tensor is a number": {with(all, pkl,
			swap("X\x01\x00\x00\x00wq\x01", "X\x01\x00\x00\x00wq\x01K\x01X\x01\x00\x00\x00z")), nil, ""},
		"deep brackets": {
			with(all, code, script("    y = "+deep("[", "]", 5000)+"\n")), torch.ErrFormat,
			"line 3: brackets",
		},
		"brackets not closed": {
			with(all, code, script("    y = "+strings.Repeat("(", 90_000)+"\n")), torch.ErrFormat,
			"brackets",
		},
		"many minuses": {
			with(all, code, script("    y = "+strings.Repeat("-", 20_000)+"x\n")), torch.ErrFormat,
			"expression",
		},
		"long sum": {
			with(all, code, script("    y = x"+strings.Repeat(" + x", 20_000)+"\n")), torch.ErrFormat,
			"expression",
		},
		"long conjunction": {
			with(all, code, script("    y = x"+strings.Repeat(" and x", 20_000)+"\n")),
			torch.ErrFormat, "expression",
		},
		"deep blocks":  {with(all, code, script(blocks(5000))), torch.ErrFormat, "blocks"},
		"many classes": {with(all, code, []byte(chain.String())), torch.ErrFormat, "classes"},
		"unknown operator": {
			with(all, code, script("    y = ops.torchvision.nms(x, x, 0.5)\n")), torch.ErrUnsupported,
			"nms",
		},
		"no source":     {with(all, code, []byte("hello, world")), nil, ""},
		"empty source":  {with(all, code, nil), nil, ""},
		"binary source": {with(all, code, []byte("\x00\xff\xfe class")), nil, ""},
		"class in itself": {with(all, code, []byte("class Values(Module):\n  w : __torch__.Values\n  def "+
			"forward(self: __torch__.Values, x: Tensor) -> Tensor:\n    return x\n")), nil, ""},
	} {
		e := refused(t, zipped(t, c.all), name)
		if c.kind != nil {
			assert.ErrorIs(t, e, c.kind, name)
		}
		assert.ErrorContains(t, e, c.says, name)
	}
}

// blocks returns source code with n nested blocks.
func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 4+i) + "if True:\n")
	}
	b.WriteString(strings.Repeat(" ", 4+n) + "y = 1\n")
	return b.String()
}

// A file that claims too large a size is refused before memory is allocated.
func TestSizesThatAreNotThere(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"a/data.pkl", "a/constants.pkl", "a/version", "a/code/x.py"} {
		w, err := z.Create(name) // compressed
		require.NoError(t, err)
		_, err = w.Write(make([]byte, 1<<23))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	e := refused(t, b.Bytes(), "bomb")
	assert.ErrorContains(t, e, "16 times the file")

	data := zipped(t, records(t, "values"))
	// the position of the entry's description in the directory
	at := bytes.LastIndex(data, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(data[at+20:], 0xfffffff0)
	binary.LittleEndian.PutUint32(data[at+24:], 0xfffffff0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e = refused(t, data, "claims 4 GB")
	runtime.ReadMemStats(&after)
	assert.ErrorContains(t, e, "larger than the file")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

func TestOtherFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	_, err := jit.Load(filepath.Join(dir, "none.pt"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = jit.Load(dir)
	require.ErrorIs(t, err, torch.ErrFormat)
	for text, want := range map[string]struct {
		kind error
		says string
	}{
		"\x80\x02}q\x00.":        {torch.ErrFormat, "torch/serialization"},
		"not found":              {torch.ErrFormat, "not a zip archive"},
		"<html>not found</html>": {torch.ErrFormat, "an HTML page"},
		"version https://git-lfs.github.com/spec/v1\n": {torch.ErrFormat, "a pointer of Git LFS"},
		"\x10\x00\x00\x00PTMF\x00\x00\x00\x00":         {torch.ErrUnsupported, "mobile"},
	} {
		e := refused(t, []byte(text), text)
		assert.ErrorIs(t, e, want.kind)
		assert.ErrorContains(t, e, want.says)
	}
	path := filepath.Join(dir, "x.pt")
	require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
	_, err = jit.Load(path)
	var e *torch.FileError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, path, e.Path)
	_, err = jit.LoadFrom(nil, 1)
	require.EqualError(t, err, "torch: jit.LoadFrom: argument r: a nil reader")
	require.ErrorIs(t, err, torch.ErrNil)
	assert.Zero(t, torch.NumLiveTensors())
}

// libtorch can parse source code that is nested as deeply as the limits allow.
func TestDeepestSource(t *testing.T) {
	all := records(t, "values")
	refused := func(body string) bool {
		text := "class Values(Module):\n  def forward(self, x: Tensor) -> Tensor:\n    y = " + body + "\n    return x\n"
		data := zipped(t, with(all, "values/code/__torch__.py", []byte(text)))
		m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
		if m != nil {
			_ = m.Close()
		}
		return err != nil && (strings.Contains(err.Error(), "brackets") || strings.Contains(err.Error(), "expression"))
	}
	for _, c := range []struct {
		most, least int
		body        func(n int) string
	}{
		{63, 64, func(n int) string { return strings.Repeat("(", n) + "x" + strings.Repeat(")", n) }},
		{250, 257, func(n int) string { return "x" + strings.Repeat(" + x", n) }},
	} {
		assert.False(t, refused(c.body(c.most)), "%d", c.most)
		assert.True(t, refused(c.body(c.least)), "%d", c.least)
	}
}
