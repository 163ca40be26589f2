package dcp_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/filetest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// limit is the memory that reading may use: two buffers of 64 KiB, and a few hundred bytes for each
// byte of the file.
var limit = filetest.Limit{Bytes: 512 << 10, Times: 400}

// small returns a small checkpoint for tests that damage it.
func small(t *testing.T) (dir string, m *dcp.Metadata) {
	t.Helper()
	dir = t.TempDir()
	torch.Scope(func() {
		require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{
			"x": []dcp.Shard{
				{Tensor: torch.Ones(torch.Shape{2, 3}), Offsets: torch.Shape{0, 0}, Size: torch.Shape{4, 3}},
				{Tensor: torch.Ones(torch.Shape{2, 3}), Offsets: torch.Shape{2, 0}, Size: torch.Shape{4, 3}},
			},
			"y": torch.Ones(torch.Shape{5}), "n": 1,
			"deep": map[string]any{"list": []any{torch.Ones(torch.Shape{1}), 2}},
		}, dir))
	})
	m, err := dcp.ReadMetadata(dir)
	require.NoError(t, err)
	return dir, m
}

// put writes a .metadata file.
func put(t *testing.T, dir string, text []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".metadata"), text, 0o600))
}

// The contents of .metadata are checked before anything else is read.
func TestHostileMetadata(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for text, c := range map[string]struct {
		change func(m *dcp.Metadata)
		kind   error
	}{
		"which is outside the folder": {func(m *dcp.Metadata) {
			m.Get("y").Chunks[0].File = "../__0_0.distcp"
		}, torch.ErrFormat},
		`the file "/etc/passwd"`: {
			func(m *dcp.Metadata) { m.Get("n").Chunks[0].File = "/etc/passwd" },
			torch.ErrFormat,
		},
		`the file ""`: {func(m *dcp.Metadata) { m.Get("n").Chunks[0].File = "" }, torch.ErrFormat},
		`the file "a/../../b"`: {
			func(m *dcp.Metadata) { m.Get("n").Chunks[0].File = "a/../../b" },
			torch.ErrFormat,
		},
		`the file "a\x00b"`: {
			func(m *dcp.Metadata) { m.Get("n").Chunks[0].File = "a\x00b" },
			torch.ErrFormat,
		},
		`the file "a/../__0_0.distcp", expected "__0_0.distcp"`: {
			func(m *dcp.Metadata) { m.Get("n").Chunks[0].File = "a/../__0_0.distcp" },
			torch.ErrFormat,
		},
		`the file ".//__0_0.distcp"`: {
			func(m *dcp.Metadata) { m.Get("y").Chunks[0].File = ".//__0_0.distcp" },
			torch.ErrFormat,
		},
		"a size of 65 dimensions": {func(m *dcp.Metadata) {
			m.Get("y").Shape = make(torch.Shape, 65)
		}, torch.ErrFormat},
		"overlap": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Offsets = torch.Shape{1, 0}
		}, torch.ErrFormat},
		"exceeds the shape (4, 3)": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Offsets = torch.Shape{3, 0}
		}, torch.ErrFormat},
		"of size (2, 3) at offset (-1, 0)": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Offsets = torch.Shape{-1, 0}
		}, torch.ErrFormat},
		"of size (-2, 3) at offset (2, 0)": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Size = torch.Shape{-2, 3}
		}, torch.ErrFormat},
		"at offset (9223372036854775807, 0)": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Offsets = torch.Shape{math.MaxInt64, 0}
		}, torch.ErrFormat},
		"but the tensor has 2 dimensions": {func(m *dcp.Metadata) {
			m.Get("x").Chunks[1].Offsets = torch.Shape{0}
		}, torch.ErrFormat},
		"(1099511627776, 1099511627776)": {func(m *dcp.Metadata) {
			m.Get("y").Shape = torch.Shape{1 << 40, 1 << 40}
		}, torch.ErrFormat},
		"shape (-5,) is invalid": {func(m *dcp.Metadata) { m.Get("y").Shape = torch.Shape{-5} }, torch.ErrFormat},
		"a part needs 4398046511104 bytes": {func(m *dcp.Metadata) {
			m.Get("y").Shape, m.Get("y").Chunks[0].Size = torch.Shape{1 << 40}, torch.Shape{1 << 40}
		}, torch.ErrFormat},
		"bytes at offset -5 of": {
			func(m *dcp.Metadata) { m.Get("y").Chunks[0].Start = -5 },
			torch.ErrFormat,
		},
		"bytes at offset 9223372036854775807 of": {func(m *dcp.Metadata) {
			m.Get("y").Chunks[0].Start = math.MaxInt64
		}, torch.ErrFormat},
		"also belong to": {func(m *dcp.Metadata) {
			m.Get("y").Chunks[0].Start = m.Get("n").Chunks[0].Start
		}, torch.ErrFormat},
		"the checkpoint lacks 6 elements": {func(m *dcp.Metadata) {
			m.Get("x").Chunks = m.Get("x").Chunks[:1]
		}, torch.ErrNotFound},
		"but .metadata says a tensor of float32": {func(m *dcp.Metadata) {
			m.Get("y").Shape = torch.Shape{1, 5}
			m.Get("y").Chunks[0] = dcp.Chunk{
				Offsets: torch.Shape{0, 0}, Size: torch.Shape{1, 5},
				File: m.Get("y").Chunks[0].File, Start: m.Get("y").Chunks[0].Start, Length: m.Get("y").Chunks[0].Length,
			}
		}, torch.ErrFormat},
		"but .metadata says a tensor of int32": {
			func(m *dcp.Metadata) { m.Get("y").DType = torch.Int32 },
			torch.ErrFormat,
		},
		"the value's bytes end at": {func(m *dcp.Metadata) {
			last(m).Chunks[0].Length += 1 << 20
		}, torch.ErrTruncated},
		"at index 2147483647 of a list": {func(m *dcp.Metadata) {
			m.Get("deep.list.1").Path = []any{"deep", "list", math.MaxInt32}
		}, torch.ErrFormat},
		"a different value, a dict or a list": {func(m *dcp.Metadata) {
			m.Get("deep.list.1").Path = []any{"deep", "list", "1"}
		}, torch.ErrFormat},
		"a dict or a list at this place": {func(m *dcp.Metadata) {
			m.Get("deep.list.1").Path = []any{"deep", "list"}
		}, torch.ErrFormat},
		"the file has a value that is not a tensor": {
			func(m *dcp.Metadata) { swap(m.Get("n"), m.Get("y")) },
			torch.ErrFormat,
		},
		"no such file or directory": {func(m *dcp.Metadata) {
			m.Get("y").Chunks[0].File = "__9_9.distcp"
		}, nil},
		"expected a file, got a folder": {func(m *dcp.Metadata) {
			m.Get("y").Chunks[0].File = "folder"
		}, torch.ErrFormat},
		"expected a file, got a pipe": {func(m *dcp.Metadata) {
			m.Get("n").Chunks[0].File = "pipe"
		}, torch.ErrFormat},
		"the file has a tensor of float32 (1,)": {func(m *dcp.Metadata) {
			swap(m.Get("deep.list.0"), m.Get("y"))
		}, torch.ErrFormat},
		"but .metadata says a tensor of complex64": {func(m *dcp.Metadata) {
			m.Get("deep.list.0").DType = torch.Complex64
		}, torch.ErrFormat},
	} {
		t.Run(text, func(t *testing.T) {
			dir, m := small(t)
			require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
			require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
			c.change(m)
			b, err := dcp.Encode(m)
			require.NoError(t, err)
			put(t, dir, b)
			refused(t, text, c.kind, dir)
		})
	}
}

