package serialization_test

import (
	"archive/zip"
	"bytes"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// pickled writes a file that contains the given pickle, and returns the file's path.
func pickled(t *testing.T, pickle string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.pt")
	require.NoError(t, os.WriteFile(path, archived([]byte(pickle)), 0o600))
	return path
}

// If a short pickle refers to a long value many times, it is refused. Otherwise the time
// and memory would be quadratic in the size of the file.
func TestReferencesToWhatIsLong(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib = "\x00\x00\x10\x00"
	text := "X" + mib + strings.Repeat("k", 1<<20) + "q\x00" // memo number 0
	number := "\x8b\x00\x10\x00\x00" + strings.Repeat("\x01", 1<<12) + "q\x00"
	for name, c := range map[string]struct{ pickle, text string }{
		"keys of texts": {
			text + "}" + strings.Repeat("h\x00Ns", 100),
			"keys that are larger than the file explains",
		},
		"keys of bytes": {
			"B" + text[1:] + "}" + strings.Repeat("h\x00Ns", 100),
			"keys that are larger than the file explains",
		},
		"a set of texts": {
			text + "\x8f(" + strings.Repeat("h\x00", 100) + "\x90",
			"keys that are larger than the file explains",
		},
		"keys of numbers": {
			number + "}" + strings.Repeat("h\x00Ns", 100),
			"keys that are larger than the file explains",
		},
		"names":             {text + "h\x00\x93", "the name of a global of 1048576 bytes"},
		"names of a module": {"c" + strings.Repeat("m", 2000) + "\nx\n", "the name of a global of 2000 bytes"},
		"dicts of one pair": {
			"NN\x86q\x01]q\x00(" + strings.Repeat("h\x01", 5000) + "e" +
				"ccollections\nOrderedDict\nq\x02" + strings.Repeat("h\x02h\x00\x85R0", 100),
			"more values than the file has bytes",
		},
		"sets of one list": {"]q\x00(" + strings.Repeat("N", 5000) + "e" + "cbuiltins\nset\nq\x02" +
			strings.Repeat("h\x02h\x00\x85R0", 100), "more values than the file has bytes"},
		"a call of a number": {number + ")R", "the pickle calls an int, which is not a function"},
	} {
		path := pickled(t, c.pickle+".")
		_, err := serialization.Load(path)
		require.ErrorIs(t, err, torch.ErrFormat, name)
		assert.ErrorContains(t, err, c.text, name)
		assert.Less(t, len(err.Error()), 500, name)
		_, err = serialization.Inspect(path)
		require.ErrorIs(t, err, torch.ErrFormat, name)
	}
	v, err := serialization.Load(pickled(t,
		"X\x2c\x01\x00\x00"+strings.Repeat("k", 300)+"q\x00]("+strings.Repeat("}h\x00Ns", 5000)+"e."))
	require.NoError(t, err, "names of usual lengths may be the keys of many")
	assert.Len(t, v, 5000)
}

// If a list refers to the same bytes or the same storage many times, they are loaded once.
func TestReferencesToBytesAndStorages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const many, mib = 2000, 1 << 20
	again := "q\x00](" + strings.Repeat("h\x00", many) + "e."
	path := pickled(t, "B\x00\x00\x10\x00"+strings.Repeat("k", mib)+again)
	filetest.Costs(t, 16*mib, func() {
		v, err := serialization.Load(path)
		require.NoError(t, err)
		require.Len(t, v, many)
		assert.Len(t, v.([]any)[many-1], mib)
	})
	live := torch.NumLiveTensors()
	path = pickled(t, "(U\x07storagectorch\nFloatStorage\nU\x010U\x03cpuK\x10tQ"+again)
	v, err := serialization.Load(path)
	require.NoError(t, err)
	assert.LessOrEqual(t, torch.NumLiveTensors(), live+1)
	serialization.Close(v)
}

