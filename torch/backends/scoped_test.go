package backends_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/backends"
	"github.com/gotorch/gotorch/torchtest"
)

// flags describes the current cuDNN switches.
func flags() optiontest.Outcome {
	d := backends.CuDNN
	return optiontest.Outcome{"flags": fmt.Sprint(d.Enabled(), d.Benchmark(), d.BenchmarkLimit(), d.Deterministic(),
		d.AllowTF32(), d.FP32Precision())}
}

func kernels() optiontest.Outcome {
	c := backends.CUDA
	return optiontest.Outcome{"kernels": fmt.Sprint(c.MathSDPEnabled(), c.FlashSDPEnabled(), c.MemEfficientSDPEnabled(),
		c.CuDNNSDPEnabled(), c.SDPPriority())}
}

// Each option is tried alone, after the same option with a different value, and with a
// nil option. Afterwards the switches are restored.
func TestOptionsOfClosures(t *testing.T) {
	before := [2]optiontest.Outcome{flags(), kernels()}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"CuDNNBackend.Flags": optiontest.For(func(opts ...backends.FlagsOption) (o optiontest.Outcome) {
			backends.CuDNN.Flags(func() { o = flags() }, opts...)
			assert.Equal(t, before[0], flags())
			return o
		},
			optiontest.Values(backends.Enabled(true), backends.Enabled(false)),
			optiontest.Values(backends.Benchmark(true), backends.Benchmark(false)),
			optiontest.Values(backends.BenchmarkLimit(0), backends.BenchmarkLimit(3)),
			optiontest.Refused(backends.BenchmarkLimit(-1)),
			optiontest.Values(backends.Deterministic(true), backends.Deterministic(false)),
			optiontest.Values(backends.AllowTF32(true), backends.AllowTF32(false)),
			optiontest.Values(backends.PrecisionIEEE, backends.PrecisionNone),
			optiontest.Refused(backends.FP32Precision("fp8")),
		),
		"SDPAKernel": optiontest.For(func(opts ...backends.SDPAKernelOption) (o optiontest.Outcome) {
			list := []backends.SDPBackend{
				backends.SDPBackendMath, backends.SDPBackendCuDNNAttention,
				backends.SDPBackendMath,
			}
			backends.SDPAKernel(list, func() { o = kernels() }, opts...)
			assert.Equal(t, before[1], kernels())
			return o
		}, optiontest.Values(backends.SetPriority(true), backends.SetPriority(false))),
	})
}

// The defaults of Flags are Python's.
func TestFlagsByThemselves(t *testing.T) {
	backends.CuDNN.Flags(func() {
		assert.Equal(t, optiontest.Outcome{"flags": fmt.Sprint(false, false, 10, false, true, backends.PrecisionNone)},
			flags())
	})
}

// The switches are restored after errors, including libtorch's, and after panics.
func TestFlagsArePutBack(t *testing.T) {
	before := flags()
	d := backends.CuDNN
	assert.PanicsWithValue(t, "inside", func() {
		d.Flags(func() { panic("inside") }, backends.Benchmark(true), backends.BenchmarkLimit(2),
			backends.AllowTF32(false))
	})
	assert.Equal(t, before, flags())
	ran := false
	require.ErrorIs(t, torch.Try(func() {
		d.Flags(func() { ran = true }, backends.Benchmark(true), backends.PrecisionBF16)
	}), torch.ErrRuntime)
	require.ErrorIs(t, torch.Try(func() { d.Flags(nil) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { backends.SDPAKernel(nil, nil) }), torch.ErrNil)
	err := torch.Try(func() { backends.SDPAKernel([]backends.SDPBackend{"quick"}, func() { ran = true }) })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Contains(t, err.Error(), `"quick"`)
	assert.False(t, ran)
	assert.Equal(t, before, flags())

	backends.All.SetFP32Precision(backends.PrecisionIEEE)
	d.Flags(func() {})
	assert.Equal(t, backends.PrecisionIEEE, d.FP32Precision())
	backends.All.SetFP32Precision(backends.PrecisionNone)
	assert.Equal(t, backends.PrecisionNone, d.FP32Precision(), "that of all libraries was not taken for its own")
}

// Calls on several goroutines may end in any order. Among those still running, the newest one applies.
func TestClosuresOverlap(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	before := flags()
	d := backends.CuDNN
	begun, end := [3]chan struct{}{}, [3]chan struct{}{}
	ended := [3]chan struct{}{}
	for i := range begun {
		begun[i], end[i], ended[i] = make(chan struct{}), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended[i])
			d.Flags(func() {
				close(begun[i])
				<-end[i]
			}, backends.BenchmarkLimit(i+1))
		}()
		<-begun[i]
		assert.Equal(t, i+1, d.BenchmarkLimit())
	}
	leave := func(i int) {
		close(end[i])
		<-ended[i]
	}
	leave(0)
	assert.Equal(t, 3, d.BenchmarkLimit())
	leave(2)
	assert.Equal(t, 2, d.BenchmarkLimit())
	leave(1)
	assert.Equal(t, before, flags())
}

// Many concurrent calls restore the switches.
func TestManyClosures(t *testing.T) {
	before := [2]optiontest.Outcome{flags(), kernels()}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			backends.CuDNN.Flags(func() {
				backends.SDPAKernel([]backends.SDPBackend{backends.SDPBackendMath}, func() {},
					backends.SetPriority(i%2 == 0))
			}, backends.Enabled(i%3 == 0), backends.AllowTF32(i%5 == 0), backends.BenchmarkLimit(i))
		})
	}
	wg.Wait()
	assert.Equal(t, before[0], flags())
	assert.Equal(t, before[1], kernels())
}

func TestSDPAKernelChooses(t *testing.T) {
	q := torch.Ones(torch.Shape{1, 1, 4, 8})
	attend := func() { aten.ScaledDotProductAttention(q, q, q, nil, 0, false, nil, false).Close() }
	for _, k := range []backends.SDPBackend{backends.SDPBackendMath, backends.SDPBackendFlashAttention} {
		backends.SDPAKernel([]backends.SDPBackend{k}, func() { require.NotPanics(t, attend) })
	}
	backends.SDPAKernel(nil, func() { require.ErrorIs(t, torch.Try(attend), torch.ErrRuntime) })
	require.NotPanics(t, attend)
	backends.SDPAKernel([]backends.SDPBackend{backends.SDPBackendMath, backends.SDPBackendEfficientAttention}, func() {
		assert.Equal(t, []backends.SDPBackend{
			backends.SDPBackendMath, backends.SDPBackendEfficientAttention,
			backends.SDPBackendFlashAttention, backends.SDPBackendCuDNNAttention,
		}, backends.CUDA.SDPPriority(), "as in Python")
	}, backends.SetPriority(true))
}

func ExampleCuDNNBackend_Flags() {
	backends.CuDNN.Flags(func() {
		fmt.Println(backends.CuDNN.Deterministic())
	}, backends.Enabled(true), backends.Deterministic(true))
	fmt.Println(backends.CuDNN.Deterministic())
	// Output:
	// true
	// false
}

func ExampleSDPAKernel() {
	q := torch.Ones(torch.Shape{1, 1, 2, 4})
	backends.SDPAKernel([]backends.SDPBackend{backends.SDPBackendMath}, func() {
		fmt.Println(aten.ScaledDotProductAttention(q, q, q, nil, 0, false, nil, false).Shape())
	})
	// Output: (1, 1, 2, 4)
}
