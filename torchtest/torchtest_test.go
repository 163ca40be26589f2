package torchtest_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// recorder is a testing.TB that records the messages of a check.
type recorder struct {
	testing.TB
	errors []string
	logs   []string
}

type fatal struct{ message string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Log(args ...any) { r.logs = append(r.logs, fmt.Sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) { panic(fatal{fmt.Sprintf(format, args...)}) }

// fails runs a check that must fail, and returns its only message.
func fails(t *testing.T, check func(tb testing.TB) bool) string {
	t.Helper()
	r := &recorder{TB: t}
	assert.False(t, check(r))
	require.Len(t, r.errors, 1)
	return r.errors[0]
}

func TestAllClose(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	nan, inf := math.NaN(), math.Inf(1)
	torch.Scope(func() {
		f := torch.FromSlice
		for name, c := range map[string]struct {
			want, got *torch.Tensor
			tol       []torchtest.CloseOption
			says      string // "" if they are close
		}{
			"equal":          {want: f([]float32{1, 2}), got: f([]float32{1, 2})},
			"within float32": {want: f([]float32{100}), got: f([]float32{100.0001})},
			"beyond float32": {
				want: f([]float32{100}), got: f([]float32{100.01}),
				says: "1 of 1 elements (100%) differ",
			},
			"the looser counts": {
				want: f([]float64{100}), got: f([]float64{100.0001}).To(torch.Float32),
				tol: []torchtest.CloseOption{torchtest.CheckDType(false)},
			},
			"given tolerance": {
				want: f([]float64{100}), got: f([]float64{100.9}),
				tol: []torchtest.CloseOption{torchtest.RTol(0.01)},
			},
			"exact": {
				want: f([]float64{1}), got: f([]float64{1 + 1e-15}),
				tol: []torchtest.CloseOption{torchtest.RTol(0), torchtest.ATol(0)}, says: "differ",
			},
			"shapes": {want: f([]int{1, 2}), got: f([]int{1, 2}, 2, 1), says: "want shape (2,), got (2, 1)"},
			"dtypes": {want: f([]int64{1}), got: f([]int32{1}), says: "want dtype int64, got int32"},
			"dtypes ignored": {
				want: f([]int64{1}), got: f([]bool{true}),
				tol: []torchtest.CloseOption{torchtest.CheckDType(false)},
			},
			"integers": {
				want: f([]int64{1 << 62, 2, 3, 4}, 2, 2), got: f([]int64{1 << 62, 2, 5, 4}, 2, 2),
				says: "1 of 4 elements (25%) differ, the first at (1, 0): want 3, got 5",
			},
			"large integers": {want: f([]int64{1 << 62}), got: f([]int64{1<<62 + 1}), says: "differ"},
			"bools":          {want: f([]bool{true, false}), got: f([]bool{true, true}), says: "at (1)"},
			"nan":            {want: f([]float64{nan}), got: f([]float64{nan}), says: "want NaN, got NaN"},
			"nan allowed": {
				want: f([]float64{nan}), got: f([]float64{nan}),
				tol: []torchtest.CloseOption{torchtest.EqualNaN(true)},
			},
			"nan for a number": {
				want: f([]float64{1}), got: f([]float64{nan}),
				tol: []torchtest.CloseOption{torchtest.EqualNaN(true)}, says: "want 1, got NaN",
			},
			"nan beside inf": {
				want: f([]complex128{complex(nan, inf)}), got: f([]complex128{complex(inf, nan)}),
				tol: []torchtest.CloseOption{torchtest.EqualNaN(true)},
			},
			"half nan": {
				want: f([]complex128{complex(1, inf)}), got: f([]complex128{complex(nan, inf)}),
				tol: []torchtest.CloseOption{torchtest.EqualNaN(true)}, says: "differ",
			},
			"infinity":       {want: f([]float64{inf}), got: f([]float64{inf})},
			"wrong infinity": {want: f([]float64{inf}), got: f([]float64{-inf}), says: "want +Inf, got -Inf"},
			"finite":         {want: f([]float64{inf}), got: f([]float64{1}), says: "want +Inf, got 1"},
			"complex": {
				want: f([]complex128{1 + 2i}), got: f([]complex128{1 + 2.5i}),
				says: "largest absolute difference 0.5 at (0)",
			},
			"empty": {want: f([]float32{}), got: f([]float32{})},
			"scalars": {
				want: torch.Full(torch.Shape{}, 1.5), got: torch.Full(torch.Shape{}, 2.5),
				says: "first at (): want 1.5, got 2.5",
			},
			"not contiguous": {want: f([]int64{1, 3, 2, 4}, 2, 2), got: f([]int64{1, 2, 3, 4}, 2, 2).T()},
			"nil and nil":    {},
			"of the largest": {
				want: f([]float64{100, 0}), got: f([]float64{100, 0.9}),
				tol: []torchtest.CloseOption{torchtest.RTol(0.01), torchtest.OfLargest(true), torchtest.ATol(0)},
			},
			"beyond it": {
				want: f([]float64{100, inf}), got: f([]float64{98.9, inf}),
				tol:  []torchtest.CloseOption{torchtest.RTol(0.01), torchtest.OfLargest(true), torchtest.ATol(0)},
				says: "want 100, got 98.9",
			},
			"nil":    {got: f([]float32{1}), says: "want a nil tensor, got a float32 tensor of shape (1,)"},
			"closed": {want: f([]float32{1}), got: closedTensor(), says: "after Close"},
		} {
			t.Run(name, func(t *testing.T) {
				if c.says == "" {
					assert.True(t, torchtest.AllClose(t, c.want, c.got, c.tol...))
					return
				}
				assert.Contains(t, fails(t, func(tb testing.TB) bool {
					return torchtest.AllClose(tb, c.want, c.got, c.tol...)
				}), c.says)
			})
		}
	})
}

// The tolerance depends on the number of roundings and on the least precise dtype.
func TestRounding(t *testing.T) {
	for _, c := range []struct {
		n      int
		dtypes []torch.DType
		want   float64
	}{
		{1, []torch.DType{torch.Float64}, 0x1p-52},
		{8, []torch.DType{torch.Float64, torch.Complex128}, 0x1p-49},
		{8, []torch.DType{torch.Float64, torch.Float32}, 0x1p-20},
		{8, []torch.DType{torch.Complex64, torch.Float64}, 0x1p-20},
		{8, []torch.DType{torch.Float32, torch.Float16}, 0x1p-9 + 0x1p-20},
		{8, []torch.DType{torch.Float16, torch.BFloat16}, 0x1p-6 + 0x1p-20},
	} {
		tol := torchtest.Rounding(c.n, c.dtypes...)
		assert.Equal(t, torchtest.Tolerance{RTol: c.want, ATol: c.want, OfLargest: true, EqualNaN: true}, tol, "%v",
			c.dtypes)
	}
	assert.Equal(t, torchtest.Tolerance{OfLargest: true, EqualNaN: true},
		torchtest.Rounding(100, torch.Int64, torch.Bool), "exact")
	torch.Scope(func() {
		want := torch.FromSlice([]float64{1})
		assert.Empty(t, torchtest.Difference(want, torch.FromSlice([]float64{1 + 1e-15}),
			torchtest.Rounding(8, torch.Float64)))
		assert.Contains(t, torchtest.Difference(want, torch.FromSlice([]float64{1 + 1e-8}),
			torchtest.Rounding(8, torch.Float64)), "first at (0)")
		assert.Empty(t, torchtest.Difference(want, torch.FromSlice([]float64{1 + 1e-8}),
			torchtest.Rounding(8, torch.Float64, torch.Float32)))
	})
}

func closedTensor() *torch.Tensor {
	t := torch.Ones(torch.Shape{1})
	_ = t.Close()
	return t
}

func leaf(v []float64, shape ...int64) *torch.Tensor {
	return torch.FromSlice(v, shape...).RequiresGrad_()
}

// wrongSquare is x*x with a derivative that is 5% too large.
var wrongSquare = torch.Function{
	Forward: func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
		ctx.Save(in...)
		return []*torch.Tensor{in[0].Mul(in[0])}
	},
	Backward: func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{ctx.Saved()[0].MulScalar(2.1).Mul(grad[0])}
	},
}

