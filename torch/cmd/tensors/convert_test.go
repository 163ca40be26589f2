package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torch/serialization"
)

// golden returns the path of a file written by Python that contains everything that the
// format supports.
func golden(name string) string {
	return filepath.Join("..", "..", filepath.FromSlash(name))
}

func TestConvertKeepsEveryElement(t *testing.T) {
	dir := t.TempDir()
	for _, in := range []string{
		"numpy/testdata/golden/every_stored.npz", "safetensors/testdata/goldens/mixed.safetensors",
		"safetensors/testdata/shards/many",
		"serialization/testdata/golden/checkpoint.pth", "numpy/testdata/golden/fortran.npy",
		"serialization/testdata/golden/tensor.pt",
	} {
		for _, out := range []string{"x.safetensors", "x.pt", "x.pth", "x.npz", "set"} {
			const some = "^(int|float(32|64)|bool|model|array|[a-z]([.]|$))"
			path := filepath.Join(dir, out)
			args := []string{"convert", "-match", some, "-o", path, golden(in)}
			if out == "set" {
				args = append([]string{"convert", "-shard", "100"}, args[1:]...)
			}
			status, stdout, stderr := tensors(t, args...)
			if out == "x.npz" && strings.HasSuffix(in, "many") {
				assert.Equal(t, 1, status)
				assert.Contains(t, stderr, `tensors["d.half"]: NumPy has no dtype bfloat16`)
				continue
			}
			require.Zero(t, status, "%s %s: %s", in, out, stderr)
			assert.Empty(t, stdout)
			status, stdout, stderr = tensors(t, "diff", "-match", some, golden(in), path)
			assert.Zero(t, status, "%s %s: %s%s", in, out, stdout, stderr)
		}
	}
}

// Converting a .pt file to another one preserves all values, including those that are not
// tensors, and shared memory.
func TestConvertPtToPt(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.pt")
	for _, in := range []string{"views_legacy.pt", "sparse_legacy.pt", "parameters.pt", "checkpoint.pth"} {
		path := golden("serialization/testdata/golden/" + in)
		status, _, stderr := tensors(t, "convert", "-o", out, path)
		require.Zero(t, status, stderr)
		_, want, _ := tensors(t, path)
		_, got, _ := tensors(t, out)
		assert.Equal(t, strings.ReplaceAll(want, path, out), got)
	}
}

func TestConvertSharedMemory(t *testing.T) {
	dir := made(t)
	in, out := filepath.Join(dir, "checkpoint.pt"), filepath.Join(dir, "x.safetensors")
	status, _, stderr := tensors(t, "convert", "-o", out, in)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, `"model.head.weight", "model.tail.weight" share memory`)
	assert.Contains(t, stderr, "-shared copy or -shared one")
	assert.NoFileExists(t, out)

	status, _, stderr = tensors(t, "convert", "-shared", "copy", "-o", out, in)
	assert.Zero(t, status)
	assert.Equal(t, "tensors: "+in+": not converted: 1 value other than tensors\n", stderr)
	_, got, _ := tensors(t, out)
	assert.Contains(t, got, "4 tensors, 15 elements, 64 bytes")

	status, _, _ = tensors(t, "convert", "-shared", "one", "-o", out, in)
	assert.Zero(t, status)
	_, got, _ = tensors(t, out)
	assert.Contains(t, got, "3 tensors, 11 elements, 48 bytes")
	assert.Contains(t, got, "model.tail.weight = model.head.weight")

	// With a key, values are unchanged and tensors share memory.
	again := filepath.Join(dir, "again.pt")
	status, _, _ = tensors(t, "convert", "-key", "model", "-o", again, in)
	assert.Zero(t, status)
	_, got, _ = tensors(t, again)
	assert.Contains(t, got, "memory of head.weight")
	assert.NotContains(t, got, "epoch")
}

