package aoti_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aoti"
	"github.com/gotorch/gotorch/torchtest"
)

// libraries returns the number of this process's memory mappings that belong to models'
// libraries.
func libraries(t testing.TB) int {
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	return strings.Count(string(maps), ".wrapper.so")
}

type entry struct {
	name string
	data []byte
	how  uint16
}

// entries returns the entries of the package at path.
func entries(t testing.TB, path string) []entry {
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, z.Close()) }()
	var all []entry
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		all = append(all, entry{f.Name, data, zip.Store})
	}
	return all
}

// write returns a package with the given entries.
func write(t testing.TB, all []entry) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range all {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.how})
		require.NoError(t, err)
		_, err = f.Write(e.data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// without returns all entries except those whose names end with suffix.
func without(all []entry, suffix string) []entry {
	var rest []entry
	for _, e := range all {
		if !strings.HasSuffix(e.name, suffix) {
			rest = append(rest, e)
		}
	}
	return rest
}

// changed returns all entries. It applies the function change to the contents of entries
// whose names end with suffix.
func changed(all []entry, suffix string, change func([]byte) []byte) []entry {
	out := append([]entry(nil), all...)
	for i := range out {
		if strings.HasSuffix(out[i].name, suffix) {
			out[i].data = change(bytes.Clone(out[i].data))
		}
	}
	return out
}

// replaced returns a function that replaces every occurrence of old with text.
func replaced(old, text string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(text)) }
}

