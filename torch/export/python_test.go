package export_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/export"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// load loads a program of testdata, which export.py wrote.
func load(t testing.TB, name string) *export.Module {
	t.Helper()
	m, err := export.Load(filepath.Join("testdata", name+".pt2"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// cases returns the cases of a program: what Python passed to it and got from it.
func cases(t testing.TB, name string) []*serialization.Dict {
	t.Helper()
	v, err := serialization.Load(filepath.Join("testdata", name+".pt"))
	require.NoError(t, err)
	t.Cleanup(func() { serialization.Close(v) })
	var all []*serialization.Dict
	for _, c := range v.([]any) {
		all = append(all, c.(*serialization.Dict))
	}
	return all
}

func entry(d *serialization.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}

// same requires that two values have the same structure, and tensors of the same bits.
func same(t testing.TB, want, got any, path string) {
	t.Helper()
	near(t, want, got, path, torchtest.Tolerance{EqualNaN: true})
}

// rounded is the tolerance for what Python computed on another processor.
func rounded(dtypes ...torch.DType) torchtest.Tolerance { return torchtest.Rounding(64, dtypes...) }

// near requires that two values have the same structure, and tensors that are close.
func near(t testing.TB, want, got any, path string, by torchtest.Tolerance) {
	t.Helper()
	switch want := want.(type) {
	case *torch.Tensor:
		require.IsType(t, want, got, path)
		got := got.(*torch.Tensor).Detach()
		require.Equal(t, want.DType(), got.DType(), path)
		require.Equal(t, want.Shape(), got.Shape(), path)
		assert.Empty(t, torchtest.Difference(want, got, by), path)
	case serialization.Tuple:
		require.IsType(t, want, got, path)
		nearItems(t, want, got.(serialization.Tuple), path, by)
	case []any:
		require.IsType(t, want, got, path)
		nearItems(t, want, got.([]any), path, by)
	case *serialization.Dict:
		require.IsType(t, want, got, path)
		require.Equal(t, want.Keys(), got.(*serialization.Dict).Keys(), path)
		want.Each(func(k, v any) bool {
			other, _ := got.(*serialization.Dict).Get(k)
			near(t, v, other, path+"."+serialization.Repr(k), by)
			return true
		})
	default:
		assert.Equal(t, want, got, path)
	}
}

func nearItems(t testing.TB, want, got []any, path string, by torchtest.Tolerance) {
	t.Helper()
	require.Len(t, got, len(want), path)
	for i := range want {
		near(t, want[i], got[i], path+"."+serialization.Repr(int64(i)), by)
	}
}

// floats returns the tensors within a value that need a gradient.
func floats(v any) (all []*torch.Tensor) {
	switch v := v.(type) {
	case *torch.Tensor:
		if v.DType().IsFloatingPoint() && v.RequiresGrad() {
			all = append(all, v)
		}
	case serialization.Tuple:
		for _, item := range v {
			all = append(all, floats(item)...)
		}
	case []any:
		for _, item := range v {
			all = append(all, floats(item)...)
		}
	case *serialization.Dict:
		v.Each(func(_, item any) bool {
			all = append(all, floats(item)...)
			return true
		})
	}
	return all
}

// programs returns the names of the programs that have cases.
func programs(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.pt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".pt")
	}
	return files
}

// Results, gradients, buffers and arguments that a program writes to are those that Python
// computes from the same file. TestManyPrograms compares bits, on one processor.
func TestPython(t *testing.T) {
	for _, name := range programs(t) {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			by := rounded(torch.Float32)
			if name == "casts" {
				by = rounded(torch.BFloat16)
			}
			for i, c := range cases(t, name) {
				m := load(t, name)
				torch.Scope(func() {
					torch.WithNumThreads(1, func() { compare(t, m, c, by) })
				})
				require.NoError(t, m.Close(), i)
				serialization.Close(c)
			}
		})
	}
}

func compare(t testing.TB, m *export.Module, c *serialization.Dict, by torchtest.Tolerance) {
	args := entry(c, "args").(serialization.Tuple)
	kwargs := export.Kwargs{}
	entry(c, "kwargs").(*serialization.Dict).Each(func(k, v any) bool {
		kwargs[k.(string)] = v
		return true
	})
	torch.ManualSeed(1)
	got := m.Run(append(append([]any{}, args...), kwargs)...)
	near(t, entry(c, "result"), got, "result", by)
	var sum *torch.Tensor
	for _, f := range floats(got) {
		if sum == nil {
			sum = f.Sum()
		} else {
			sum = sum.Add(f.Sum())
		}
	}
	grads := entry(c, "grads").(*serialization.Dict)
	if sum != nil {
		sum.Backward()
	}
	theirs := map[string]*torch.Tensor{}
	grads.Each(func(k, v any) bool {
		theirs[k.(string)] = v.(*torch.Tensor)
		return true
	})
	for _, p := range m.NamedParameters() {
		switch g, want := p.Tensor.Grad(), theirs[p.Name]; {
		case g != nil && want != nil:
			near(t, want, g, "gradient of "+p.Name, by)
		case g == nil && want != nil: // a branch of cond that did not run: Python has zeros
			assert.Zero(t, want.Abs().Sum().Item(), p.Name)
		default:
			assert.Nil(t, g, p.Name)
		}
	}
	buffers := entry(c, "buffers").(*serialization.Dict)
	assert.Len(t, m.NamedBuffers(), buffers.Len())
	for _, b := range m.NamedBuffers() {
		near(t, entry(buffers, b.Name), b.Tensor, b.Name, by)
	}
	near(t, entry(c, "args after"), args, "arguments", by)
}

var _ nn.Layer = (*export.Module)(nil)
