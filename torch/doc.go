// Package torch is PyTorch's tensor library for Go. It provides tensors on CPU
// and CUDA, hundreds of operators under PyTorch's names, and automatic
// differentiation. It uses the same libtorch as Python.
//
//	x := torch.Randn(torch.Shape{2, 3}, torch.RequiresGrad(true))
//	y := x.MulScalar(2).AddScalar(1).Sum(torch.Dim(1), torch.KeepDim(true))
//	y.Sum().Backward()
//	fmt.Println(y, x.Grad())
//
// # Tensors
//
// A [Tensor] is an array in native memory with a [Shape], a [DType] and a
// [Device]. You make one from Go data ([FromSlice], [FromSliceShared]), with a
// creation function ([Zeros], [Arange], [Randn]) or with an operator. Creation
// functions take options in any order:
//
//	torch.Zeros(torch.Shape{2, 3}, torch.Float16, torch.CUDA.At(0), torch.RequiresGrad(true))
//
// [Tensor.Float32s] and [Tensor.CopyTo] copy the elements to Go, and
// [Tensor.Item] returns a single element. Printing a tensor gives the same text
// as in Python.
//
// # Names
//
// Operators are methods with PyTorch's names in CamelCase, so that a port can be
// read line by line beside its original. A trailing underscore marks an operator
// that modifies its receiver in place and returns it (Add_). Variants that write
// to an out argument are in package aten: aten.AddOut.
//
// Where Python overloads a function, Go has one name for each form: Add takes a
// tensor, AddScalar a number. Python's keyword arguments are options at the end
// of the call: x.Sum() reduces all dimensions, x.Sum(torch.Dim(1),
// torch.KeepDim(true)) only one. If an option is given twice, the last one
// counts.
//
// Dimensions and sizes are int64, and negative dimensions count from the end. A
// number argument may be any Go number or bool. Its type matters as in Python:
// adding 1 to an Int64 tensor leaves it Int64, adding 1.5 makes it Float32. For
// indexing see [Tensor.Index] and [Tensor.SetIndex].
//
// Operators that this package lacks are in package torch/aten, which has all of
// libtorch's.
//
// # Ownership
//
// The innermost [Scope] owns every new tensor, or Go's garbage collector if no
// scope is open. A tensor is freed by whichever comes first:
//
//  1. [Tensor.Close] frees it immediately. Closing a tensor twice is fine.
//  2. The end of its scope frees it together with all other tensors of the
//     scope, even if the scope panics. This is the cheapest way. [Keep] moves a
//     tensor to the enclosing scope; [Tidy] returns one tensor from a scope and
//     frees the rest.
//  3. The garbage collector frees it once the Tensor is unreachable. gotorch
//     runs the collector when native memory has grown by as much as GOGC allows
//     for Go memory: see package memory.
//
// Functions return new tensors with memory of their own, unless their comment
// says that the result is a view or shares memory. Memory lives as long as any
// tensor uses it, so a view outlives the Close of its base. Open one scope for
// each step of a loop:
//
//	for range steps {
//		torch.Scope(func() {
//			loss := model(x)
//			loss.Backward()
//			update()
//			fmt.Println(loss.Item()) // take numbers out, not tensors
//		})
//	}
//
// [NumLiveTensors] returns the number of open tensors, so that tests can check
// for leaks.
//
// # Errors
//
// A wrong shape, dtype, device or index is a programming mistake. Where Python
// raises an exception, functions of this package panic with an [*Error]. [Try]
// runs a function and returns that error. It holds the operator, libtorch's
// message, the arguments, and a kind for errors.Is:
//
//	err := torch.Try(func() { c = a.MatMul(b) })
//	if errors.Is(err, torch.ErrShape) {
//		fmt.Println(err) // torch: MatMul: mat1 and mat2 shapes cannot be multiplied ...
//	}
//
// Every function that takes a tensor, or has one as its receiver, panics with
// ErrNil for a nil tensor and with ErrClosed for a closed one. The message of
// ErrClosed says whether Close or the end of a scope freed the tensor.
// [Tensor.Close], [Tensor.IsClosed], [Keep], [Disown] and printing accept nil
// and closed tensors. The comments of functions list only their other errors.
//
// C++ exceptions become panics of this kind wherever they are thrown. So do
// panics of Go code that libtorch calls, such as hooks. Nothing in this package
// ends the process.
//
// # Gradients
//
// Autograd records operators on tensors that require gradients.
// [Tensor.Backward] adds to the Grad of each leaf. [Grad] returns gradients
// instead; with [CreateGraph] you can differentiate them again. [NoGrad] and
// [InferenceMode] run a function without recording. [Tensor.RegisterHook] lets
// you read or replace gradients during the backward pass, and a [Function] is an
// operator whose gradient is written in Go.
//
// A graph keeps the tensors that its operators saved until Backward runs or the
// graph's last tensor is freed. So accumulate loss.Item(), not loss.
//
// # Goroutines
//
// Scopes and modes such as NoGrad belong to the goroutine that opened them. A
// goroutine started inside inherits neither.
//
// Several goroutines may use a tensor at once as long as none modifies it in
// place. Any goroutine may close any tensor: operators that are using it
// finish, and later ones panic with ErrClosed. You can send tensors over
// channels. Make them outside of scopes, because the end of a scope frees its
// tensors even if another goroutine holds them.
//
// Start as many goroutines as you like. At most [MaxConcurrency] operators run
// in native code at a time, and the others wait in Go. The running operators
// share the threads set with [SetNumThreads].
//
// Each device has one random number generator, which is safe for concurrent use.
// The same [ManualSeed] gives the same numbers as Python if only one goroutine
// draws them.
package torch
