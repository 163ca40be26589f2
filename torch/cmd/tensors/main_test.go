package main

import (
	"bytes"
	"encoding/json"
	"flag"
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
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

var update = flag.Bool("update", false, "write testdata/output.txt anew")

func TestMain(m *testing.M) {
	torch.SetWarnings(torch.WarnNever) // as main does
	os.Exit(m.Run())
}

// tensors runs the command, and checks that it leaks no tensors.
func tensors(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return tensorsOf(t, "", args...)
}

func tensorsOf(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	live := torch.NumLiveTensors()
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &err)
	assert.LessOrEqual(t, torch.NumLiveTensors(), live, "tensors are left")
	return status, out.String(), err.String()
}

// made creates the test files in a new directory.
func made(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	torch.Scope(func() {
		w := torch.FromSlice([]float32{1, -2, 0, 4}, 2, 2)
		odd := torch.FromSlice([]float64{0, 1, 3}).Div(torch.FromSlice([]float64{0, 0, 2}))
		require.NoError(t,
			safetensors.SaveFile(map[string]*torch.Tensor{"w": w, "odd": odd}, filepath.Join(dir, "small.safetensors"),
				safetensors.Metadata{"format": "pt", "color\x1b[31m": "red"}))
		model := serialization.NewOrderedDict("head.weight", w, "tail.weight", w.T(), "half", w.To(torch.BFloat16))
		require.NoError(t, serialization.Save(serialization.NewDict(
			"model", model, "epoch", 3, "optimizer",
			serialization.NewDict("state", serialization.NewDict(0, serialization.NewDict("exp_avg", odd))),
		), filepath.Join(dir, "checkpoint.pt")))
	})
	return dir
}

// The output of the commands in testdata/output.txt equals the output stored there. With
// -update the test writes it.
func TestOutput(t *testing.T) {
	const path = "testdata/output.txt"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	defer torchtest.CheckLeaks(t)()
	dir := made(t)
	root := filepath.Join("..", "..")
	var got strings.Builder
	for line := range strings.Lines(string(text)) {
		command, ok := strings.CutPrefix(line, "$ tensors ")
		if !ok {
			continue
		}
		args := strings.Fields(command)
		for i := range args {
			args[i] = strings.NewReplacer("MADE", dir, "TORCH", root).Replace(args[i])
		}
		status, stdout, stderr := tensors(t, args...)
		got.WriteString(line + strings.NewReplacer(dir, "MADE", root, "TORCH").Replace(stdout+stderr))
		if status != 0 {
			got.WriteString("exit status " + string(rune('0'+status)) + "\n")
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o600))
	}
	assert.Equal(t, string(text), got.String())
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range []string{
		"", "ls", "-what x", "stats", "diff a", "diff a b c", "convert a", "convert -o x.pt", "convert -o x.pt a b",
		"convert -o x.gguf a",
		"convert -o x.npz -shared one a", "convert -o x.pt -shared what a", "convert -o x.pt -shared copy a",
		"convert -o x.PTH -shared one a", "convert -o x -shard -1 a", "-match ( a", "diff -rtol -1 a b",
		"diff -atol NaN a b",
	} {
		status, stdout, stderr := tensors(t, strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, "usage: tensors", args)
	}
	status, _, stderr := tensors(t, "convert", "-h")
	assert.Zero(t, status)
	assert.Contains(t, stderr, "-shard")
}

// Each invalid file gives one line, and the output for the valid files is still printed.
func TestSeveralFiles(t *testing.T) {
	dir := made(t)
	small := filepath.Join(dir, "small.safetensors")
	status, stdout, stderr := tensors(t, filepath.Join(dir, "missing"), small, small)
	assert.Equal(t, 1, status)
	assert.Equal(t, 2, strings.Count(stdout, "small.safetensors: safetensors"))
	assert.Equal(t, "tensors: file: "+filepath.Join(dir, "missing")+": no such file or directory\n", stderr)
}

// Listing a file that refers to a long text many times takes little memory.
func TestLongTextsAgainAndAgain(t *testing.T) {
	const mib = 1 << 20
	long := strings.Repeat("x", mib)
	for name, value := range map[string]any{
		"values": slices.Repeat([]any{long}, 1000),
		"paths":  serialization.NewDict(long, slices.Repeat([]any{1}, 1000)),
	} {
		path := filepath.Join(t.TempDir(), "a.pt")
		require.NoError(t, serialization.Save(value, path))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(2*mib))
		filetest.Costs(t, 512*mib, func() {
			status, _, stderr := tensors(t, path)
			assert.NotZero(t, status, name)
			assert.Contains(t, stderr, "bytes of paths and values", name)
		})
	}
}

func TestStandardInput(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(made(t), "small.safetensors"))
	require.NoError(t, err)
	status, stdout, stderr := tensorsOf(t, string(data), "-")
	assert.Zero(t, status, stderr)
	assert.True(t, strings.HasPrefix(stdout, "-: safetensors, 2 tensors"), stdout)
	status, _, stderr = tensorsOf(t, string(data[:100]), "-")
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "safetensors: standard input: ")
}

