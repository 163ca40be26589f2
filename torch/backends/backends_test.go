package backends_test

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/backends"
	"github.com/gotorch/gotorch/torch/cuda"
)

// Each switch has Python's default, accepts both values, and changes no other switch.
func TestSwitches(t *testing.T) {
	c, m, d, k := backends.CUDA, backends.CUDA.MatMul, backends.CuDNN, backends.MKLDNN
	switches := []struct {
		name     string
		byItself bool // Python's default
		get      func() bool
		set      func(bool)
	}{
		{"matmul.allow_tf32", false, m.AllowTF32, m.SetAllowTF32},
		{"matmul.allow_fp16_accumulation", false, m.AllowFP16Accumulation, m.SetAllowFP16Accumulation},
		{"flash_sdp", true, c.FlashSDPEnabled, c.EnableFlashSDP},
		{"mem_efficient_sdp", true, c.MemEfficientSDPEnabled, c.EnableMemEfficientSDP},
		{"math_sdp", true, c.MathSDPEnabled, c.EnableMathSDP},
		{"cudnn_sdp", true, c.CuDNNSDPEnabled, c.EnableCuDNNSDP},
		{"fp16_bf16_reduction_math_sdp", false, c.FP16BF16ReductionMathSDPAllowed, c.AllowFP16BF16ReductionMathSDP},
		{"cudnn.enabled", true, d.Enabled, d.SetEnabled},
		{"cudnn.benchmark", false, d.Benchmark, d.SetBenchmark},
		{"cudnn.deterministic", false, d.Deterministic, d.SetDeterministic},
		{"cudnn.allow_tf32", true, d.AllowTF32, d.SetAllowTF32},
		{"mkldnn.enabled", true, k.Enabled, k.SetEnabled},
		{"mkldnn.deterministic", false, k.Deterministic, k.SetDeterministic},
	}
	state := func() (s []bool) {
		for _, w := range switches {
			s = append(s, w.get())
		}
		return s
	}
	for i, w := range switches {
		before := state()
		require.Equal(t, w.byItself, before[i], w.name)
		w.set(!w.byItself)
		after := state()
		require.Equal(t, !w.byItself, after[i], w.name)
		w.set(w.byItself)
		require.Equal(t, before, state(), w.name)
		after[i] = w.byItself
		require.Equal(t, before, after, "%s changes another", w.name)
	}
	m.SetFP32Precision(backends.PrecisionNone) // SetAllowTF32 has set another precision
}

// Attention obeys its switches.
func TestAttentionReadsItsSwitches(t *testing.T) {
	q := torch.Ones(torch.Shape{1, 1, 4, 8})
	attend := func() { aten.ScaledDotProductAttention(q, q, q, nil, 0, false, nil, false).Close() }
	require.NotPanics(t, attend)
	backends.CUDA.EnableMathSDP(false)
	backends.CUDA.EnableFlashSDP(false)
	defer backends.CUDA.EnableMathSDP(true)
	defer backends.CUDA.EnableFlashSDP(true)
	require.ErrorIs(t, torch.Try(attend), torch.ErrRuntime)
}

