package mem

/*
#cgo noescape gt_mem_cheap_read
#cgo nocallback gt_mem_cheap_read
#cgo nocallback gt_mem_cheap_trim
#cgo nocallback gt_mem_malloc_trim
#include "cheap.h"
*/
import "C"

// CHeap contains the sizes of malloc's heap, where libtorch keeps everything except the
// elements of tensors. All sizes are 0 if the C library does not provide them.
type CHeap struct {
	InUse   int64 // allocated
	Free    int64 // bytes kept for reuse; some of their pages may have been returned to the system
	Scratch int64 // bytes of InUse that MKL keeps as buffers for its next call
}

// ReadCHeap reads the sizes of malloc's heap. It takes about 0.2 µs per free block.
func ReadCHeap() CHeap {
	var h C.gt_mem_cheap
	C.gt_mem_cheap_read(&h)
	return CHeap{int64(h.in_use), int64(h.free), int64(h.scratch)}
}

// TrimCHeap frees MKL's idle buffers and returns malloc's free memory to the system.
func TrimCHeap() { C.gt_mem_cheap_trim() }

// TrimMalloc returns malloc's free memory to the system.
func TrimMalloc() { C.gt_mem_malloc_trim() }
