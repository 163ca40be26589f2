// Package memory measures and limits the native memory behind tensors. It is
// what torch.cuda.memory is in Python, but covers the CPU as well.
//
// # What is counted
//
// A program that links this module gets a caching CPU allocator in place of
// libtorch's. Every tensor on the CPU takes its storage from it, on every
// thread and in backward passes too. Each allocation is counted exactly, so the
// CPU has the statistics that PyTorch keeps for CUDA devices:
//
//	requested   bytes that tensors asked for
//	allocated   the same, rounded up to the blocks that hold them
//	reserved    bytes obtained from the system: allocated blocks, and free
//	            blocks that are kept for the next allocation
//
// Three things are not counted: memory that Go or C owns and a tensor only
// refers to (torch.FromSliceShared, files that are mapped), page-locked host
// memory, and the private scratch memory of libraries such as oneDNN.
//
// If the environment variable GOTORCH_CPU_ALLOCATOR is "system" when the
// program starts, libtorch's own allocator is used. It caches nothing. The
// statistics are just as exact, and each block is a segment of its own.
//
// # Where freed memory goes
//
// Freed blocks stay in the cache, because returning pages to the system and
// having them zeroed again costs more than most operators. Blocks that are
// unused for ten seconds are returned when the program allocates, or at a
// garbage collection, which Go runs at least every two minutes. EmptyCache
// returns everything at once. Each thread may keep up to 64 KiB of free blocks
// of each size up to 32 KiB; EmptyCache returns those too.
//
// The same collections return what malloc and MKL have free once the program makes
// hardly any tensors. Clear returns all of it at once. Explain says where the resident
// memory of the process is.
//
// # History
//
// After RecordHistory every allocation and free is recorded with its Go stack.
// Snapshot and DumpSnapshot show that history and the state of the heap, in the
// format of PyTorch's snapshots. Errors of kind torch.ErrOutOfMemory then name
// the lines that hold the most, in the field Memory of *torch.Error.
//
// # Errors
//
// Functions that read statistics panic with a *torch.Error of kind
// torch.ErrDevice for a device that is not there; torch.Try turns that into an
// error value. Functions that set something return an error. The zero Device is
// the default device, torch.DefaultDevice.
package memory