func list(ts ...*torch.Tensor) []*torch.Tensor { return ts }

func TestGradCheck(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := leaf([]float64{0.3, -1.2, 2.5, 0.7, 1.1, -0.4}, 2, 3), leaf([]float64{1, 2, -0.5, 0.1, 0.9, -2}, 3, 2)
		before := a.Float64s()
		product := func(in ...*torch.Tensor) *torch.Tensor { return in[0].MatMul(in[1]).Sin() }
		assert.True(t, torchtest.GradCheck(t, product, list(a, b)))
		assert.True(t, torchtest.GradGradCheck(t, product, list(a, b)))
		assert.Equal(t, before, a.Float64s(), "the inputs are put back")
		assert.Nil(t, a.Grad(), "no gradient is accumulated")

		// Inputs without a gradient may have any dtype. The function may use views of its
		// inputs.
		assert.True(t, torchtest.GradCheck(t, func(in ...*torch.Tensor) *torch.Tensor {
			return in[0].T().MulScalar(3).IndexSelect(0, in[1])
		}, list(a, torch.FromSlice([]int64{2, 0}))))
		assert.True(t, torchtest.GradCheckAll(t, func(in []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{in[0].Exp(), in[1].Sin(), in[0].Sum()}
		}, list(a, torch.FromSlice([]float64{1})), torchtest.RTol(1e-4)))
		torch.NoGrad(func() {
			assert.True(t, torchtest.GradCheck(t, product, list(a, b)), "also where gradients are off")
		})

		square := func(in ...*torch.Tensor) *torch.Tensor { return wrongSquare.Apply(in[0])[0] }
		report := fails(t, func(tb testing.TB) bool {
			return torchtest.GradCheck(tb, square, list(leaf([]float64{1, 0, 3})))
		})
		assert.Contains(t, report, "derivatives are wrong: 2 entries of the Jacobian")
		assert.Contains(t, report, "output 0 [2] / d input 0 [2]: autograd 6.3, finite differences 6")

		for says, in := range map[string]*torch.Tensor{
			"no input requires a gradient": torch.FromSlice([]float64{1}),
			"dtype float32":                torch.FromSlice([]float32{1}).RequiresGrad_(),
			"leaf: false":                  leaf([]float64{1}).MulScalar(2),
		} {
			assert.Contains(t, fails(t, func(tb testing.TB) bool {
				return torchtest.GradCheck(tb, func(in ...*torch.Tensor) *torch.Tensor { return in[0].Sin() }, list(in))
			}), says)
		}
		single := func(in ...*torch.Tensor) *torch.Tensor { return in[0].To(torch.Float32) }
		assert.Contains(t, fails(t, func(tb testing.TB) bool { return torchtest.GradCheck(tb, single, list(a)) }),
			"output 0 has dtype float32")
		assert.Contains(t, fails(t, func(tb testing.TB) bool { return torchtest.GradCheck(tb, product, list(a, a)) }),
			"MatMul")
		nothing := func([]*torch.Tensor) []*torch.Tensor { return nil }
		assert.Contains(t, fails(t, func(tb testing.TB) bool {
			return torchtest.GradCheckAll(tb, nothing, list(a))
		}), "fn returned no output")
		aside := func(...*torch.Tensor) *torch.Tensor { return b.Sin() }
		assert.Contains(t, fails(t, func(tb testing.TB) bool { return torchtest.GradGradCheck(tb, aside, list(a)) }),
			"no output depends on an input")
	})
}