// last returns the value at the end of the data file.
func last(m *dcp.Metadata) *dcp.Item {
	at := &m.Items[0]
	for i := range m.Items {
		if m.Items[i].Chunks[0].Start > at.Chunks[0].Start && len(m.Items[i].Chunks) == 1 {
			at = &m.Items[i]
		}
	}
	return at
}

// swap exchanges the positions of two values.
func swap(a, b *dcp.Item) {
	x, y := &a.Chunks[0], &b.Chunks[0]
	x.Start, x.Length, y.Start, y.Length = y.Start, y.Length, x.Start, x.Length
}

// refused loads a damaged checkpoint into nil and into tensors. Load must return an error about a
// file, leave no tensors behind, and use little memory.
func refused(t *testing.T, text string, kind error, dir string) {
	t.Helper()
	torch.Scope(func() {
		for _, wanted := range []func() map[string]any{
			func() map[string]any { return map[string]any{"x": nil, "y": nil, "n": nil, "deep": nil} },
			func() map[string]any {
				x := dcp.Shard{
					Tensor: torch.Zeros(torch.Shape{3, 3}), Offsets: torch.Shape{1, 0},
					Size: torch.Shape{4, 3},
				}
				return map[string]any{"x": x, "deep": nil, "y": nil, "n": nil}
			},
		} {
			state := wanted()
			tensors := torch.NumLiveTensors()
			err := dcp.Load(t.Context(), nil, dir, state)
			var fe *torch.FileError
			require.ErrorAs(t, err, &fe)
			if kind != nil {
				require.ErrorIs(t, err, kind, err.Error())
			}
			require.True(t, strings.HasPrefix(fe.Path, dir), fe.Path)
			require.True(t, fe.Offset >= 0 || fe.Tensor != "", err.Error())
			if text != "" {
				require.ErrorContains(t, err, text)
			}
			require.Less(t, len(err.Error()), 1000)
			require.Equal(t, tensors, torch.NumLiveTensors(), "tensors are left")
		}
	})
}