func TestReductions(t *testing.T) {
	m := backends.CUDA.MatMul
	for _, f := range []struct {
		name string
		get  func() (bool, bool)
		set  func(bool, bool)
	}{
		{"FP16", m.AllowFP16ReducedPrecisionReduction, m.SetAllowFP16ReducedPrecisionReduction},
		{"BF16", m.AllowBF16ReducedPrecisionReduction, m.SetAllowBF16ReducedPrecisionReduction},
	} {
		both := func(allow, splitK bool) {
			a, s := f.get()
			assert.Equal(t, [2]bool{allow, splitK}, [2]bool{a, s}, f.name)
		}
		both(true, true)
		f.set(false, true)
		both(false, true)
		f.set(false, false)
		both(false, false)
		err := torch.Try(func() { f.set(true, false) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.Contains(t, err.Error(), "SetAllow"+f.name)
		assert.Contains(t, err.Error(), "splitK")
		both(false, false)
		f.set(true, true)
		both(true, true)
	}
}

type operators interface {
	FP32Precision() backends.FP32Precision
	SetFP32Precision(p backends.FP32Precision)
}

// Each library and each family of operators has its own setting. If it is not set, a more
// general one applies. An invalid value changes nothing.
func TestFP32Precision(t *testing.T) {
	none, ieee, tf32, bf16 := backends.PrecisionNone, backends.PrecisionIEEE, backends.PrecisionTF32,
		backends.PrecisionBF16
	all := map[string]struct {
		operators
		byItself backends.FP32Precision
		cuda     bool
	}{
		"matmul":        {backends.CUDA.MatMul, none, true},
		"cudnn.conv":    {backends.CuDNN.Conv, tf32, true},
		"cudnn.rnn":     {backends.CuDNN.RNN, tf32, true},
		"cudnn":         {backends.CuDNN, none, true},
		"mkldnn":        {backends.MKLDNN, none, false},
		"mkldnn.matmul": {backends.MKLDNN.MatMul, none, false},
		"mkldnn.conv":   {backends.MKLDNN.Conv, none, false},
		"mkldnn.rnn":    {backends.MKLDNN.RNN, none, false},
		"all":           {backends.All, none, false},
	}
	for name, o := range all {
		require.Equal(t, o.byItself, o.FP32Precision(), name)
		o.SetFP32Precision(ieee)
		assert.Equal(t, ieee, o.FP32Precision(), name)
		o.SetFP32Precision(tf32)
		assert.Equal(t, tf32, o.FP32Precision(), name)
		if o.cuda {
			require.ErrorIs(t, torch.Try(func() { o.SetFP32Precision(bf16) }), torch.ErrRuntime, name)
			assert.Equal(t, tf32, o.FP32Precision(), name)
		} else {
			o.SetFP32Precision(bf16)
			assert.Equal(t, bf16, o.FP32Precision(), name)
		}
		err := torch.Try(func() { o.SetFP32Precision("fp8") })
		require.ErrorIs(t, err, torch.ErrValue, name)
		assert.Contains(t, err.Error(), `"fp8"`)
		o.SetFP32Precision(o.byItself)
		require.Equal(t, o.byItself, o.FP32Precision(), name)
	}
	backends.All.SetFP32Precision(ieee)
	defer backends.All.SetFP32Precision(none)
	assert.Equal(t, ieee, backends.MKLDNN.MatMul.FP32Precision(), "from the general one")
	assert.Equal(t, ieee, backends.CUDA.MatMul.FP32Precision(), "from the general one")
}

// AllowTF32 and FP32Precision of matrix products are the same setting.
func TestTF32IsAPrecision(t *testing.T) {
	require.Equal(t, torch.MatmulHighest, torch.Float32MatmulPrecision())
	backends.CUDA.MatMul.SetAllowTF32(true)
	assert.Equal(t, torch.MatmulHigh, torch.Float32MatmulPrecision())
	assert.Equal(t, backends.PrecisionTF32, backends.CUDA.MatMul.FP32Precision())
	backends.CUDA.MatMul.SetAllowTF32(false)
	assert.Equal(t, torch.MatmulHighest, torch.Float32MatmulPrecision())
	backends.CUDA.MatMul.SetFP32Precision(backends.PrecisionNone)
}

func TestLibraries(t *testing.T) {
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever)) // both functions warn that they are experimental
	c := backends.CUDA
	require.Equal(t, backends.LibraryDefault, c.PreferredLinalgLibrary())
	err := torch.Try(func() { c.SetPreferredLinalgLibrary(backends.LibraryCuBLAS) })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Contains(t, err.Error(), "[default cusolver magma]")
	err = torch.Try(func() { c.SetPreferredBLASLibrary("mkl") })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Contains(t, err.Error(), "[default cublas cublaslt]")
	before := c.PreferredBLASLibrary()
	c.SetPreferredBLASLibrary(backends.LibraryCuBLAS)
	assert.Equal(t, backends.LibraryCuBLAS, c.PreferredBLASLibrary())
	c.SetPreferredBLASLibrary(before)
}

// The package's variables have no fields, so assigning to one changes nothing.
func TestVariablesHoldNothing(t *testing.T) {
	for _, v := range []any{
		backends.All, backends.CUDA, backends.CuDNN, backends.MKLDNN, backends.MKL,
		backends.OpenMP,
	} {
		assert.Zero(t, reflect.TypeOf(v).Size(), "%T", v)
	}
}

func TestBenchmarkLimit(t *testing.T) {
	d := backends.CuDNN
	require.Equal(t, 10, d.BenchmarkLimit())
	d.SetBenchmarkLimit(0)
	assert.Zero(t, d.BenchmarkLimit())
	require.ErrorIs(t, torch.Try(func() { d.SetBenchmarkLimit(-1) }), torch.ErrValue)
	assert.Zero(t, d.BenchmarkLimit())
	d.SetBenchmarkLimit(10)
}

func TestCUDALibrariesThatAreThere(t *testing.T) {
	assert.True(t, backends.OpenMP.IsAvailable())
	_, _ = backends.MKL.IsAvailable(), backends.MKLDNN.IsAvailable() // they are not available on every processor
	if !cuda.IsAvailable() {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(cuda.Init())
		}
		assert.False(t, backends.CuDNN.IsAvailable())
		assert.Zero(t, backends.CuDNN.Version())
		return
	}
	assert.True(t, backends.CuDNN.IsAvailable())
	assert.Greater(t, backends.CuDNN.Version(), 90000)
}

func Example() {
	backends.CuDNN.SetBenchmark(true)
	fmt.Println(backends.CuDNN.Benchmark(), backends.CUDA.MatMul.AllowTF32())
	backends.CuDNN.SetBenchmark(false)
	// Output: true false
}
