// Package torch is PyTorch's tensor library for Go: tensors on CPU and CUDA,
// some hundreds of operators under PyTorch's names, and automatic
// differentiation, on the same libtorch that Python uses.
//
//	x := torch.Randn(torch.Shape{2, 3}, torch.RequiresGrad(true))
//	y := x.MulScalar(2).AddScalar(1).Sum(torch.Dim(1), torch.KeepDim(true))
//	y.Sum().Backward()
//	fmt.Println(y, x.Grad())
//
// # Tensors
//
// A [Tensor] is an array in native memory with a [Shape], a [DType] and a
// [Device]. It is made from Go data ([FromSlice], [FromSliceShared]), by
// creation functions ([Zeros], [Arange], [Randn]) and by operators. Options, whose
// order does not matter, say how it is made:
//
//	torch.Zeros(torch.Shape{2, 3}, torch.Float16, torch.CUDA.At(0), torch.RequiresGrad(true))
//
// Data comes back as a copy ([Tensor.Float32s], [Tensor.CopyTo]) or, for one
// element, as a number ([Tensor.Item]). Printing a tensor gives the text that
// Python prints.
//
// # Names
//
// Operators are methods with PyTorch's names in CamelCase, so that a port reads
// line by line beside its original. A trailing underscore changes the receiver
// in place and returns it (Add_). What writes to a tensor given as out is in
// package aten: aten.AddOut. Where Python overloads, Go has a name each: Add takes a
// tensor, AddScalar a number. What Python takes by keyword is an option at the
// end of the call: x.Sum() reduces everything, x.Sum(torch.Dim(1), torch.KeepDim(true))
// one dimension. Dimensions and sizes are int64, and negative dimensions count
// from the end. A number argument is any Go number, bool or complex; an integer
// stays an integer, as in Python: adding 1 to an Int64 tensor leaves it Int64,
// adding 1.5 makes it Float32. Indexing is [Tensor.Index] and
// [Tensor.SetIndex].
//
// Package torch/aten has every operator of libtorch, for what is not here.
//
// # Ownership
//
// The collector of Go does not see native memory, so a tensor is freed by
// whichever of three comes first:
//
//  1. [Tensor.Close], at once. Closing twice is fine.
//  2. The end of the innermost [Scope] that was open on the goroutine when the
//     tensor was made, in one batch, also if the scope panics. This is the
//     cheapest. [Keep] moves a tensor to the scope around it; [Tidy] returns
//     one from a scope and frees all the rest.
//  3. The collector, once the Tensor is unreachable. It runs when native bytes
//     have grown as GOGC allows Go's own: see package memory.
//
// Operators return new Tensors, also where the result shares the memory of an
// argument, which their comments say. Memory lives as long as anything looks at
// it, so a view outlives the Close of its base. Open one scope per
// step of a loop:
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
// What has been freed cannot be used: the attempt panics with an error that
// says whether Close or which scope's end did it. [LiveTensors] counts what is
// open, for tests that nothing leaks.
//
// # Errors
//
// A wrong shape, dtype, device or index is a mistake in the program, and
// operators panic with an [*Error] for it, as Python raises. [Try] runs a
// function and returns that error. It carries the operator, libtorch's message
// and the arguments, and has a kind for errors.Is:
//
//	err := torch.Try(func() { c = a.MatMul(b) })
//	if errors.Is(err, torch.ErrShape) {
//		fmt.Println(err) // torch: MatMul: mat1 and mat2 shapes cannot be multiplied ...
//	}
//
// C++ exceptions arrive this way wherever they are thrown, and so do panics of
// Go code that libtorch calls back, such as hooks. Nothing in this package ends
// the process.
//
// # Gradients
//
// Operators on tensors that require gradients are recorded. [Tensor.Backward]
// adds to the Grad of each leaf; [Grad] returns gradients instead, and those of
// gradients with CreateGraph. [NoGrad] and [InferenceMode] run a function
// unrecorded, [Tensor.RegisterHook] watches or changes gradients on their way,
// and a [Function] is an operator whose gradient is written in Go. A graph
// keeps what its operators saved until Backward or until its last tensor is
// freed: accumulate loss.Item(), not loss.
//
// # Goroutines
//
// Scopes and modes such as NoGrad belong to the goroutine that opened them. A
// goroutine started inside starts with neither. Any goroutine may use any open
// tensor, several at a time as long as none changes it in place, and any may close
// one: operators that use it at that moment finish, later ones panic with
// ErrClosed. Send tensors over channels like other values, best made outside of
// scopes, since a scope closes its tensors when it ends whoever holds them.
//
// Start as many goroutines as you like: no more than [MaxConcurrency] operators
// run in native code at a time, the others wait in Go, and the threads that an
// operator may use itself ([SetNumThreads]) are shared among those that run.
// Random numbers come from one generator a device, which locks itself: the same
// [ManualSeed] gives Python's numbers, as long as one goroutine draws them.
package torch
