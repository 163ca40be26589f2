package nn

import "github.com/gotorch/gotorch/internal/native/modes"

// underAutocast reports whether autocast for the CPU or CUDA is on for the goroutine.
func underAutocast() bool {
	m := modes.Current()
	return m.AutocastCPU || m.AutocastCUDA
}

// underAutocastCUDA reports whether autocast for CUDA is on for the goroutine. As in
// PyTorch, only CUDA autocast keeps attention from using the evaluation kernels, on
// any device.
func underAutocastCUDA() bool {
	m := modes.Current()
	return m.AutocastCUDA
}
