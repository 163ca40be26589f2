package mem

/*
#cgo noescape gt_mem_cheap_read
#cgo nocallback gt_mem_cheap_read
#cgo nocallback gt_mem_cheap_trim
#cgo nocallback gt_mem_malloc_trim
#include "cheap.h"
*/
import "C"

// CHeap is what the C library's malloc has, where libtorch keeps all that is not
// a tensor's elements. All are 0 where the C library does not tell.
type CHeap struct {
	InUse   int64 // handed out
	Free    int64 // kept for reuse, pages given back included
	Scratch int64 // of InUse, buffers that MKL keeps for its next call
}

// ReadCHeap reads it. It takes some 0.2 us for each free block of malloc's.
func ReadCHeap() CHeap {
	var h C.gt_mem_cheap
	C.gt_mem_cheap_read(&h)
	return CHeap{int64(h.in_use), int64(h.free), int64(h.scratch)}
}

// TrimCHeap frees MKL's idle buffers and returns what malloc has free to the
// system.
func TrimCHeap() { C.gt_mem_cheap_trim() }

// TrimMalloc returns what malloc has free to the system.
func TrimMalloc() { C.gt_mem_malloc_trim() }