// A running total that adds losses as tensors keeps the graphs of all losses. CheckLeaks
// reports the nodes of these graphs.
func TestCheckLeaksFindsGraphs(t *testing.T) {
	w := torch.Ones(torch.Shape{4}).RequiresGrad_()
	total := torch.Zeros(torch.Shape{})
	step := func() {
		torch.Scope(func() {
			loss := w.Sum()
			loss.Backward()
			next := total.Add(loss)
			_ = total.Close()
			total = torch.Disown(next)
		})
	}
	step()
	r := &recorder{TB: t}
	end := torchtest.CheckLeaks(r)
	for range 5 {
		step()
	}
	end()
	if _, counted := cgotorch.LiveNodes(); counted {
		require.Len(t, r.errors, 1)
		assert.Regexp(t,
			`\+10 graph nodes, about 8.4 KiB: torchtest_test.go:\d+ torchtest_test.TestCheckLeaksFindsGraphs`,
			r.errors[0])
	}
	torch.ZeroGrad(w)
	_, _ = w.Close(), total.Close()
}

func TestCheckLeaks(t *testing.T) {
	r := &recorder{TB: t}
	end := torchtest.CheckLeaks(r)
	kept := torch.Zeros(torch.Shape{256})
	end()
	require.Len(t, r.errors, 1)
	assert.Contains(t, r.errors[0], "native memory leaked: 1 more tensors are open and 1024 more bytes")
	assert.Regexp(t, `\+1024 B \(1024 B\) in \+1 \(1\): torchtest_test.go:\d+ torchtest_test.TestCheckLeaks`,
		r.errors[0])

	end = torchtest.CheckLeaks(r)
	_ = kept.Close()
	kept = torch.Zeros(torch.Shape{256})
	_ = kept.Close()
	end()
	assert.Len(t, r.errors, 1, "a tensor that is closed before the end is not a leak")

	end = torchtest.CheckLeaks(r)
	for range 100 {
		torch.Zeros(torch.Shape{1 << 10}) // the garbage collector frees these tensors
	}
	end()
	assert.Len(t, r.errors, 1, "nor is garbage")
}

