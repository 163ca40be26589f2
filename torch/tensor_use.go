package torch

import (
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// This file implements how a tensor is used, closed and freed. Package use explains why
// this is safe.

// isOpen reports whether the tensor is open. A zero Tensor is not.
func (t *Tensor) isOpen() bool { return t.uses.Open() && t.h != 0 }

// acquire adds a use and reports whether the tensor was open. The caller must
// call release in either case.
func (t *Tensor) acquire() bool { return t.uses.Acquire() }

// release removes a use. The last one frees a closed tensor.
func (t *Tensor) release() {
	if t.uses.Release() {
		t.released()
	}
}

//go:noinline
func (t *Tensor) released() {
	if t.uses.Take() {
		t.free()
	}
}

// hold calls handle and acquire, for code that reads a tensor without a Raw.
func (t *Tensor) hold(op string, arg int) abi.Tensor {
	h := t.handle(op, arg)
	if !t.acquire() {
		e := t.unusable(op, arg)
		t.release()
		panic(e)
	}
	return h
}

// holdAll holds the non-nil elements of a list: all of them or none.
func holdAll(op string, ts []*Tensor) {
	for i, t := range ts {
		if t != nil && !t.acquire() {
			e := t.unusable(op, i)
			releaseAll(ts[:i+1])
			panic(e)
		}
	}
}

func releaseAll(ts []*Tensor) {
	for _, t := range ts {
		if t != nil {
			t.release()
		}
	}
}

// shut closes an open tensor. It reports whether the caller must free the
// handle because nobody is using it. Otherwise the last user frees it.
func (t *Tensor) shut(why freedBy) (free bool) {
	if t.IsClosed() {
		return false
	}
	t.shutAt.note()
	return t.uses.Close(uint8(why))
}

// close closes the tensor and records the reason.
func (t *Tensor) close(why freedBy) {
	if t.shut(why) {
		if t.scope != nil {
			t.scope.forget(t)
		}
		t.free()
	}
}

// free frees the handle. Only the goroutine for which shut or uses.Take returned true may
// call it, once.
func (t *Tensor) free() {
	if t.scope == nil {
		t.cleanup.Stop()
	}
	t.unlist()
	cgotorch.Free(t.h)
	callback.AfterFree()
	open.Add(uintptr(unsafe.Pointer(t)), -1)
	runtime.KeepAlive(t)
}
