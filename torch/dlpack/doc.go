// Package dlpack exchanges tensors with other libraries in the process without a copy:
// NumPy, JAX, CuPy or PyTorch in an embedded Python, ONNX Runtime, Arrow, or C libraries.
// They share the DLPack convention: a C struct that describes an array, with a function
// to call when it is no longer used. The package is torch.utils.dlpack in Python.
//
// [ToDLPack] makes such a struct over a tensor's memory, [FromDLPack] a tensor over a
// struct's memory. A [Capsule] owns a struct until somebody takes it over, like Python's
// capsules.
//
//	// Exported to C by a library built with -buildmode=c-shared, which Python calls with the
//	// pointer of its capsule:
//	x, err := dlpack.FromDLPack(dlpack.NewCapsule(p, dlpack.KindVersioned))
//	if err != nil {
//		return err
//	}
//	defer x.Close()
//	x.MulScalar_(2) // in Python's array
//
// # Memory
//
// Both sides share the memory, and the lender keeps it until the borrower is done. A
// tensor of [FromDLPack] uses foreign memory, which memory.Allocated does not count. When
// the last tensor, view or gradient over it is freed, the other library's deleter is
// called, once. A struct of [ToDLPack] keeps the tensor's memory, even if the tensor is
// closed, until its taker calls the deleter, on any thread.
//
// A goroutine of this package calls the deleters of other libraries, one at a time.
// Python's deleters wait for its global lock, but no operator, Close or garbage
// collection ever waits for Python. [Flush] waits until all pending deleters have been
// called.
//
// # Checks
//
// A struct's fields are checked before libtorch uses them; an error names the field.
// Invalid pointers, fewer elements than shape and strides say, and invalid deleters
// cannot be detected: structs are trusted like any native code. Bools must be bytes 0 or
// 1.
package dlpack