// If .metadata is truncated or changed at any byte, ReadMetadata returns an error or a checkpoint,
// and uses memory in proportion to the file's size.
func TestEveryByteOfMetadata(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, _ := small(t)
	path := filepath.Join(dir, ".metadata")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	read := func() error { _, err := dcp.ReadMetadata(dir); return err }
	for n := range text {
		put(t, dir, text[:n])
		filetest.Bounded(t, path, int64(n), torch.ErrTruncated, limit, read)
	}
	for n := range text {
		b := bytes.Clone(text)
		b[n] ^= 1 << (n % 8)
		put(t, dir, b)
		if read() != nil {
			filetest.Bounded(t, path, int64(len(b)), nil, limit, read)
		}
	}
}

// Tests pickles that refer to one value repeatedly, that run code, or that are invalid.
func TestPicklesThatAreNone(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	path := filepath.Join(dir, ".metadata")
	const meta = "ctorch.distributed.checkpoint.metadata\n"
	object := func(class string, fields ...string) string {
		return meta + class + "\n)\x81}(" + strings.Join(fields, "") + "ub"
	}
	word := func(s string) string { return "X" + string([]byte{byte(len(s)), byte(len(s) >> 8), 0, 0}) + s }
	top := func(state, storage string, more ...string) string {
		return "\x80\x02" + object("Metadata",
			append([]string{word("state_dict_metadata"), state, word("storage_data"), storage}, more...)...) + "."
	}
	size := func(items string) string { return "ctorch\nSize\n(" + items + "t\x85R" }
	properties := meta + "TensorProperties\n)\x81(ctorch\nfloat32\nctorch.serialization\n_get_layout\n" +
		word("torch.strided") + "\x85R\x89K\x00\x89tb"
	tensor := func(chunks string) string {
		return object("TensorStorageMetadata", word("properties"), properties, word("size"), size("K\x02"),
			word("chunks"), chunks)
	}
	many := strings.Repeat("h\x05", 5000)
	for name, c := range map[string]struct {
		text string
		kind error
		want string
	}{
		"nothing":  {"", torch.ErrTruncated, "too early"},
		"text":     {"hello", torch.ErrFormat, ""},
		"a number": {"\x80\x02K\x01.", torch.ErrFormat, "the file: expected a Python object"},
		"a program": {
			"\x80\x02cos\nsystem\n" + word("rm -rf /") + "\x85R.", torch.ErrUnsupported,
			`the file: unexpected class "os.system"`,
		},
		"another class": {"\x80\x02" + meta + "StorageMeta\n)\x81.", torch.ErrUnsupported, "StorageMeta"},
		"no state": {
			"\x80\x02" + meta + "Metadata\n)\x81.", torch.ErrFormat,
			"state_dict_metadata is not a dict",
		},
		"no places": {top("}", "N"), torch.ErrFormat, "storage_data is not a dict"},
		"a place of another": {
			top("}",
				"}("+object("MetadataIndex", word("fqn"), word("a"))+"cbuiltins\nobject\n)\x81u"), torch.ErrUnsupported,
			"builtins.object",
		},
		"no place": {
			top("}("+word("a")+object("BytesStorageMetadata")+"u", "}"), torch.ErrFormat,
			"storage_data has no position for the part",
		},
		"a list of no parts": {
			top("}("+word("a")+tensor("N")+"u", "}"), torch.ErrFormat,
			"the list of parts is missing",
		}, "a later version": {
			top("}", "}", word("version"), word("2.0")), torch.ErrUnsupported,
			`the metadata has version "2.0"`,
		},
		"a call of a call": {
			"\x80\x02K\x01)R.", torch.ErrFormat,
			"the pickle calls a value that is not a function",
		},
		"an object of a number": {"\x80\x02K\x01)\x81.", torch.ErrFormat, "an object from a value that is not a class"},
		"a state for a number": {
			"\x80\x02K\x01}b.", torch.ErrFormat,
			"the pickle sets the state of a value that is not an object",
		},
		"a reference": {"\x80\x02K\x01Q.", torch.ErrFormat, "the pickle refers to data outside of itself"},
		"items for a number": {
			"\x80\x02K\x01(K\x02e.", torch.ErrFormat,
			"the pickle adds items to a value that is not an object",
		},
		"a layout of a number": {
			"\x80\x02ctorch.serialization\n_get_layout\nK\x01\x85R.", torch.ErrFormat,
			"an invalid layout",
		},
		"a size of a number": {
			"\x80\x02ctorch\nSize\nK\x01\x85R.", torch.ErrFormat,
			"the argument of torch.Size is not a tuple",
		},
		"a name that is too long": {top("}(B\x05\x00\x00\x00aaaaaNu", "}"), torch.ErrFormat, "as a name"},
		"parts again and again": {
			"\x80\x02" + object("ChunkStorageMetadata", word("offsets"), size("K\x00"), word("sizes"), size("K\x01")) +
				"q\x050](" + many + "eq\x060" +
				strings.TrimPrefix(top("}("+strings.Repeat(word("a")+tensor("h\x06"), 20)+
					strings.ReplaceAll(strings.Repeat(word("a?")+tensor("h\x06"), 1), "?", "b")+"u", "}"), "\x80\x02"),
			torch.ErrFormat, "",
		},
		"sizes again and again": {
			"\x80\x02(" + strings.Repeat("K\x01", 5000) + "tq\x050" +
				strings.TrimPrefix(top("}",
					"}("+strings.Repeat(object("MetadataIndex", word("fqn"), word("a"), word("offset"), "h\x05")+
						"ctorch.distributed.checkpoint.filesystem\n_StorageInfo\n)\x81}("+word("relative_path")+
						word("f")+word("offset")+"K\x00"+word("length")+"K\x00ub", 100)+"u"), "\x80\x02"),
			torch.ErrFormat, "a size of 5000 dimensions",
		},
		"many lists": {
			"\x80\x02](" + strings.Repeat("]", 100000) + "e.", torch.ErrFormat,
			"which the size of the file does not explain",
		},
	} {
		t.Run(name, func(t *testing.T) {
			put(t, dir, []byte(c.text))
			e := filetest.Bounded(t, path, int64(len(c.text)), nil, limit, func() error {
				_, err := dcp.ReadMetadata(dir)
				return err
			})
			require.ErrorIs(t, e, c.kind)
			require.ErrorContains(t, e, c.want)
		})
	}
}