// A file of 100 GiB is listed as quickly as a small one, because only headers are read.
func TestListingReadsHeadersAlone(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge.safetensors")
	const n = 100 << 30
	head := `{"x":{"dtype":"U8","shape":[107374182400],"data_offsets":[0,107374182400]}}`
	for len(head)%8 != 0 {
		head += " "
	}
	b := append([]byte{byte(len(head)), 0, 0, 0, 0, 0, 0, 0}, head...)
	require.NoError(t, os.WriteFile(huge, b, 0o600))
	require.NoError(t, os.Truncate(huge, int64(len(b))+n)) // a hole, which uses no disk
	array := filepath.Join(dir, "huge.npy")
	text := "\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (107374182400,), }"
	text += strings.Repeat(" ", 128-1-len(text)) + "\n"
	require.NoError(t, os.WriteFile(array, []byte(text), 0o600))
	require.NoError(t, os.Truncate(array, 128+n))
	for _, path := range []string{huge, array} {
		status, stdout, stderr := tensors(t, "-json", path)
		require.Zero(t, status, stderr)
		var l listing
		require.NoError(t, json.Unmarshal([]byte(stdout), &l))
		assert.Equal(t, int64(n), l.Bytes)
	}
}

// Every damaged file in the testdata of these packages gives an error in one line.
func TestDamagedFiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	n := 0
	for _, pattern := range []string{
		"safetensors/testdata/malformed/*", "serialization/testdata/malformed/*",
		"numpy/testdata/malformed/*",
	} {
		paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		require.NoError(t, err)
		for _, path := range paths {
			name := filepath.Base(path)
			n++
			for _, command := range []string{"ls", "stats", "verify", "inspect"} {
				status, _, stderr := tensors(t, command, path)
				if status == 0 {
					assert.Empty(t, stderr, "%s %s", command, path)
					assert.True(t, command != "verify" || fine[name], "%s %s", command, path)
					continue
				}
				assert.Equal(t, 1, status, "%s %s", command, path)
				if command != "inspect" { // inspect also prints what it found unsafe
					assert.Equal(t, 1, strings.Count(stderr, "\n"), "%s %s: %s", command, path, stderr)
				}
			}
		}
	}
	assert.Greater(t, n, 300)
}

// fine lists files that are damaged for one package but valid for this command: files in
// other formats, tensors on missing devices, a recursive list, and a key with many
// tuples.
var fine = map[string]bool{
	"pickle_doubling.pt": true, "pickle_key_nested.pt": true, "safetensors.pt": true, "storage_device.pt": true,
	"storage_location.pt": true, "array.npz": true,
	"archive.npy": true, "npz.npy": true, "zip_torchscript.pt": true,
}

// The paths of different tensors may be equal, and another tensor may have the name that the second
// one gets.
func TestEqualPaths(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "a.pt")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1})
		require.NoError(t, serialization.Save(serialization.NewDict(
			"a.b", x, "a.b#2", x.Clone(), "a", serialization.NewDict("b", x.Clone()),
		), path))
	})
	status, stdout, _ := tensors(t, path)
	assert.Zero(t, status)
	for _, name := range []string{"a.b ", "a.b#2 ", "a.b#3 "} {
		assert.Equal(t, 1, strings.Count(stdout, "  "+name), name)
	}
}

// A long name does not make each row of the table long, nor each entry that shares its memory.
func TestLongNames(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const mib = 1 << 20
	dir, long := t.TempDir(), strings.Repeat("x", mib)
	wide, shared := filepath.Join(dir, "a.safetensors"), filepath.Join(dir, "a.pt")
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1})
		all, views := map[string]*torch.Tensor{long: x.Clone()}, serialization.NewDict(long, x)
		for i := range 500 {
			all[strconv.Itoa(i)] = x.Clone()
			views.Set(strconv.Itoa(i), x.Detach())
		}
		require.NoError(t, safetensors.SaveFile(all, wide))
		require.NoError(t, serialization.Save(views, shared))
	})
	status, stdout, _ := tensors(t, wide)
	assert.Zero(t, status)
	assert.Less(t, len(stdout), mib)
	status, stdout, stderr := tensors(t, "-json", shared)
	assert.NotZero(t, status)
	assert.Less(t, len(stdout), 3*mib)
	assert.Contains(t, stderr, "bytes of paths and values")
	assert.Less(t, len(stderr), 1000)
}

// A small file may describe a huge tensor, whose elements all share their memory or most of whose
// elements are zero. The commands refuse to go through all of its elements.
func TestHugeTensors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	huge, sparse := filepath.Join(dir, "huge.pt"), filepath.Join(dir, "sparse.pt")
	views := filepath.Join(dir, "views.pt")
	const n = 1 << 40
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1})
		require.NoError(t, serialization.Save(serialization.NewDict("x", x.Expand(n)), huge))
		at := torch.Zeros(torch.Shape{2, 1}, torch.Int64)
		large := torch.SparseCOOTensor(at, x, torch.Shape{1 << 20, 1 << 20})
		require.NoError(t, serialization.Save(serialization.NewDict("x", large), sparse))
		many := serialization.NewDict()
		for i := range 2000 {
			many.Set(i, x.Expand(1<<18))
		}
		require.NoError(t, serialization.Save(many, views))
	})
	out := filepath.Join(dir, "out.safetensors")
	for _, args := range [][]string{
		{"stats", huge},
		{"diff", huge, huge},
		{"convert", "-o", out, huge},
		{"diff", sparse, sparse},
		{"convert", "-o", filepath.Join(dir, "out.npz"), views},
	} {
		status, stdout, stderr := tensors(t, args...)
		assert.Equal(t, 1, status, "%v: %s", args, stdout)
		assert.Contains(t, stderr, " bytes", args)
		assert.Less(t, len(stderr), 1000, args)
	}
	status, stdout, stderr := tensors(t, huge)
	assert.Zero(t, status, stderr)
	assert.Contains(t, stdout, "(1099511627776,)")
}