// A pickle may call the result of a call, and again the result of that call. The recorded
// name does not grow.
func TestResultsThatAreCalled(t *testing.T) {
	path := pickled(t, "cos\nsystem\n"+strings.Repeat(")R", 20000)+".")
	found, err := serialization.Inspect(path)
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.Equal(t, "os.system(...)", found[1].Name)
	assert.Equal(t, 19999, found[1].Count)
	_, err = serialization.Load(path)
	require.ErrorIs(t, err, serialization.ErrUnsafe)
	v, err := serialization.Load(path, serialization.Opaque(true))
	require.NoError(t, err)
	assert.Equal(t, "os.system(...)", v.(*serialization.Object).Global)
}

// An error quotes only the beginning of a long text.
func TestErrorsAreShort(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	key := "B\x88\x13\x00\x00" + strings.Repeat("k", 5000)
	text := "X" + key[1:]
	for name, pickle := range map[string]string{
		"a key of bytes": "}" + key + "Ns.",
		"a key":          "}" + text + "Ns.",
		"a storage":      "((U\x07storagectorch\nFloatStorage\n" + text + "U\x03cpuK\x01tQ.",
		"a device":       "ctorch\ndevice\n" + text + "\x85R.",
		"a layout":       "ctorch.serialization\n_get_layout\n" + text + "\x85R.",
		"a class":        "c" + strings.Repeat("k", 1000) + "\nk\n)R.",
		"an argument":    "cos\nsystem\n" + text + "\x85R.",
		"an escape":      "c\x1b[2J\nk\n)R.",
		"a name alone":   "c\x1b[2J\nk\n.",
		"an object":      "c\x1b[2J\nk\n}b.",
		"a class within": "cos\nsystem\nc\x1b[2J\nk\n\x85R.",
		"a number":       "I" + strings.Repeat("9", 4000) + "x\n.",
		"bytes":          key + ".",
		"a long number":  "\x8b\x00\x10\x00\x00" + strings.Repeat("\x01", 1<<12) + ".",
		"keys":           "}\x8b\x00\x10\x00\x00" + strings.Repeat("\x01", 1<<12) + "Ns.",
		"an encoding":    "c_codecs\nencode\n" + text + text + "\x86R.",
	} {
		path := pickled(t, pickle)
		_, err := serialization.LoadStateDict(path)
		require.Error(t, err, name)
		assert.Less(t, len(err.Error())-len(path), 500, "%s: %v", name, err)
		assert.NotContains(t, err.Error(), "\x1b", name)
	}
}

// The error for a storage that is too short escapes the storage's name.
func TestNamesOfStorages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"a/data.pkl":          "(U\x07storagectorch\nFloatStorage\nU\x04\x1b[2JU\x03cpuK\x10tQ.",
		"a/data/" + "\x1b[2J": "four",
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	_, err := serialization.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.ErrorIs(t, err, torch.ErrTruncated)
	assert.NotContains(t, err.Error(), "\x1b")
	assert.ErrorContains(t, err, `"\x1b[2J" of 64 bytes, of which the file has 4`)
}

// A pickle with too many values is refused before the values take more memory than the size
// of the file allows. This holds for every opcode, and for compressed files. A dict, the
// largest value, takes 96 bytes, and up to 4 times 16 bytes on the stack. The number of
// values may be at most half the number of bytes plus 16,384.
func TestValuesThatTheFileDoesNotExplain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "a.pt")
	for _, op := range []string{"]", "}", "\x8f", "}]", "]\x85"} {
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for name, data := range map[string]string{
				"a/data.pkl": "](" + strings.Repeat(op, 1<<18) + "e.",
				"a/more":     strings.Repeat("x", 1<<16),
			} {
				h := &zip.FileHeader{Name: name, Method: zip.Store}
				if name == "a/data.pkl" {
					h.Method = method
				}
				w, err := z.CreateHeader(h)
				require.NoError(t, err)
				_, err = w.Write([]byte(data))
				require.NoError(t, err)
			}
			require.NoError(t, z.Close())
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
			for _, read := range []func(string) error{
				func(path string) error { _, err := serialization.Load(path); return err },
				func(path string) error { _, err := serialization.Inspect(path); return err },
			} {
				e := filetest.Refused(t, path, int64(b.Len()), torch.ErrFormat,
					filetest.Limit{Bytes: limit.Bytes + 160<<14, Times: limit.Times}, func() error {
						return read(path)
					})
				assert.ErrorContains(t, e, "which the size of the file does not explain", "%q", op)
			}
		}
	}
}