// If a data file is truncated or changed at any byte, Load returns an error that names the file,
// unless the byte does not matter.
func TestEveryByteOfValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, _ := small(t)
	path := filepath.Join(dir, "__0_0.distcp")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := 0; n < len(text); n += 61 {
		require.NoError(t, os.WriteFile(path, text[:n], 0o600))
		refused(t, "", nil, dir)
	}
	for n := 0; n < len(text); n += 37 {
		b := bytes.Clone(text)
		b[n] ^= 1 << (n % 8)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		torch.Scope(func() {
			err := dcp.Load(t.Context(), nil, dir, map[string]any{"x": nil, "y": nil, "n": nil, "deep": nil})
			if err != nil {
				require.ErrorAs(t, err, new(*torch.FileError))
				require.ErrorContains(t, err, path)
			}
		})
	}
}

// Objects of classes that are not allowed are not created.
func TestUnsafeValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir, m := small(t)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/data.pkl", Method: zip.Store})
	require.NoError(t, err)
	_, err = w.Write([]byte("\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "__5_5.distcp"), b.Bytes(), 0o600))
	c := &m.Get("n").Chunks[0]
	c.File, c.Start, c.Length = "__5_5.distcp", 0, int64(b.Len())
	meta, err := dcp.Encode(m)
	require.NoError(t, err)
	put(t, dir, meta)
	err = dcp.Load(t.Context(), nil, dir, map[string]any{"n": 0})
	require.ErrorIs(t, err, serialization.ErrUnsafe)
	require.ErrorAs(t, err, new(*torch.FileError))
	assert.ErrorContains(t, err, "__5_5.distcp")
	assert.ErrorContains(t, err, "os.system")
	assert.ErrorIs(t, dcp.Far(err), serialization.ErrUnsafe)
}

// Compressed values are refused: a file of a few kilobytes could contain any number of
// values of a megabyte.
func TestCompressedValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const values, mib = 100, 1 << 20
	pickle := binary.LittleEndian.AppendUint32([]byte("\x80\x03B"), mib)
	pickle = append(append(pickle, make([]byte, mib)...), '.')
	var value bytes.Buffer
	z := zip.NewWriter(&value)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "archive/data.pkl", Method: zip.Deflate})
	require.NoError(t, err)
	_, err = w.Write(pickle)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	dir, n, m := t.TempDir(), value.Len(), new(dcp.Metadata)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), bytes.Repeat(value.Bytes(), values), 0o600))
	for i := range values {
		name := fmt.Sprint("v", i)
		m.Items = append(m.Items, dcp.Item{
			Name: "many." + name, Path: []any{"many", name},
			Chunks: []dcp.Chunk{{File: "f", Start: int64(i * n), Length: int64(n)}},
		})
	}
	text, err := dcp.Encode(m)
	require.NoError(t, err)
	put(t, dir, text)
	filetest.Costs(t, 8*mib, func() { err = dcp.Load(t.Context(), nil, dir, map[string]any{"many": nil}) })
	require.ErrorIs(t, err, torch.ErrUnsupported)
	assert.ErrorContains(t, err, "compressed")
}