// If two checks run at the same time, each sees only tensors of the goroutines that were
// started by its test.
func TestCheckLeaksInParallel(t *testing.T) {
	var clean, leaky recorder
	started, leaked, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		end := torchtest.CheckLeaks(&clean)
		close(started)
		<-leaked
		x := torch.Zeros(torch.Shape{8})
		_ = x.Close()
		end()
	}()
	<-started
	end := torchtest.CheckLeaks(&leaky)
	kept := make(chan *torch.Tensor, 1)
	go func() { kept <- torch.Zeros(torch.Shape{256}) }() // tensors of a goroutine that this test starts count
	x := <-kept
	close(leaked)
	<-over
	end()
	assert.Empty(t, clean.errors)
	require.Len(t, clean.logs, 1, "it could not compare native bytes")
	assert.Contains(t, clean.logs[0], "compared only open tensors")
	require.Len(t, leaky.errors, 1)
	assert.Contains(t, leaky.errors[0], "in +1 (1): torchtest_test.go")
	assert.NotContains(t, leaky.errors[0], "more bytes", "others made tensors too")
	require.NoError(t, x.Close())
}

func TestGoldens(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	g := torchtest.LoadGoldens(t, "testdata/goldens.json")
	torch.Scope(func() {
		exact := []torchtest.CloseOption{torchtest.RTol(0), torchtest.ATol(0), torchtest.EqualNaN(true)}
		nan, inf := math.NaN(), math.Inf(1)
		for name, want := range map[string]*torch.Tensor{
			"float32":    torch.FromSlice([]float32{1.5, -2, 0.1, 1e-40}, 2, 2),
			"float64":    torch.FromSlice([]float64{0.1, nan, inf, -inf}),
			"int64":      torch.FromSlice([]int64{1<<53 + 1, -1 << 63}),
			"uint8":      torch.FromSlice([]uint8{0, 255}),
			"uint64":     torch.FromSlice([]uint64{0, math.MaxUint64}),
			"bool":       torch.FromSlice([]bool{true, false}),
			"complex128": torch.FromSlice([]complex128{1 + 2i, complex(inf, -0.5)}),
			"bfloat16":   torch.Full(torch.Shape{}, 1.5, torch.BFloat16),
			"empty":      torch.Zeros(torch.Shape{0, 3}),
		} {
			torchtest.AllClose(t, want, g.Tensor(name), exact...)
		}
		var nested struct {
			Name   string
			Values []torchtest.Value
		}
		g.Decode("nested", &nested)
		assert.Equal(t, "pair", nested.Name)
		require.Len(t, nested.Values, 2)
		second, err := nested.Values[1].Tensor()
		require.NoError(t, err)
		torchtest.AllClose(t, torch.Ones(torch.Shape{2}), second)
	})
	assert.True(t, g.Has("nested"))
	assert.False(t, g.Has("absent"))
}

func TestDamagedGoldens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.json")
	write := func(s string) { require.NoError(t, os.WriteFile(path, []byte(s), 0o600)) }
	dies := func(says string, fn func(tb testing.TB)) {
		t.Helper()
		defer func() {
			t.Helper()
			f, ok := recover().(fatal)
			require.True(t, ok, "the test goes on")
			assert.True(t, strings.HasPrefix(f.message, "goldens: "), f.message)
			assert.Contains(t, f.message, says)
		}()
		fn(&recorder{TB: t})
	}
	dies("no such file", func(tb testing.TB) { torchtest.LoadGoldens(tb, path) })
	write("[")
	dies(path, func(tb testing.TB) { torchtest.LoadGoldens(tb, path) })
	write(`{"n": 1,
		"dtype": {"dtype": "float", "shape": [1], "data": [1]},
		"shape": {"dtype": "float32", "shape": [2], "data": [1]},
		"float": {"dtype": "float32", "shape": [2], "data": [1, "many"]},
		"complex": {"dtype": "complex64", "shape": [1], "data": [1]},
		"pair": {"dtype": "complex64", "shape": [1], "data": [[1, "i"]]},
		"int": {"dtype": "int64", "shape": [1], "data": [1.5]},
		"negative": {"dtype": "uint64", "shape": [1], "data": [-1]},
		"null": {"dtype": "float64", "shape": [2], "data": [1, null]},
		"null int": {"dtype": "int8", "shape": [1], "data": [null]},
		"null bool": {"dtype": "bool", "shape": [1], "data": [null]},
		"null part": {"dtype": "complex64", "shape": [1], "data": [[1, null]]}}`)
	for name, says := range map[string]string{
		"absent": `has no "absent"`, "n": `"n"`, "dtype": `unknown dtype "float"`, "shape": "needs 2 elements",
		"float": "element 1", "complex": "1 is not a pair of numbers", "pair": "element 0", "int": "element 0",
		"negative": "element 0", "null": "element 1: null", "null int": "element 0: null",
		"null bool": "element 0: null",
		"null part": "element 0: element 1: null",
	} {
		dies(says, func(tb testing.TB) { torchtest.LoadGoldens(tb, path).Tensor(name) })
	}
}