// In Python's files, each empty tuple takes one byte. Here all empty tuples are the same
// value.
func TestEmptyTuples(t *testing.T) {
	const n = 1 << 17
	data := archived([]byte("\x80\x02](" + strings.Repeat(")", n) + "e."))
	v, err := serialization.LoadFrom(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	require.Len(t, v, n)
	assert.Equal(t, serialization.Tuple{}, v.([]any)[n-1])
}

// Paths that are not regular files are refused. No function waits for data from a pipe.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, path := range []string{dir, pipe, os.DevNull, "/dev/zero"} {
		for name, read := range map[string]func() error{
			"Load":          func() error { _, err := serialization.Load(path); return err },
			"LoadStateDict": func() error { _, err := serialization.LoadStateDict(path); return err },
			"OpenStateDict": func() error { _, err := serialization.OpenStateDict(path); return err },
			"Inspect":       func() error { _, err := serialization.Inspect(path); return err },
		} {
			err := read()
			require.ErrorIs(t, err, torch.ErrFormat, "%s %s", name, path)
			assert.ErrorContains(t, err, path+": expected a file, got a ", name)
		}
	}
}

// A view without elements may begin beyond the end of its storage, because Python writes
// such files.
func TestViewsOfNothing(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Zeros(torch.Shape{0, 4}).Narrow(1, 1, 3)
		require.Equal(t, int64(1), x.StorageOffset())
		require.Zero(t, x.StorageBytes())
		path := filepath.Join(t.TempDir(), "a.pt")
		require.NoError(t, serialization.Save(map[string]*torch.Tensor{"x": x}, path))
		for _, mmap := range []bool{false, true} {
			v, err := serialization.LoadStateDict(path, serialization.Mmap(mmap))
			require.NoError(t, err)
			got := v.Get("x")
			assert.Equal(t, torch.Shape{0, 3}, got.Shape())
			assert.Equal(t, x.Stride(), got.Stride())
			require.NoError(t, serialization.Save(map[string]*torch.Tensor{"x": got}, path))
		}
	})
}

// Elements that are not aligned, as in a repacked archive, are copied and not mapped.
func TestMappedAtAnyPlace(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		first := filepath.Join(t.TempDir(), "a.pt")
		require.NoError(t, serialization.Save(torch.FromSlice([]float64{1, 2}), first))
		r, err := zip.OpenReader(first)
		require.NoError(t, err)
		defer func() { require.NoError(t, r.Close()) }()
		for shift := range 8 {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			_, err := w.Create("a/" + strings.Repeat("x", 1+shift))
			require.NoError(t, err)
			for _, f := range r.File {
				f.Extra = nil // removes the padding that aligned the elements
				require.NoError(t, w.Copy(f))
			}
			require.NoError(t, w.Close())
			path := filepath.Join(t.TempDir(), "b.pt")
			require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
			v, err := serialization.Load(path, serialization.Mmap(true))
			require.NoError(t, err)
			x := v.(*torch.Tensor)
			assert.Equal(t, []float64{1, 2}, x.Float64s())
			assert.Zero(t, x.DataPtr()%8, "shift %d", shift)
		}
	})
}