// Loading a package that is damaged or of the wrong kind returns the right kind of error.
// No files or tensors are left.
func TestMalformed(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	dir := packages(t)
	good := entries(t, filepath.Join(dir, "mlp.pt2"))
	raw, err := os.ReadFile(filepath.Join(dir, "mlp.pt2"))
	require.NoError(t, err)
	exported, err := os.ReadFile(filepath.Join(dir, "mlp.exported.pt2"))
	require.NoError(t, err)
	so := func(change func([]byte) []byte) []byte { return write(t, changed(good, ".so", change)) }
	meta := func(old, text string) []byte {
		return write(t, changed(good, "wrapper_metadata.json", replaced(old, text)))
	}
	other := map[string]string{"amd64": "aarch64", "arm64": "x86_64"}[runtime.GOARCH]
	this := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	folder := path.Dir(good[0].name)

	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	file := filepath.Join(t.TempDir(), "m.pt2")
	for name, row := range map[string]struct {
		data []byte
		want error
		says string
	}{
		"empty": {nil, torch.ErrTruncated, "an empty file"},
		"pointer": {
			[]byte("version https://git-lfs.github.com/spec/v1\n"), torch.ErrFormat,
			"a pointer of Git LFS",
		},
		"text":          {[]byte("model"), torch.ErrFormat, "expected a .pt2 package"},
		"cut":           {raw[:len(raw)/2], torch.ErrTruncated, "which holds the central directory, is missing"},
		"no entries":    {write(t, nil), torch.ErrFormat, "without entries"},
		"other entries": {write(t, []entry{{"a/b", nil, 0}}), torch.ErrFormat, "not an AOTInductor package"},
		"exported":      {exported, torch.ErrUnsupported, "torch/export"},
		"checkpoint": {
			write(t, []entry{{"archive/data.pkl", nil, 0}}), torch.ErrUnsupported,
			"torch/serialization",
		},
		"TorchScript": {
			write(t, []entry{{"m/constants.pkl", nil, 0}, {"m/data.pkl", nil, 0}}),
			torch.ErrUnsupported, "package torch/jit runs it",
		},
		"another name": {
			write(t, []entry{{"m/data/aotinductor/encoder/a.so", nil, 0}}), torch.ErrNotFound,
			`["encoder"]`,
		},
		"a longer name": {
			write(t, []entry{{"m/data/aotinductor/model2/a.so", nil, 0}}), torch.ErrNotFound,
			`["model2"]`,
		},
		"sources alone":   {write(t, without(good, ".so")), torch.ErrUnsupported, "package_cpp_only"},
		"no metadata":     {write(t, without(good, "wrapper_metadata.json")), torch.ErrFormat, "no metadata"},
		"metadata":        {meta("{", "["), torch.ErrFormat, "the metadata"},
		"metadata's type": {meta(`"cpu"`, `7`), torch.ErrFormat, "the metadata"},
		"no device":       {meta(`"cpu"`, `""`), torch.ErrFormat, "device"},
		"device":          {meta(`"cpu"`, `"cpu:0\u0000"`), torch.ErrFormat, "device"},
		"platform":        {meta(`"linux"`, `"win32"`), torch.ErrUnsupported, "win32"},
		"machine":         {meta(`"`+this+`"`, `"`+other+`"`), torch.ErrUnsupported, other},
		"instructions": {write(t, changed(good, "wrapper_metadata.json", func([]byte) []byte {
			return []byte(`{"AOTI_DEVICE_KEY": "cpu", "AOTI_CPU_ISA": "AVX4096"}`)
		})), torch.ErrUnsupported, "avx4096"},
		"two libraries": {
			write(t, append(good, entry{folder + "/b.so", nil, 0})), torch.ErrFormat,
			"two libraries",
		},
		"one name twice": {
			write(t,
				append(good, entry{folder + "/x.json", nil, 0}, entry{folder + "/sub/x.json", nil, 0})),
			torch.ErrFormat,
			"two entries",
		},
		"leads out": {
			write(t, append(good, entry{folder + "/..", nil, 0})), torch.ErrFormat,
			"is not a valid file name",
		},
		"backslash": {
			write(t, append(good, entry{folder + `/..\x`, nil, 0})), torch.ErrFormat,
			"is not a valid file name",
		},
		"bomb": {
			write(t, append(good, entry{folder + "/x.json", make([]byte, 64<<20), zip.Deflate})),
			torch.ErrFormat, "grow to more than 16 times the file",
		},
		"bombs together": {
			write(t,
				append(good, entry{folder + "/x.json", make([]byte, 1<<19+10*len(raw)), zip.Deflate},
					entry{folder + "/y.json", make([]byte, 1<<19+10*len(raw)), zip.Deflate})), torch.ErrFormat,
			"grow to more than 16 times the file",
		},
		"checksum":       {flipped(raw), torch.ErrFormat, "checksum"},
		"no library":     {so(func([]byte) []byte { return nil }), torch.ErrFormat, "its library"},
		"library's text": {so(func(b []byte) []byte { return b[:100] }), torch.ErrFormat, "its library"},
		"library's machine": {
			so(func(b []byte) []byte { b[18] ^= 0xff; return b }), torch.ErrUnsupported,
			"expected a shared library",
		},
		"no source": {write(t, without(good, ".cpp")), torch.ErrUnsupported, "aoti.Inputs"},
		"source": {
			write(t, changed(good, ".cpp", replaced("check_input_0", "check_input_9"))), torch.ErrUnsupported,
			"aoti.Inputs",
		},
		"a symbol": {
			so(replaced("AOTInductorModelContainerGetNumInputs", "AOTInductorModelContainerGetNumOthers")),
			torch.ErrUnsupported, "cannot be loaded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, row.data, 0o600))
			// The memory limit is small, because only sources and metadata are read into
			// memory. A library is copied to a file in pieces.
			e := filetest.Refused(t, file, int64(len(row.data)), row.want, filetest.Limit{Bytes: 1 << 20, Times: 16},
				func() error {
					m, err := aoti.Load(file)
					assert.Nil(t, m)
					return err
				})
			assert.ErrorContains(t, e, row.says)
			left, err := os.ReadDir(tmp)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
	assert.Zero(t, libraries(t))
	_, err = aoti.Load(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = aoti.Load(t.TempDir())
	assert.ErrorIs(t, err, torch.ErrFormat)
	t.Setenv("TMPDIR", filepath.Join(tmp, "none"))
	_, err = aoti.Load(filepath.Join(dir, "mlp.pt2"))
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

// flipped changes a byte in the library, which is the largest entry.
func flipped(raw []byte) []byte {
	out := bytes.Clone(raw)
	out[len(out)*3/4] ^= 1
	return out
}

// Load reads the package only once, and no extracted file remains while the model runs.
func TestNothingIsLeft(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	raw, err := os.ReadFile(filepath.Join(packages(t), "mlp.pt2"))
	require.NoError(t, err)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	file := filepath.Join(t.TempDir(), "m.pt2")
	require.NoError(t, os.WriteFile(file, raw, 0o600))
	m, err := aoti.Load(file)
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	assert.Empty(t, left)
	torch.Scope(func() { assert.Equal(t, torch.Shape{3, 2}, m.Run(torch.Ones(torch.Shape{3, 4}))[0].Shape()) })
	require.NoError(t, m.Close())
}

// Loading a model to an unavailable device returns an error.
func TestMissingDevice(t *testing.T) {
	_, err := aoti.Load("x", aoti.Device(torch.CUDA.At(99)))
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.ErrorContains(t, err, "aoti.Load: argument Device: ")
}

// If a package does not describe its inputs, the Inputs option does.
func TestInputsOption(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	file := filepath.Join(t.TempDir(), "m.pt2")
	require.NoError(t,
		os.WriteFile(file, write(t, without(entries(t, filepath.Join(packages(t), "mlp.pt2")), ".cpp")), 0o600))
	_, err := aoti.Load(file, aoti.Inputs{{}, {}})
	require.ErrorIs(t, err, torch.ErrValue)
	m, err := aoti.Load(file,
		aoti.Inputs{{DType: torch.Float32, Shape: []aoti.Dim{{Min: 1, Max: 8, Symbol: "batch"}, aoti.Size(4)}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	assert.Nil(t, m.Inputs())
	torch.Scope(func() {
		assert.Equal(t, torch.Shape{8, 2}, m.Run(torch.Ones(torch.Shape{8, 4}))[0].Shape())
		assert.ErrorIs(t, kind(func() { m.Run(torch.Ones(torch.Shape{9, 4})) }), torch.ErrShape)
		assert.ErrorIs(t, kind(func() { m.Run(torch.Ones(torch.Shape{8, 4}, torch.Float64)) }), torch.ErrDType)
		assert.ErrorIs(t, kind(func() { m.Run(torch.Ones(torch.Shape{4, 8}).T()) }), torch.ErrValue)
		err := kind(func() { m.Run(torch.Ones(torch.Shape{8, 4}, torch.Meta)) })
		require.ErrorIs(t, err, torch.ErrDevice)
		assert.ErrorContains(t, err, "inputs[0]: expected a tensor on cpu, got one on meta")
	})
	both := load(t, "mlp", aoti.Inputs{{Shape: []aoti.Dim{{Min: 5, Max: 100}, aoti.Size(4)}}})
	torch.Scope(func() {
		both.Run(torch.Ones(torch.Shape{5, 4}))
		for _, n := range []int64{4, 65} {
			assert.ErrorIs(t, kind(func() { both.Run(torch.Ones(torch.Shape{n, 4})) }), torch.ErrShape)
		}
	})
}