// Overlapping finds parts that overlap, but not adjacent ones.
func TestOverlapping(t *testing.T) {
	grid := func(n int64) (at, size [][]int64) {
		for i := range n {
			for j := range n {
				at, size = append(at, []int64{2 * i, 3 * j}), append(size, []int64{2, 3})
			}
		}
		return at, size
	}
	at, size := grid(40)
	i, j, ok := dcp.Overlapping(at, size)
	assert.Equal(t, []any{-1, -1, true}, []any{i, j, ok})
	size[777] = []int64{2, 4}
	i, j, ok = dcp.Overlapping(at, size)
	assert.Equal(t, []any{777, 778, true}, []any{i, j, ok})
	i, j, ok = dcp.Overlapping([][]int64{{}, {}}, [][]int64{{}, {}})
	assert.Equal(t, []any{0, 1, true}, []any{i, j, ok})
	_, _, ok = dcp.Overlapping([][]int64{{0}, {1}, {0}}, [][]int64{{2}, {0}, {0}})
	assert.True(t, ok, "what is empty is nowhere")
	// In each dimension so many boxes overlap that comparing all pairs would take too long, so
	// Overlapping gives up.
	at, size = nil, nil
	for n := range int64(50_000) {
		at, size = append(at, []int64{0, 2 * n, 0}, []int64{0, 0, 2 * n}),
			append(size, []int64{9, 1, 1 << 40}, []int64{9, 1 << 40, 1})
	}
	_, _, ok = dcp.Overlapping(at, size)
	assert.False(t, ok)
}

// A value may contain one list many times. It is not converted to so many lists.
func TestListsAgainAndAgain(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	const many, mib = 10_000, 1 << 20
	list := make([]any, many)
	for i := range list {
		list[i] = int64(i)
	}
	rows := make([]any, many)
	for i := range rows {
		rows[i] = list
	}
	require.NoError(t, dcp.Save(t.Context(), nil, map[string]any{"rows": rows, "few": []any{list, list}}, dir))
	for name, state := range map[string]any{"rows": [][]int{}, "lists": [][][]int{}} {
		filetest.Costs(t, 64*mib, func() {
			err := dcp.Load(t.Context(), nil, dir, map[string]any{"rows": state})
			require.ErrorIs(t, err, torch.ErrMismatch, name)
		})
	}
	err := dcp.Load(t.Context(), nil, dir, map[string]any{"rows": [][]int{}})
	require.ErrorContains(t, err, "which its size in the file does not explain")
	state := map[string]any{"few": [][]int{}}
	require.NoError(t, dcp.Load(t.Context(), nil, dir, state))
	assert.Len(t, state["few"].([][]int)[1], many)
	state = map[string]any{"rows": nil}
	require.NoError(t, dcp.Load(t.Context(), nil, dir, state))
	assert.Len(t, state["rows"], many)
}
