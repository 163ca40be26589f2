package ops_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/ops"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

func TestCall(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x, y := torch.Randn(torch.Shape{2, 3}), torch.Randn(torch.Shape{2, 3})
		x.SetRequiresGrad(true)
		equal := func(want *torch.Tensor, got any) {
			t.Helper()
			assert.True(t, want.Equal(got.(*torch.Tensor)), "%v\n%v", want, got)
		}
		equal(x.ReLU(), ops.Call("aten::relu", x))
		equal(x.Add(y.MulScalar(2)), ops.Call("aten::add.Tensor", x, y, ops.Kwargs{"alpha": 2}))
		equal(x.AddScalar(3), ops.Call("aten::add.Tensor", x, 3))
		equal(x.Sum(torch.Dim(1), torch.KeepDim(true)), ops.Call("aten::sum.dim_IntList", x, []int{1}, true))
		equal(torch.Cat([]*torch.Tensor{x, y}, 1), ops.Call("aten::cat", []*torch.Tensor{x, y}, ops.Kwargs{"dim": 1}))
		equal(x.To(torch.Float64), ops.Call("aten::to.dtype", x, torch.Float64))
		equal(torch.Full(torch.Shape{2}, 1.5),
			ops.Call("aten::full", []int64{2}, 1.5, ops.Kwargs{"device": torch.CPU, "dtype": nil}))
		top := ops.Call("aten::topk", x, 2).(ops.Tuple)
		assert.Len(t, top, 2)
		parts := ops.Call("aten::split.Tensor", x, 1).([]any)
		assert.Len(t, parts, 2)
		assert.Nil(t, ops.Call("aten::_assert_async", torch.Ones(torch.Shape{})))
		assert.InDelta(t, float64(torch.FromSlice([]float32{2.5}).Item()), ops.Call("aten::item",
			torch.FromSlice([]float32{2.5})), 0)
		ops.Call("aten::sum", ops.Call("aten::mul.Tensor", x, x)).(*torch.Tensor).Backward()
		equal(x.Detach().MulScalar(2), x.Grad())
		for name, c := range map[string]struct {
			call func()
			kind error
			says string
		}{
			"no operator": {
				func() { ops.Call("aten::relax", x) },
				torch.ErrNotImplemented, "there is no operator aten::relax",
			},
			"no overload": {
				func() { ops.Call("aten::add", x, y) },
				torch.ErrNotImplemented, "there is no operator aten::add",
			},
			"no namespace": {func() { ops.Call("relu", x) }, torch.ErrValue, "such as aten::add.Tensor"},
			"few":          {func() { ops.Call("aten::mm", x) }, torch.ErrValue, "mat2"},
			"many":         {func() { ops.Call("aten::relu", x, 1) }, torch.ErrValue, "too many arguments"},
			"name":         {func() { ops.Call("aten::relu", ops.Kwargs{"x": x}) }, torch.ErrValue, "no argument x"},
			"twice": {
				func() { ops.Call("aten::relu", x, ops.Kwargs{"self": x}) }, torch.ErrValue, "two arguments self",
			},
			"type":       {func() { ops.Call("aten::relu", "x") }, torch.ErrType, "self"},
			"list":       {func() { ops.Call("aten::cat", x) }, torch.ErrType, "tensors"},
			"mixed list": {func() { ops.Call("aten::cat", []any{x, "y"}) }, torch.ErrType, ""},
			"nil":        {func() { ops.Call("aten::relu", nil) }, torch.ErrType, "self"},
			"Go type":    {func() { ops.Call("aten::relu", struct{}{}) }, torch.ErrType, "args[0]"},
			"shape":      {func() { ops.Call("aten::mm", x, y) }, torch.ErrShape, ""},
			"device":     {func() { ops.Call("aten::to.device", x, torch.CUDA, torch.Float32) }, torch.ErrDevice, ""},
		} {
			err := torch.Try(c.call)
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.says, name)
		}
	})
}

func TestSchemas(t *testing.T) {
	assert.Equal(t, []string{"aten::relu(Tensor self) -> Tensor"}, slicesWithout(ops.Schemas("aten::relu"), "out"))
	assert.Empty(t, ops.Schemas("aten::relax"))
	names := ops.Names()
	assert.Contains(t, names, "aten::add.Tensor")
	assert.Greater(t, len(names), 2000)
}

func slicesWithout(all []string, part string) (kept []string) {
	for _, s := range all {
		if !strings.Contains(s, part) {
			kept = append(kept, s)
		}
	}
	return kept
}

