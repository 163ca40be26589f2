// Package cuda provides CUDA devices, streams, events and graphs, like torch.cuda in
// Python. Package memory covers the memory of devices.
//
// A program can compute on a GPU without this package:
//
//	x := torch.Randn(torch.Shape{64, 1024}, torch.CUDA.At(0))
//
// The CUDA library is opened when a program first names a CUDA device, so the same
// program runs on machines without CUDA; see IsAvailable.
//
// # Goroutines
//
// In libtorch the current device and stream belong to a thread, but goroutines move
// between threads. Here they belong to the goroutine, for the duration of a function:
// Stream.Do and WithDevice. No thread is locked for it. Everywhere else the current
// device is cuda:0 and the current stream is its default stream. Goroutines started
// inside such a function do not inherit them. A backward pass runs each operator on the
// stream of its forward operator, as in Python.
package cuda
