package backends

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
)

// CuDNN has the switches of cuDNN, torch.backends.cudnn in Python. Its FP32Precision
// applies to all CUDA operators without a more specific setting.
var CuDNN CuDNNBackend

// CuDNNBackend is the type of [CuDNN].
type CuDNNBackend struct {
	Conv CuDNNConvBackend // convolutions
	RNN  CuDNNRNNBackend  // recurrent layers
}

// IsAvailable reports whether libtorch has cuDNN. It loads the CUDA library. Follows
// torch.backends.cudnn.is_available.
func (CuDNNBackend) IsAvailable() bool {
	return torch.CUDA.Check() == nil && isOn("CuDNN.IsAvailable", cgotorch.HasCuDNN)
}

// Version returns the version of cuDNN, such as 91900 for 9.19.0, or 0 without cuDNN. It
// loads the CUDA library. Follows torch.backends.cudnn.version.
func (c CuDNNBackend) Version() int {
	if !c.IsAvailable() {
		return 0
	}
	return int(read("CuDNN.Version", cgotorch.CuDNNVersion))
}

// Enabled reports whether operators may use cuDNN; the default is true. Follows
// torch.backends.cudnn.enabled.
func (CuDNNBackend) Enabled() bool { return isOn("CuDNN.Enabled", cgotorch.CuDNNEnabled) }

// SetEnabled allows or forbids operators to use cuDNN. Follows
// torch.backends.cudnn.enabled.
func (CuDNNBackend) SetEnabled(on bool) { turn("CuDNN.SetEnabled", cgotorch.CuDNNEnabled, on) }

// Benchmark reports whether cuDNN times its algorithms for each new shape and keeps the
// fastest; the default is false. Follows torch.backends.cudnn.benchmark.
func (CuDNNBackend) Benchmark() bool { return isOn("CuDNN.Benchmark", cgotorch.CuDNNBenchmark) }

// SetBenchmark sets whether cuDNN times its algorithms for each new shape and keeps the
// fastest. Follows torch.backends.cudnn.benchmark.
func (CuDNNBackend) SetBenchmark(on bool) { turn("CuDNN.SetBenchmark", cgotorch.CuDNNBenchmark, on) }

// BenchmarkLimit returns the largest number of algorithms to time. The default is 10; 0
// means all. Follows torch.backends.cudnn.benchmark_limit.
func (CuDNNBackend) BenchmarkLimit() int {
	return int(read("CuDNN.BenchmarkLimit", cgotorch.CuDNNBenchmarkLimit))
}

// SetBenchmarkLimit sets the largest number of algorithms to time, or 0 for all. It
// panics with ErrValue for a negative number. Follows
// torch.backends.cudnn.benchmark_limit.
func (CuDNNBackend) SetBenchmarkLimit(n int) {
	const op = "CuDNN.SetBenchmarkLimit"
	if n < 0 || n > math.MaxInt32 {
		panic(torch.NewError("backends."+op, torch.ErrValue, "n", fmt.Sprintf("expected 0 or more, got %d", n)))
	}
	write(op, cgotorch.CuDNNBenchmarkLimit, int64(n))
}

// Deterministic reports whether cuDNN uses only deterministic algorithms; the default is
// false. Follows torch.backends.cudnn.deterministic.
func (CuDNNBackend) Deterministic() bool {
	return isOn("CuDNN.Deterministic", cgotorch.CuDNNDeterministic)
}

// SetDeterministic makes cuDNN use only deterministic algorithms. Follows
// torch.backends.cudnn.deterministic.
func (CuDNNBackend) SetDeterministic(on bool) {
	turn("CuDNN.SetDeterministic", cgotorch.CuDNNDeterministic, on)
}

// AllowTF32 reports whether cuDNN may use TensorFloat32; the default is true. It panics
// with ErrRuntime if FP32Precision differs for convolutions and recurrent layers. Follows
// torch.backends.cudnn.allow_tf32.
func (CuDNNBackend) AllowTF32() bool { return isOn("CuDNN.AllowTF32", cgotorch.CuDNNTF32) }

// SetAllowTF32 allows or forbids TensorFloat32 in cuDNN. Follows torch.backends.cudnn.allow_tf32.
func (CuDNNBackend) SetAllowTF32(allow bool) { turn("CuDNN.SetAllowTF32", cgotorch.CuDNNTF32, allow) }
