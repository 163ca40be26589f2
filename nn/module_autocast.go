package nn

import "github.com/gotorch/gotorch/internal/native/modes"

// underAutocast reports whether the goroutine casts for the CPU or for CUDA.
func underAutocast() bool {
	m := modes.Current()
	return m.AutocastCPU || m.AutocastCUDA
}

// underAutocastCUDA reports whether the goroutine casts for CUDA. That alone keeps
// PyTorch's attention from the kernels of evaluation, on whatever device.
func underAutocastCUDA() bool {
	m := modes.Current()
	return m.AutocastCUDA
}