// A library registers an operator, which can be called and has gradients.
func TestLoadLibrary(t *testing.T) {
	path := build(t)
	require.NoError(t, ops.LoadLibrary(path))
	require.NoError(t, ops.LoadLibrary(path))
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3})
		x.SetRequiresGrad(true)
		y := ops.Call("gotorch_test::scale", x, 2.5).(*torch.Tensor)
		y.Sum().Backward()
		assert.Equal(t, []float32{2.5, 2.5, 2.5}, x.Grad().Float32s())
		assert.Equal(t, []string{"gotorch_test::scale(Tensor x, float by=2.) -> Tensor"},
			ops.Schemas("gotorch_test::scale"))
	})
	other := filepath.Join(t.TempDir(), "other.so")
	require.NoError(t, os.WriteFile(other, []byte(strings.Repeat("no library ", 100)), 0o600))
	err := ops.LoadLibrary(other)
	require.ErrorIs(t, err, torch.ErrFormat)
	assert.ErrorContains(t, err, "invalid ELF header")
	require.ErrorIs(t, ops.LoadLibrary(filepath.Join(t.TempDir(), "none.so")), fs.ErrNotExist)
}

// A library from PyPI loads, and its operators compute what they compute in Python, with
// gradients.
func TestLoadLibraryFromPyPI(t *testing.T) {
	if torch.Version() != "2.11.0" {
		t.Skip("the library is for libtorch 2.11.0")
	}
	python := pythontest.Interpreter(t, "torch", "fbgemm_gpu")
	values := filepath.Join(t.TempDir(), "values.pt")
	const script = `
import importlib.util, os, sys, torch
folder = os.path.dirname(importlib.util.find_spec("fbgemm_gpu").origin)
torch.ops.load_library(os.path.join(folder, "fbgemm_gpu_py.so"))
torch.manual_seed(0)
x = torch.randn(6, 3, requires_grad=True)
y = torch.ops.fbgemm.jagged_to_padded_dense(x, [torch.tensor([0, 2, 6])], [4], 0.5)
y.square().sum().backward()
torch.save({"x": x.detach(), "y": y.detach(), "grad": x.grad}, sys.argv[1])
print(folder)
`
	folder := strings.TrimSpace(pythontest.Script(t, python, "", script, values))
	require.NoError(t, ops.LoadLibrary(filepath.Join(folder, "fbgemm_gpu_py.so")))
	torch.Scope(func() {
		v, err := serialization.Load(values)
		require.NoError(t, err)
		want := func(name string) *torch.Tensor {
			t, _ := v.(*serialization.Dict).Get(name)
			return t.(*torch.Tensor)
		}
		x := want("x").Clone()
		x.SetRequiresGrad(true)
		offsets := torch.FromSlice([]int64{0, 2, 6})
		y := ops.Call("fbgemm::jagged_to_padded_dense", x, []*torch.Tensor{offsets}, []int64{4}, 0.5).(*torch.Tensor)
		assert.True(t, want("y").Equal(y.Detach()))
		y.Square().Sum().Backward()
		assert.True(t, want("grad").Equal(x.Grad()))
		assert.Contains(t, ops.Names(), "fbgemm::jagged_to_padded_dense")
		serialization.Close(v)
	})
}

// build compiles testdata/scale.cpp, with the flags with which cgo compiles the shim.
func build(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++")
	}
	flags, err := exec.Command("go", "list", "-f", `{{join .CgoCXXFLAGS "\n"}}`,
		"github.com/gotorch/gotorch/cgotorch/export").Output()
	require.NoError(t, err)
	pkg, err := exec.Command("pkg-config", "--cflags", "libtorch").CombinedOutput()
	if err != nil {
		t.Skipf("pkg-config does not know libtorch: %s", pkg)
	}
	path := filepath.Join(t.TempDir(), "libscale.so")
	args := append(strings.Fields(string(flags)), strings.Fields(string(pkg))...)
	args = append(args, "-shared", "-fPIC", "-o", path, filepath.Join("testdata", "scale.cpp"))
	out, err := exec.Command("g++", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

func Example() {
	x := torch.FromSlice([]float32{-1, 2})
	fmt.Println(ops.Call("aten::relu", x))
	fmt.Println(ops.Call("aten::add.Tensor", x, x, ops.Kwargs{"alpha": 10}))
	// Output:
	// tensor([0., 2.])
	// tensor([-11.,  22.])
}

func ExampleSchemas() {
	for _, s := range ops.Schemas("aten::bitwise_not") {
		fmt.Println(s)
	}
	// Unordered output:
	// aten::bitwise_not(Tensor self) -> Tensor
	// aten::bitwise_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
}
