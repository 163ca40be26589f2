package torch

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// callbacks are the Go objects that libtorch refers to by number: hooks,
// custom functions and shared memory, and the values of panics on their way
// through C++.
var callbacks struct {
	mu     sync.Mutex
	next   int64
	byID   map[int64]any
	panics map[int64]any

	count atomic.Int64 // of byID

	// Hooks and functions that are gone: each may have been the last to refer to
	// a tensor.
	dropped atomic.Int64
}

func init() {
	callbacks.byID = map[int64]any{}
	callbacks.panics = map[int64]any{}
	cgotorch.Callbacks.Hook = runHook
	cgotorch.Callbacks.Backward = runBackward
}

func registerCallback(v any) int64 {
	sweepCallbacks()
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	callbacks.next++
	callbacks.byID[callbacks.next] = v
	callbacks.count.Store(int64(len(callbacks.byID)))
	return callbacks.next
}

// dropUnless forgets a callback object that C++ never got to know: the crossing did
// not begin, since a tensor was closed meanwhile.
func dropUnless(begun *bool, id int64) {
	if *begun {
		return
	}
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	delete(callbacks.byID, id)
	callbacks.count.Store(int64(len(callbacks.byID)))
}

func callback[T any](id int64) T {
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	return callbacks.byID[id].(T)
}

// releaser is a callback object with something to do when C++ lets go of it.
type releaser interface{ release() }

// releaseCallbacks is called after tensors were freed: one of them may have been
// the last over a shared slice. Mostly it is one load.
func releaseCallbacks() {
	if cgotorch.HasReleased() {
		sweepCallbacks()
	}
}

// sweepCallbacks drops the objects that libtorch no longer refers to.
func sweepCallbacks() {
	var ids [64]int64
	for {
		n := cgotorch.TakeReleased(ids[:])
		for _, id := range ids[:n] {
			callbacks.mu.Lock()
			v := callbacks.byID[id]
			delete(callbacks.byID, id)
			callbacks.count.Store(int64(len(callbacks.byID)))
			callbacks.mu.Unlock()
			if r, ok := v.(releaser); ok {
				r.release()
			} else {
				callbacks.dropped.Add(1)
			}
		}
		if n < len(ids) {
			return
		}
	}
}

// LiveCallbacks returns how many hooks, custom function applications and
// shared buffers libtorch still refers to.
func LiveCallbacks() int {
	sweepCallbacks()
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	return len(callbacks.byID)
}

// guard runs a callback and returns the tag under which its panic travels
// through the C++ frames, or zero. It does not return if fn ends the goroutine
// with runtime.Goexit, as testing's FailNow does: nothing can stop that, and
// the C++ frames are abandoned with what they hold. They hold no lock then. Their
// thread goes too, by ending its goroutine locked to it: it would count the
// pass as one that runs for ever, and libtorch allows some 60 of these.
func guard(fn func()) (tag int64) {
	done := false
	defer func() {
		if done {
			return
		}
		p := recover()
		if p == nil {
			runtime.LockOSThread() // for ever: the runtime ends the thread with the goroutine
			return                 // runtime.Goexit
		}
		callbacks.mu.Lock()
		defer callbacks.mu.Unlock()
		callbacks.next++
		tag = callbacks.next
		callbacks.panics[tag] = p
	}()
	fn()
	done = true
	return 0
}

func takePanic(tag int64) any {
	callbacks.mu.Lock()
	defer callbacks.mu.Unlock()
	p := callbacks.panics[tag]
	delete(callbacks.panics, tag)
	return p
}

// inCallback runs Go code that libtorch called, on the caller's goroutine or on
// a thread of libtorch's own: with the modes that libtorch has set, in a scope
// that frees what the code makes, and with the caller's place in native code
// given up meanwhile, so that the operators it calls wait for no one who waits
// for them.
func inCallback(cx abi.Ctx, fn func()) (tag int64) {
	native.Leave()
	st, crossing := current(), ""
	if st != nil {
		st.crossing, crossing = "", st.crossing
	}
	tag = guard(func() {
		withMode("", cx&(abi.CtxNoGrad|abi.CtxInference), abi.CtxNoGrad|abi.CtxInference, func() {
			Scope(fn)
		})
	})
	// Not deferred: a goroutine that ends in fn must not take its place with it.
	native.Reenter()
	if st != nil {
		st.crossing = crossing
	}
	return tag
}
