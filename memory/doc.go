// Package memory measures and limits the native memory of tensors. It corresponds to
// torch.cuda.memory in Python, but covers the CPU as well.
//
// # What is counted
//
// A program that links this module uses a caching CPU allocator instead of libtorch's.
// All CPU tensors take their storage from it, on every thread and in backward passes too.
// It counts each allocation exactly, so the CPU has the statistics that PyTorch keeps for
// CUDA devices:
//
//	requested   bytes that tensors asked for
//	allocated   the sizes of the blocks that hold them
//	reserved    bytes obtained from the system: allocated blocks and cached
//	            free blocks
//
// Three kinds of memory are not counted: memory that a tensor only refers to
// (torch.FromSliceShared, mapped files), page-locked host memory, and the private scratch
// memory of libraries such as oneDNN.
//
// If the environment variable GOTORCH_CPU_ALLOCATOR is "system" when the program starts,
// libtorch's own allocator is used. It has no cache. The statistics are still exact, and
// in snapshots each block is a segment of its own.
//
// # Where freed memory goes
//
// Freed blocks stay in a cache, because returning pages to the system and getting them
// back costs more than most operators. The allocator returns blocks that were unused for
// ten seconds when the program allocates, and at each garbage collection, which Go runs
// at least every two minutes. [EmptyCache] returns all cached memory immediately. Each
// thread may also cache up to 64 KiB of free blocks of each size up to 32 KiB. EmptyCache
// returns those too.
//
// If the program creates few tensors, the same collections also return the free memory of
// malloc and MKL. [Clear] returns all of it immediately. [Explain] shows what the
// resident memory of the process is used for.
//
// # History
//
// [RecordHistory] records every allocation and free with its Go stack. [Snapshot] and
// [DumpSnapshot] return that history and the state of the heap, in the format of
// PyTorch's snapshots. Errors of kind torch.ErrOutOfMemory then name the lines that hold
// the most memory, in the field Memory of *torch.Error.
//
// # Errors
//
// Functions that read statistics panic with a *torch.Error of kind torch.ErrDevice for a
// device that does not exist; torch.Try returns it as an error value. Functions that set
// something return an error. The zero Device is the default device, torch.DefaultDevice.
package memory
