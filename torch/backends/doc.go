// Package backends has the switches of the libraries that libtorch computes with, as
// torch.backends in Python: cuBLAS and the kernels of attention ([CUDA]), cuDNN
// ([CuDNN]), oneDNN ([MKLDNN]), and whether MKL and OpenMP are there.
//
//	backends.CUDA.MatMul.SetAllowTF32(true)
//	backends.CuDNN.SetBenchmark(true)
//
// What is a module in Python is a variable here, and what is an attribute is a pair of
// methods: backends.CuDNN.Benchmark() reads, backends.CuDNN.SetBenchmark(true) sets.
//
// All switches are the process's, as in PyTorch: they hold for operators of all
// goroutines. Set them before the program computes; [CuDNNBackend.Flags] and [SDPAKernel]
// set some for a function and put them back. They can be set and read on machines
// without CUDA too, and hold once CUDA is in use. [torch.SetFloat32MatmulPrecision] and
// [torch.UseDeterministicAlgorithms] are in package torch, as in Python.
package backends
