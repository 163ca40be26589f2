package backends

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// A FlagsOption is an option of CuDNN.Flags: [Enabled], [Benchmark], [BenchmarkLimit],
// [Deterministic], [AllowTF32] or [FP32Precision].
//
//gotorch:options Enabled Benchmark BenchmarkLimit Deterministic AllowTF32 FP32Precision
type FlagsOption interface{ flagsOption() }

// Enabled controls whether operators may use cuDNN. The name in Python is enabled. The
// default is false.
type Enabled bool

// Benchmark controls whether cuDNN times its algorithms; benchmark in Python. The default
// is false.
type Benchmark bool

// BenchmarkLimit is the largest number of algorithms to time; benchmark_limit in Python.
// 0 means all. The default is 10; a negative number panics with ErrValue.
type BenchmarkLimit int

// Deterministic controls whether cuDNN uses only deterministic algorithms. The name in
// Python is deterministic. The default is false.
type Deterministic bool

// AllowTF32 controls whether cuDNN may use TensorFloat32; allow_tf32 in Python. The
// default is true.
type AllowTF32 bool

// Flags runs fn with all cuDNN switches set to the options, or to their defaults. As in
// Python, the default of [Enabled] is false. [FP32Precision] is as for
// CuDNN.SetFP32Precision; its default is PrecisionNone. When fn returns or panics, the
// switches are restored.
//
// The switches are global: while fn runs, they apply to operators of all goroutines. If
// calls on several goroutines overlap, the call that began last applies. When all have
// returned, the switches have their values from before the first call. Other changes to
// the switches during fn are lost.
//
// It panics with ErrNil for a nil fn or option, with ErrValue for a negative limit or an
// invalid precision, with ErrRuntime for PrecisionBF16, and as AllowTF32 does. These
// panics leave all switches unchanged. Follows torch.backends.cudnn.flags.
func (CuDNNBackend) Flags(fn func(), opts ...FlagsOption) {
	const op = "backends.CuDNN.Flags"
	enabled, benchmark, limit, deterministic, tf32 := Enabled(false), Benchmark(false), BenchmarkLimit(10),
		Deterministic(false), AllowTF32(true)
	precision := PrecisionNone
	for _, o := range opts {
		switch o := o.(type) {
		case Enabled:
			enabled = o
		case Benchmark:
			benchmark = o
		case BenchmarkLimit:
			limit = o
		case Deterministic:
			deterministic = o
		case AllowTF32:
			tf32 = o
		case FP32Precision:
			precision = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	if limit < 0 || limit > math.MaxInt32 {
		panic(torch.NewError(op, torch.ErrValue, "BenchmarkLimit", fmt.Sprintf("expected 0 or more, got %d", limit)))
	}
	within("CuDNN.Flags", []setting{
		{toggle(cgotorch.CuDNNEnabled), number(bool(enabled))},
		{toggle(cgotorch.CuDNNBenchmark), number(bool(benchmark))},
		{toggle(cgotorch.CuDNNBenchmarkLimit), int64(limit)},
		{toggle(cgotorch.CuDNNDeterministic), number(bool(deterministic))},
		{toggle(cgotorch.CuDNNTF32), number(bool(tf32))},
		{cudnn(), precisionOf(op, "FP32Precision", precision)},
	}, fn)
}
