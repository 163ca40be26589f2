// Package cuda provides CUDA devices, streams, events and graphs, like torch.cuda in
// Python. Package memory covers the memory of devices.
//
// A program can compute on a GPU without this package:
//
//	x := torch.Randn(torch.Shape{64, 1024}, torch.CUDA.At(0))
//
// The CUDA library is loaded when a program first uses a CUDA device, so the same
// program also runs on machines without CUDA; see IsAvailable.
//
// # Goroutines
//
// In libtorch, the current device and stream belong to a thread, but goroutines move
// between threads. In gotorch they belong to the goroutine, and are set for the duration
// of a function with Stream.Do or WithDevice. The goroutine is not locked to a thread.
// Outside of such a function, the current device is cuda:0 and the current stream is its
// default stream. Goroutines that the function starts do not inherit the setting. A
// backward pass runs each operator on the stream of its forward operator, as in Python.
package cuda
