// Package memory shows and bounds the native memory behind tensors: what
// torch.cuda.memory is in Python, for the CPU as well.
//
// # What is counted
//
// A program that links this module replaces libtorch's CPU allocator by a
// caching one. Every tensor's storage on the CPU comes from it, whichever
// thread makes it, backward passes included, and each is counted exactly, so
// the CPU has the statistics that PyTorch keeps for CUDA devices:
//
//	requested   bytes that tensors asked for
//	allocated   the same, rounded up to the blocks that hold them
//	reserved    what was obtained from the system: allocated blocks, and free
//	            ones that are kept for the next allocation
//
// Not counted are memory that Go or C owns and a tensor merely looks at
// (torch.FromSliceShared), pinned host memory, and the private scratch memory
// of libraries such as oneDNN.
//
// With the environment variable GOTORCH_CPU_ALLOCATOR=system at the program's
// start libtorch's own allocator is used. It caches nothing; the statistics
// are as exact, and each block is a segment of its own.
//
// # Where freed memory goes
//
// Freed blocks stay in the cache, because returning pages to the system and
// having them zeroed again costs more than most operators. Blocks that stay
// unused for ten seconds are returned while the program goes on allocating, or
// at a garbage collection, which Go runs at least every two minutes. EmptyCache
// returns everything at once. Each thread may keep up to 64 KiB of free blocks
// of each size up to 32 KiB; EmptyCache returns those too.
//
// # History
//
// RecordHistory has every allocation and free noted with its Go stack;
// Snapshot and DumpSnapshot show that beside the state of the heap, in the
// format of PyTorch's snapshots. Errors of kind torch.ErrOutOfMemory then name
// the lines that hold most, in the field Memory of *torch.Error.
//
// # Errors
//
// Functions that read statistics panic with a *torch.Error of kind
// torch.ErrDevice for a device that is not there; torch.Try turns that into an
// error value. Functions that set something return an error. The zero Device is
// the default one, that of torch.DefaultDevice.
package memory