// If the output cannot be written, the old file stays. The input is never overwritten.
func TestConvertRefuses(t *testing.T) {
	dir := made(t)
	small, checkpoint := filepath.Join(dir, "small.safetensors"), filepath.Join(dir, "checkpoint.pt")
	before, err := os.ReadFile(small)
	require.NoError(t, err)
	link := filepath.Join(dir, "link.safetensors")
	require.NoError(t, os.Link(small, link))
	set := filepath.Join(dir, "set")
	status, _, stderr := tensors(t, "convert", "-shard", "16", "-o", set, small)
	require.Zero(t, status, stderr)
	array := filepath.Join(dir, "x.npy")
	require.NoError(t, os.WriteFile(array, []byte("old"), 0o600))
	for _, c := range []struct{ args, says string }{
		{"-o small.safetensors small.safetensors", "would overwrite the input"},
		{"-o link.safetensors small.safetensors", "would overwrite the input"},
		{"-shard 9 -o set set", "would overwrite the input"},
		{"-shard 9 -o . small.safetensors", "would overwrite the input"},
		{"-o set/model-00001-of-00002.safetensors set", "would overwrite the input"},
		{"-o set/model-00001-of-00002.safetensors set/model.safetensors.index.json", "would overwrite the input"},
		{"-o x.npy small.safetensors", "one array, but there are 2"},
		{"-o x.npz -match half checkpoint.pt", `"model.half"`},
		{"-o missing/x.pt small.safetensors", "no such file"},
		{"-o x.pt missing", "no such file"},
	} {
		args := strings.Fields(c.args)
		for i, a := range args {
			if strings.ContainsAny(a, ".") || a == "set" || a == "missing" {
				args[i] = filepath.Join(dir, a)
			}
		}
		status, _, stderr := tensors(t, append([]string{"convert"}, args...)...)
		assert.Equal(t, 1, status, c.args)
		assert.Contains(t, stderr, c.says, c.args)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	after, err := os.ReadFile(small)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	old, err := os.ReadFile(array)
	require.NoError(t, err)
	assert.Equal(t, "old", string(old))
	assert.FileExists(t, checkpoint)
}

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, v ...any) string {
		path := filepath.Join(dir, name)
		torch.Scope(func() { require.NoError(t, serialization.Save(serialization.NewDict(v...), path)) })
		return path
	}
	var a, b string
	torch.Scope(func() {
		one := torch.FromSlice([]float64{1, 2, 3})
		nan := one.Log().Sub(torch.FromSlice([]float64{0, 0, 0}).Log()) // inf
		a = save("a.pt", "x", one, "shape", one, "dtype", one, "nan", nan.MulScalar(0).Div(one.SubScalar(1)), "same",
			one, "inf", nan, "c", one.To(torch.Complex64))
		b = save("b.pt", "x", one.AddScalar(0.25), "shape", one.Reshape(3, 1), "dtype", one.To(torch.Float32),
			"nan", nan.MulScalar(0).Div(one.SubScalar(1)), "same", one, "inf", one, "c",
			one.To(torch.Complex64).MulScalar(2i))
	})
	status, stdout, stderr := tensors(t, "diff", a, b)
	assert.Equal(t, 1, status)
	assert.Empty(t, stderr)
	assert.Equal(t, `x: 3 elements differ; the largest difference is 0.25
shape: shape (3,) and (3, 1)
dtype: dtype float64 and float32
inf: 3 elements differ; the largest difference is not finite
c: 6 elements differ; the largest difference is 6
`, stdout)
	status, stdout, _ = tensors(t, "diff", "-match", "^x$", "-atol", "0.25", a, b)
	assert.Zero(t, status, stdout)
	status, stdout, _ = tensors(t, "diff", "-match", "^x$", "-rtol", "0.1", a, b)
	assert.Equal(t, 1, status)
	assert.Equal(t, "x: 2 elements differ; the largest difference is 0.25\n", stdout)
	status, _, stderr = tensors(t, "diff", a, filepath.Join(dir, "missing"))
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "missing: no such file")
}

// An infinite tolerance is invalid, and integers are compared exactly.
func TestDiffOfInfinitiesAndWholeNumbers(t *testing.T) {
	dir := t.TempDir()
	save := func(name string, x ...any) string {
		path := filepath.Join(dir, name)
		torch.Scope(func() { require.NoError(t, serialization.Save(serialization.NewDict(x...), path)) })
		return path
	}
	var a, b string
	inf := math.Inf(1)
	torch.Scope(func() {
		unsigned := func(v ...int64) *torch.Tensor { return torch.FromSlice(v).ViewDType(torch.Uint64) }
		a = save("a.pt", "f", torch.FromSlice([]float64{1, inf, -inf, inf, 1.5}), "i",
			torch.FromSlice([]int64{1<<53 + 1, math.MinInt64, math.MaxInt64, 7}),
			"u", unsigned(-1, 0, -2), "c", torch.FromSlice([]float64{0, inf}).To(torch.Complex128))
		b = save("b.pt", "f", torch.FromSlice([]float64{inf, -inf, -inf, 1, 1.5}), "i",
			torch.FromSlice([]int64{1 << 53, math.MaxInt64, math.MaxInt64, 7}),
			"u", unsigned(-2, -1, -2), "c", torch.FromSlice([]float64{0, inf}).To(torch.Complex128))
	})
	status, stdout, stderr := tensors(t, "diff", a, b)
	assert.Equal(t, 1, status, stderr)
	assert.Equal(t, "f: 3 elements differ; the largest difference is not finite\n"+
		"i: 2 elements differ; the largest difference is 1.84467e+19\nu: 2 elements differ; the largest difference "+
		"is 1.84467e+19\n", stdout)
	status, stdout, _ = tensors(t, "diff", "-rtol", "0.5", "-atol", "1e100", "-match", "f", a, b)
	assert.Equal(t, 1, status)
	assert.Equal(t, "f: 3 elements differ; the largest difference is not finite\n", stdout)
	status, stdout, _ = tensors(t, "diff", "-rtol", "1e-15", "-match", "i|u", a, b)
	assert.Equal(t, 1, status)
	assert.Equal(t, "i: 1 elements differ; the largest difference is 1.84467e+19\nu: 1 elements differ; the largest "+
		"difference is 1.84467e+19\n", stdout)
	for _, x := range [][]string{{a, a}, {b, b}} {
		status, stdout, _ = tensors(t, append([]string{"diff"}, x...)...)
		assert.Zero(t, status, stdout)
	}
}

