// Package backends has the switches of the libraries that libtorch uses, like
// torch.backends in Python: cuBLAS and the attention kernels ([CUDA]), cuDNN ([CuDNN]),
// oneDNN ([MKLDNN]), and whether MKL and OpenMP are available.
//
//	backends.CUDA.MatMul.SetAllowTF32(true)
//	backends.CuDNN.SetBenchmark(true)
//
// A Python module is a variable here, and an attribute is a pair of methods:
// backends.CuDNN.Benchmark() reads it, and backends.CuDNN.SetBenchmark(true) sets it.
//
// As in PyTorch, all switches are global: they apply to operators of all goroutines. Set
// them before the program starts to compute; [CuDNNBackend.Flags] and [SDPAKernel] set
// some temporarily. They can also be set and read on machines without CUDA.
// [torch.SetFloat32MatmulPrecision] and [torch.UseDeterministicAlgorithms] are in package
// torch, as in Python.
package backends
