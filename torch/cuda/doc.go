// Package cuda is about CUDA devices, streams and events: torch.cuda in Python.
// Memory of devices is the matter of package memory.
//
// A program needs nothing of this package to compute on a GPU:
//
//	x := torch.Randn(torch.Shape{64, 1024}, torch.CUDA(0))
//
// The CUDA library is opened when a program first names a CUDA device, so the
// same program runs where there is none; see IsAvailable.
//
// # Goroutines
//
// The current device and the current stream are the thread's in libtorch, and
// goroutines move between threads. Here they belong to a function that runs on a
// thread of its own: Stream.Do and WithDevice. Everywhere else the current
// device is cuda:0 and the current stream its default stream. Goroutines that
// are started inside such a function do not inherit them. A backward pass runs
// each operator on the stream of its forward operator, as in Python.
package cuda
