package torch

import (
	"runtime"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// One goroutine may close a tensor while an operator of another reads it. So each
// tensor counts the operators that use it, in one word with whether it is open.
// An operator adds itself, looks whether the tensor was open at that moment, and
// takes itself off at its end. Closing only sets a mark while there are users;
// whoever takes off the last use of a closed tensor frees it. Both ends look at the
// whole word in one atomic step, so one of them sees that nobody else is left.
//
// The word, from below: why the tensor is closed (a freedBy, 0 while it is open);
// taken; isParameter; the number of uses.
const (
	whyClosed   = 1<<4 - 1
	taken       = 1 << 4 // somebody frees the handle, or has
	isParameter = 1 << 5 // of a module, which its text says
	oneUse      = 1 << 6
)

// isOpen also says no of a zero Tensor.
func (t *Tensor) isOpen() bool { return t.state.Load()&whyClosed == 0 && t.h != 0 }

func (t *Tensor) freedBy() freedBy { return freedBy(t.state.Load() & whyClosed) }

// acquire adds a use and reports whether the tensor was open. release follows in
// either case.
func (t *Tensor) acquire() bool { return t.state.Add(oneUse)&whyClosed == 0 }

// release takes off a use, the last of which frees a closed tensor.
func (t *Tensor) release() {
	if t.state.Add(^uint32(oneUse-1))&whyClosed != 0 {
		t.released()
	}
}

//go:noinline
func (t *Tensor) released() {
	if t.take() {
		t.free()
	}
}

// hold is handle and acquire, for what reads a tensor without a Raw.
func (t *Tensor) hold(op string, arg int) abi.Tensor {
	h := t.handle(op, arg)
	if !t.acquire() {
		e := t.unusable(op, arg)
		t.release()
		panic(e)
	}
	return h
}

// holdAll is hold for the elements of a list that are not nil, all of them or none.
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

// shut closes an open tensor. It reports whether the caller is to free the handle:
// nobody uses it. Otherwise whoever uses it last does.
func (t *Tensor) shut(why freedBy) (free bool) {
	if t == nil || t.h == 0 {
		return false
	}
	for {
		s := t.state.Load()
		if s&whyClosed != 0 {
			return false
		}
		closed := s | uint32(why)
		if s < oneUse {
			closed |= taken
		}
		if t.state.CompareAndSwap(s, closed) {
			return s < oneUse
		}
	}
}

// take reports whether the caller is to free a closed tensor: nobody uses it, and
// nobody else was told so. Those who come too late count for a moment too, so the
// last use may end more than once.
func (t *Tensor) take() bool {
	for {
		s := t.state.Load()
		if s >= oneUse || s&taken != 0 {
			return false
		}
		if t.state.CompareAndSwap(s, s|taken) {
			return true
		}
	}
}

// close is Close for any reason.
func (t *Tensor) close(why freedBy) {
	if t.shut(why) {
		if t.scope != nil {
			t.scope.forget(t)
		}
		t.free()
	}
}

// free frees the handle. Only who took it may call it, once.
func (t *Tensor) free() {
	if t.scope == nil {
		t.cleanup.Stop()
	}
	t.unlist()
	cgotorch.Free(t.h)
	releaseCallbacks()
	open.add(uintptr(unsafe.Pointer(t)), -1)
	runtime.KeepAlive(t)
}
