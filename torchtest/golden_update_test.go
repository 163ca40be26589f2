package torchtest_test

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// update runs fn with the flag -torchtest.update.
func update(t *testing.T, fn func()) {
	t.Helper()
	require.NoError(t, flag.Set("torchtest.update", "true"))
	defer func() { require.NoError(t, flag.Set("torchtest.update", "false")) }()
	fn()
}

// Golden writes tensors of each dtype, and reads back the same bits.
func TestGolden(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "new", "outputs.json")
	torch.Scope(func() {
		nan, inf := math.NaN(), math.Inf(1)
		all := map[string]*torch.Tensor{
			"floats":   torch.FromSlice([]float32{0.1, -1e-30, float32(nan), float32(inf), float32(-inf), 9}, 2, 3),
			"doubles":  torch.FromSlice([]float64{0.1, 1e300, -inf}),
			"bfloat16": torch.FromSlice([]float32{0.1, 3e38}).To(torch.BFloat16),
			"integers": torch.FromSlice([]int64{math.MinInt64, math.MaxInt64}),
			"bytes":    torch.FromSlice([]uint8{0, 255}),
			"uint64":   torch.FromSliceWith([]uint64{0, math.MaxUint64}, torch.Shape{2}, torch.Uint64, torch.CPU),
			"bools":    torch.FromSlice([]bool{true, false}),
			"complex":  torch.FromSlice([]complex64{complex(0.1, float32(inf)), 2}),
			"scalar":   torch.FromSlice([]float32{2}).Reshape(),
			"empty":    torch.Zeros(torch.Shape{0, 3}),
			"leaf":     torch.Ones(torch.Shape{2}).RequiresGrad_(),
		}
		update(t, func() { assert.True(t, torchtest.Golden(t, path, all)) })
		exact := []torchtest.CloseOption{torchtest.RTol(0), torchtest.ATol(0), torchtest.EqualNaN(true)}
		assert.True(t, torchtest.Golden(t, path, all, exact...))

		all["doubles"].SetIndex(0.2, 0)
		says := fails(t, func(tb testing.TB) bool { return torchtest.Golden(tb, path, all, torchtest.EqualNaN(true)) })
		assert.Contains(t, says, `outputs.json: "doubles" is not close: 1 of 3 elements`)
		all["doubles"].SetIndex(0.1, 0)
		all["more"] = all["bools"]
		says = fails(t, func(tb testing.TB) bool { return torchtest.Golden(tb, path, all, exact...) })
		assert.Contains(t, says, `"more" is not in the file`)
		delete(all, "more")
		delete(all, "bools")
		says = fails(t, func(tb testing.TB) bool { return torchtest.Golden(tb, path, all, exact...) })
		assert.Contains(t, says, `"bools" is missing`)
	})
}

// What makes a file impossible to read or write ends the test.
func TestGoldenThatCannotBeUsed(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	torch.Scope(func() {
		good := map[string]*torch.Tensor{"x": torch.Ones(torch.Shape{2})}
		sparse := map[string]*torch.Tensor{"x": nil}
		file := filepath.Join(dir, "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		ends := func(path string, tensors map[string]*torch.Tensor) (message string) {
			defer func() { message = recover().(fatal).message }()
			torchtest.Golden(&recorder{TB: t}, path, tensors)
			return ""
		}
		assert.Contains(t, ends(filepath.Join(dir, "none.json"), good), "run the test with -torchtest.update")
		assert.Contains(t, ends(file, good), "unexpected end of JSON input")
		update(t, func() {
			assert.Contains(t, ends(filepath.Join(dir, "nil.json"), sparse), `"x" is a nil tensor`)
			assert.Contains(t, ends(filepath.Join(file, "x.json"), good), "not a directory")
			assert.Contains(t, ends(dir, good), "is a directory")
		})
	})
}

func TestRepeatable(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.ManualSeed(7)
	before := torch.RNGState()
	defer before.Close()
	assert.True(t, torchtest.Repeatable(t, func() *torch.Tensor { return torch.Randn(torch.Shape{4}) }))
	after := torch.RNGState()
	defer after.Close()
	assert.True(t, before.Equal(after), "the generator's state is restored")
	nan := func() *torch.Tensor { return torch.FullLike(after.To(torch.Float32), math.NaN()) }
	assert.True(t, torchtest.Repeatable(t, func() *torch.Tensor { return torch.Tidy(nan) }))

	calls := 0.0
	says := fails(t, func(tb testing.TB) bool {
		return torchtest.Repeatable(tb, func() *torch.Tensor {
			calls++
			return torch.FromSlice([]float64{calls})
		})
	})
	assert.Contains(t, says, "two runs with the same seed differ: 1 of 1 elements")
	says = fails(t, func(tb testing.TB) bool {
		return torchtest.Repeatable(tb, func() *torch.Tensor {
			return torch.Ones(torch.Shape{2}).Add(torch.Ones(torch.Shape{3}))
		})
	})
	assert.Contains(t, says, "torch: Add:")
	assert.ErrorIs(t, torch.Try(func() { torchtest.Repeatable(t, nil) }), torch.ErrNil)
}