// Python reads a converted file, and gets the same values as from the original.
func TestPythonReadsWhatWasConverted(t *testing.T) {
	python := pythontest.Interpreter(t, "torch", "numpy", "safetensors")
	dir := t.TempDir()
	in := golden("serialization/testdata/golden/checkpoint.pth")
	for _, out := range []string{"x.safetensors", "x.npz", "x.pt"} {
		status, _, stderr := tensors(t, "convert", "-o", filepath.Join(dir, out), in)
		require.Zero(t, status, stderr)
	}
	out := pythontest.Script(t, python, "", `
import sys, numpy, torch, safetensors.torch
dir, file = sys.argv[1:]
want = {}
def walk(path, v):
    if isinstance(v, torch.Tensor): want[path[1:]] = v
    elif isinstance(v, dict):
        for k, x in v.items(): walk(f"{path}.{k}", x)
    elif isinstance(v, (list, tuple)):
        for k, x in enumerate(v): walk(f"{path}.{k}", x)
whole = torch.load(file, weights_only=True)
walk("", whole)
s = safetensors.torch.load_file(dir + "/x.safetensors")
n = {k: torch.from_numpy(v) for k, v in numpy.load(dir + "/x.npz").items()}
for got in s, n:
    assert sorted(got) == sorted(want), sorted(got)
    for k in want:
        assert got[k].dtype == want[k].dtype and torch.equal(got[k], want[k]), k
assert str(torch.load(dir + "/x.pt", weights_only=True)) == str(whole)
print(len(want))
`, dir, in)
	assert.Equal(t, "23\n", out)
}

// A name that matches nothing is an error, and creates no empty file.
func TestNamesThatNothingHas(t *testing.T) {
	dir := made(t)
	checkpoint, out := filepath.Join(dir, "checkpoint.pt"), filepath.Join(dir, "out.safetensors")
	for _, args := range [][]string{
		{"convert", "-key", "encoder", "-o", out, checkpoint},
		{"convert", "-match", "^what", "-o", out, checkpoint},
		{"diff", "-key", "encoder", checkpoint, checkpoint},
	} {
		status, stdout, stderr := tensors(t, args...)
		assert.Equal(t, 1, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr,
			checkpoint+": none of its 4 tensors match -key and -match; names begin with model, optimizer\n", args)
	}
	_, err := os.Stat(out)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// With -key, the part of one file below the key can be compared with a whole file that
// does not have the key.
func TestDiffBelowAKey(t *testing.T) {
	dir := made(t)
	checkpoint, out := filepath.Join(dir, "checkpoint.pt"), filepath.Join(dir, "out.safetensors")
	status, _, stderr := tensors(t, "convert", "-key", "model", "-shared", "copy", "-o", out, checkpoint)
	require.Zero(t, status, stderr)
	for _, files := range [][]string{{checkpoint, out}, {out, checkpoint}} {
		status, stdout, stderr := tensors(t, "diff", "-key", "model", files[0], files[1])
		assert.Zero(t, status, stdout+stderr)
	}
	status, stdout, _ := tensors(t, "diff", "-key", "optimizer", checkpoint, out)
	assert.Equal(t, 1, status)
	assert.Equal(t, "state.0.exp_avg: only in the first\nhead.weight: only in the second\ntail.weight: only in the "+
		"second\nhalf: only in the second\n", stdout)
}

func TestConvertKeepsMetadata(t *testing.T) {
	dir := made(t)
	out := filepath.Join(dir, "out.safetensors")
	status, _, stderr := tensors(t, "convert", "-o", out, filepath.Join(dir, "small.safetensors"))
	require.Zero(t, status, stderr)
	f, err := safetensors.Open(out)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	assert.Equal(t, map[string]string{"format": "pt", "color\x1b[31m": "red"}, f.Metadata())
}
