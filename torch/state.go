package torch

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/gate"
	"github.com/gotorch/gotorch/internal/goroutine"
)

// goroutineState is what libtorch keeps per thread and Go needs per goroutine:
// the innermost open scope, the modes, and what WithDevice and WithDType set,
// zero outside of them. It exists while the goroutine is
// inside a closure such as Scope or NoGrad, and only that goroutine reads or
// writes it.
type goroutineState struct {
	scope *scope
	ctx   abi.Ctx
	depth int // closures that hold this state

	crossing string // the operator whose Crossing's function runs

	device Device
	dtype  DType
}

// states maps running goroutines to their state. Buckets are read without a
// lock: a goroutine looks for its own entry only, which nobody else changes.
var states struct {
	buckets [stateBuckets]stateBucket
}

const stateBuckets = 256

type stateBucket struct {
	head atomic.Pointer[stateEntry]
	mu   sync.Mutex // for changes to the chain
	_    [40]byte
}

// stateEntry is immutable once published.
type stateEntry struct {
	id   uintptr
	st   *goroutineState
	next *stateEntry
}

func bucketOf(id uintptr) *stateBucket {
	// A g is a few hundred bytes, so its low bits say nothing.
	return &states.buckets[(id>>9^id>>17)%stateBuckets]
}

// current returns the state of the running goroutine, or nil.
func current() *goroutineState { return lookup(goroutine.ID()) }

func lookup(id uintptr) *goroutineState {
	for e := bucketOf(id).head.Load(); e != nil; e = e.next {
		if e.id == id {
			return e.st
		}
	}
	return nil
}

// enterState returns the running goroutine's state, made if need be. Every
// call is paired with a leaveState on the same goroutine.
func enterState() *goroutineState {
	id := goroutine.ID()
	if st := lookup(id); st != nil {
		st.depth++
		return st
	}
	st := &goroutineState{depth: 1}
	b := bucketOf(id)
	b.mu.Lock()
	b.head.Store(&stateEntry{id: id, st: st, next: b.head.Load()})
	b.mu.Unlock()
	return st
}

func (st *goroutineState) leave() {
	if st.depth--; st.depth > 0 {
		return
	}
	b := bucketOf(goroutine.ID())
	b.mu.Lock()
	b.head.Store(b.head.Load().without(st))
	b.mu.Unlock()
}

// without returns the chain less st's entry. Entries in front of it are copied,
// since readers may stand on them.
func (e *stateEntry) without(st *goroutineState) *stateEntry {
	if e.st == st {
		return e.next
	}
	return &stateEntry{id: e.id, st: e.st, next: e.next.without(st)}
}

// native admits goroutines to libtorch.
var native = gate.New(0)

// intraOp is how many threads one operator may use when it runs alone.
var intraOp = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(cgotorch.NumThreads()))
	return &n
}()

// threadsFor returns how many threads an operator may use when n run at once.
// Powers of two, so that OpenMP's pools are not resized at every change of n.
func threadsFor(n int) int32 {
	t := intraOp.Load()
	for n > 1 && t > 1 {
		t /= 2
		n /= 2
	}
	return t
}
