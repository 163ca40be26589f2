// Program pyproof is a C library, built with -buildmode=c-shared, that Python loads with
// ctypes: proof.py exchanges arrays with it. Tensors are known to Python by number.
package main

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/dlpack"
)

var tensors = struct {
	mu    sync.Mutex
	next  int64
	known map[int64]*torch.Tensor
	err   error
}{known: map[int64]*torch.Tensor{}}

func put(x *torch.Tensor, err error) C.int64_t {
	tensors.mu.Lock()
	defer tensors.mu.Unlock()
	if err != nil {
		tensors.err = err
		return 0
	}
	tensors.next++
	tensors.known[tensors.next] = x
	return C.int64_t(tensors.next)
}

func get(id C.int64_t) *torch.Tensor {
	tensors.mu.Lock()
	defer tensors.mu.Unlock()
	return tensors.known[int64(id)]
}

func kind(versioned C.int) dlpack.Kind {
	if versioned != 0 {
		return dlpack.KindVersioned
	}
	return dlpack.KindLegacy
}

//export proofError
func proofError() *C.char {
	tensors.mu.Lock()
	defer tensors.mu.Unlock()
	return C.CString(tensors.err.Error())
}

// proofImport takes over a struct and returns a tensor over its memory, 0 for an error.
//
//export proofImport
func proofImport(p unsafe.Pointer, versioned, copied C.int) C.int64_t {
	c := dlpack.NewCapsule(p, kind(versioned))
	var opts []dlpack.ImportOption
	if copied != 0 {
		opts = append(opts, dlpack.Copy(true))
	}
	x, err := dlpack.FromDLPack(c, opts...)
	if err != nil {
		_ = c.Close()
	}
	return put(x, err)
}

// proofExport returns a struct over a tensor's memory, null for an error.
//
//export proofExport
func proofExport(id C.int64_t, versioned, readOnly C.int) unsafe.Pointer {
	var p unsafe.Pointer
	err := torch.Try(func() {
		opts := []dlpack.ExportOption{dlpack.ReadOnly(readOnly != 0)}
		if versioned != 0 {
			opts = append(opts, dlpack.MaxVersion(1, 0))
		}
		p = dlpack.ToDLPack(get(id), opts...).Take()
	})
	if err != nil {
		put(nil, err)
	}
	return p
}

// proofAbandon makes structs that nobody takes.
//
//export proofAbandon
func proofAbandon(id C.int64_t, n C.int) {
	for range n {
		_ = dlpack.ToDLPack(get(id))
	}
}

// proofDelete calls the deleter of a struct that nobody took from its Python capsule.
//
//export proofDelete
func proofDelete(p unsafe.Pointer, versioned C.int) {
	_ = dlpack.NewCapsule(p, kind(versioned)).Close()
}

//export proofArange
func proofArange(n C.int64_t) C.int64_t { return put(torch.Arange(int64(n), torch.Float32), nil) }

//export proofAdd
func proofAdd(id C.int64_t, by C.double) { get(id).AddScalar_(float64(by)) }

//export proofSum
func proofSum(id C.int64_t) C.double {
	s := torch.Tidy(func() *torch.Tensor { return get(id).Sum(torch.Float64) })
	defer func() { _ = s.Close() }()
	return C.double(s.Item())
}

//export proofView
func proofView(id C.int64_t) C.int64_t { return put(get(id).Narrow(0, 1, 2), nil) }

//export proofData
func proofData(id C.int64_t) C.uintptr_t { return C.uintptr_t(get(id).DataPtr()) }

// proofDescribe returns shape, strides and dtype.
//
//export proofDescribe
func proofDescribe(id C.int64_t) *C.char {
	x := get(id)
	s := x.Shape().String() + " " + torch.Shape(x.Stride()).String() + " " + x.DType().String()
	return C.CString(s)
}

//export proofFree
func proofFree(p unsafe.Pointer) { C.free(p) }

//export proofClose
func proofClose(id C.int64_t) {
	x := get(id)
	tensors.mu.Lock()
	delete(tensors.known, int64(id))
	tensors.mu.Unlock()
	_ = x.Close()
}

// proofForget leaves a tensor to the collector.
//
//export proofForget
func proofForget(id C.int64_t) {
	tensors.mu.Lock()
	defer tensors.mu.Unlock()
	delete(tensors.known, int64(id))
}

// proofCloseOnWorkers lets other goroutines use and close tensors, and waits for them.
// It must return even if its caller holds Python's lock.
//
//export proofCloseOnWorkers
func proofCloseOnWorkers(first, n C.int64_t) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			proofAdd(first+i, 1)
			proofClose(first + i)
			runtime.GC()
			torch.Scope(func() { torch.Ones(torch.Shape{64, 64}).MatMul(torch.Ones(torch.Shape{64, 64})) })
		})
	}
	wg.Wait()
}

//export proofFlush
func proofFlush() { _ = dlpack.Flush(context.Background()) }

// proofCollect runs the collector and waits until n tensors are open.
//
//export proofCollect
func proofCollect(n C.int64_t) {
	for range 1000 {
		runtime.GC()
		if torch.NumLiveTensors() == int64(n) {
			break
		}
		runtime.Gosched()
	}
	proofFlush()
}

//export proofLive
func proofLive() C.int64_t { return C.int64_t(torch.NumLiveTensors()) }

//export proofAllocated
func proofAllocated() C.int64_t { return C.int64_t(memory.Allocated(torch.CPU)) }

func main() {}