// If a file is truncated before it is mapped, the result is an error. Reading beyond the
// end of a mapped file would end the process.
func TestShorterBeforeItIsMapped(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "a.pt")
	torch.Scope(func() {
		require.NoError(t, serialization.Save(map[string]*torch.Tensor{"x": torch.Ones(torch.Shape{10_000})}, path))
	})
	f, err := serialization.OpenStateDict(path, serialization.Mmap(true))
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 1000))
	_, err = f.Tensor("x")
	require.ErrorIs(t, err, torch.ErrTruncated)
	require.NoError(t, f.Close())
}

// A sparse tensor may consist of a few bytes to which strides of 0 give any number of elements.
// libtorch would go through all of them.
func TestSparseTensorsOfManyElements(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const many = "\x8a\x06\x00\x00\x00\x00\x00\x01" // 1 << 40
	tensor := func(size, stride string) string {
		return "ctorch._utils\n_rebuild_tensor_v2\n((U\x07storagectorch\nLongStorage\nU\x010U\x03cpuK\x01tQK\x00" +
			size + stride + "\x89ccollections\nOrderedDict\n)RtR"
	}
	layout := func(name string) string {
		return "ctorch._utils\n_rebuild_sparse_tensor\n(ctorch.serialization\n_get_layout\n(U\x10" + name + "tR("
	}
	line := "(" + many + "t(K\x00t"
	for name, pickle := range map[string]string{
		"indices": layout("torch.sparse_coo") + tensor("(K\x01"+many+"t(K\x00K\x00t", "") + tensor(line, "") +
			"(K\x05t\x89ttR.",
		"compressed": layout("torch.sparse_csr") + tensor(line, "") + tensor(line, "") + tensor(line, "") +
			"(" + many + "K\x05tttR.",
	} {
		_, err := serialization.Load(pickled(t, pickle))
		require.ErrorIs(t, err, torch.ErrFormat, name)
		assert.ErrorContains(t, err, "is larger than the file explains", name)
	}
}

// A file may join two long texts to the name of a class in a few bytes, and make an object of a class
// in a few more.
func TestLongNamesAgainAndAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	texts := ""
	for i := range 200 {
		texts += "X\xe8\x03\x00\x00" + strings.Repeat(string(rune('a'+i%26)), 1000) + "r" +
			string([]byte{byte(i), 0, 0, 0}) + "0"
	}
	names := []byte(texts + "(")
	for i := range 200 {
		for j := range 200 {
			names = append(names, 'h', byte(i), 'h', byte(j), 0x93)
		}
	}
	_, err := serialization.Inspect(pickled(t, string(names)+"l."))
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "the names of globals: more values than the file has bytes")

	const mib, many = 1 << 20, 5000
	class := "c" + strings.Repeat("m", 1000) + "\n" + strings.Repeat("n", 1000) + "\nq\x00"
	for name, object := range map[string]string{"calls": "h\x00)R", "calls of results": "h\x00)R)R"} {
		path := pickled(t, class+"("+strings.Repeat(object, many)+"l.")
		filetest.Costs(t, 8*mib, func() {
			v, err := serialization.Load(path, serialization.Opaque(true))
			require.NoError(t, err, name)
			assert.Len(t, v, many, name)
		})
	}
}

// A value that is loaded from a file may contain the same bytes many times. They are saved once.
func TestSaveOfWhatIsLong(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib, many = 1 << 20, 1000
	data := bytes.Repeat([]byte("k"), mib)
	shape := make(torch.Shape, mib)
	number := new(big.Int).Lsh(big.NewInt(1), mib)
	for name, v := range map[string]any{
		"bytes": data, "a bytearray": serialization.ByteArray(data), "a size": shape, "a number": number,
	} {
		var b bytes.Buffer
		require.NoError(t, serialization.SaveTo(&b, slices.Repeat([]any{v}, many)), name)
		assert.Less(t, b.Len(), 8*mib, name)
		if name == "a number" { // longer than Load accepts
			continue
		}
		got, err := serialization.LoadFrom(bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err, name)
		require.Len(t, got, many, name)
		assert.Equal(t, v, got.([]any)[many-1], name)
	}
}
