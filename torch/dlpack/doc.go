// Package dlpack exchanges tensors with other libraries in the process without a copy:
// NumPy, JAX, CuPy or PyTorch of a Python that runs here, ONNX Runtime, Arrow, C
// libraries. DLPack is the convention that they share: a C struct that says where an
// array lies, and has a function that its taker calls when done. It is torch.utils.dlpack
// in Python.
//
// [ToDLPack] makes such a struct over a tensor's memory, [FromDLPack] a tensor over that
// of a struct. A [Capsule] owns a struct until somebody takes it over, as Python's
// capsules do.
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
// # Whose memory it is
//
// Both sides see one memory, and whoever lends it keeps it until the other is done. A
// tensor of [FromDLPack] is foreign memory: the allocator has not made it and
// memory.Allocated does not count it, though the tensor is one of the open ones. After the
// last tensor, view or gradient over it is gone, the other library's deleter is called,
// once. A struct of [ToDLPack] keeps the memory when the tensor is closed, until its taker
// calls the deleter, on whatever thread that is.
//
// Deleters of other libraries are called by a goroutine of this package, one after the
// other. Python's wait for its global lock, and so no operator, no Close and no collection
// ever waits for Python. [Flush] waits until all that are due have been called.
//
// # What is checked
//
// A struct's fields are checked before libtorch sees them; what is wrong is an error that
// names the field. No check finds a pointer that points nowhere, fewer elements than shape
// and strides say, or a deleter that is none: who hands over structs is trusted as any
// other native code of the process. Bools are bytes 0 and 1; any other byte is for the
// other side to avoid.
package dlpack
