// Package ops calls operators by name, loads libraries of operators, and registers operators
// that are written in Go. It follows torch.ops and torch.library.
//
//	err := ops.LoadLibrary("libmine.so")           // with TORCH_LIBRARY(mine, m) { ... }
//	y := ops.Call("mine::scale", x, 2.0)           // a *torch.Tensor
//	z := ops.Call("aten::add.Tensor", x, y, ops.Kwargs{"alpha": 2})
//
// Every operator of libtorch can be called, and every operator that a library or [Register]
// has registered. Autograd, autocast and the modes of the goroutine apply. For libtorch's own
// operators prefer package torch, or torch/aten, whose functions have Go's types.
//
// Arguments and results are Go values:
//
//	None                       nil
//	Tensor                     *torch.Tensor
//	bool, int, float, str      bool, int64 (or any integer), float64, string
//	complex                    complex128, as an argument
//	dtype, layout etc.         torch.DType, torch.Layout, torch.MemoryFormat, as an argument
//	device                     torch.Device, as an argument
//	Tensor[], int[], float[]   []*torch.Tensor, []int64, []float64 as arguments
//	a list in a result         []any
//	several results            [Tuple]
//
// Tensors in a result belong to the innermost scope or else to the garbage collector.
//
// An operator trusts its arguments beyond their types: a wrong one can end the process. A
// library is native code with all rights of the process.
package ops
