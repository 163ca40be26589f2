// Package callback keeps the Go objects that libtorch refers to by number: hooks, custom
// functions and shared memory. C++ cannot hold a Go pointer, so it holds a number, and says
// when it has let go of it. The package also carries the value of a panic across C++
// frames, which Go cannot unwind.
package callback

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/trace"
)

var objects = struct {
	mu     sync.Mutex
	next   int64
	byID   map[int64]object
	panics map[int64]any

	count atomic.Int64 // of byID

	// Hooks and functions that are gone: each may have been the last to refer to
	// a tensor.
	dropped atomic.Int64
}{byID: map[int64]object{}, panics: map[int64]any{}}

// object is what a number stands for, and the stack that registered it if stacks are taken.
type object struct {
	value any
	kind  named.Objects
	line  trace.ID
}

// Releaser is an object with something to do when C++ lets go of it. Others count as
// dropped: each may have been the last to refer to a tensor.
type Releaser interface{ Release() }

// Register gives a hook a number, under which it is kept until C++ lets go of it.
func Register(v any) int64 { return RegisterAs(named.Hooks, v) }

// RegisterAs is Register for an object of another kind.
func RegisterAs(kind named.Objects, v any) int64 {
	Sweep()
	o := object{value: v, kind: kind}
	if trace.On() {
		o.line = trace.Capture(1)
	}
	objects.mu.Lock()
	defer objects.mu.Unlock()
	objects.next++
	objects.byID[objects.next] = o
	objects.count.Store(int64(len(objects.byID)))
	return objects.next
}

// DropUnless forgets an object that C++ never got to know, because the crossing that was
// to hand it over did not begin. A Releaser is released.
func DropUnless(begun *bool, id int64) {
	if *begun {
		return
	}
	if r, ok := drop(id).(Releaser); ok {
		r.Release()
	}
}

func drop(id int64) any {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	v := objects.byID[id].value
	delete(objects.byID, id)
	objects.count.Store(int64(len(objects.byID)))
	return v
}

// Of returns the object of a number that C++ still refers to.
func Of[T any](id int64) T {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	return objects.byID[id].value.(T)
}

// AfterFree is called when tensors were freed: one of them may have been the last over a
// shared slice. Mostly it is one load.
func AfterFree() {
	if cgotorch.HasReleased() {
		Sweep()
	}
}

// Sweep drops the objects that libtorch no longer refers to.
func Sweep() {
	var ids [64]int64
	for {
		n := cgotorch.TakeReleased(ids[:])
		for _, id := range ids[:n] {
			if r, ok := drop(id).(Releaser); ok {
				r.Release()
			} else {
				objects.dropped.Add(1)
			}
		}
		if n < len(ids) {
			return
		}
	}
}

// Live returns how many objects libtorch refers to.
func Live() int {
	Sweep()
	return int(objects.count.Load())
}

// Count is Live as of the last change, for those who must not wait.
func Count() int64 { return objects.count.Load() }

// Counts returns how many objects of each kind there are, by the line that registered them,
// in no order.
func Counts() []named.Count {
	Sweep()
	objects.mu.Lock()
	defer objects.mu.Unlock()
	sums := map[named.Count]int64{}
	for _, o := range objects.byID {
		sums[named.Count{Kind: o.kind, Line: o.line}]++
	}
	out := make([]named.Count, 0, len(sums))
	for c, n := range sums {
		c.Count = n
		out = append(out, c)
	}
	return out
}

// Dropped returns how many objects that are no Releaser are gone so far.
func Dropped() int64 { return objects.dropped.Load() }

// Guard runs a callback and returns the tag under which its panic travels
// through the C++ frames, or zero. It does not return if fn ends the goroutine
// with runtime.Goexit, as testing's FailNow does: nothing can stop that, and
// the C++ frames are abandoned with what they hold. They hold no lock then. Their
// thread goes too, by ending its goroutine locked to it: it would count the
// pass as one that runs for ever, and libtorch allows some 60 of these.
func Guard(fn func()) (tag int64) {
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
		objects.mu.Lock()
		defer objects.mu.Unlock()
		objects.next++
		tag = objects.next
		objects.panics[tag] = p
	}()
	fn()
	done = true
	return 0
}

// TakePanic returns the value of the panic that travelled under a tag, once.
func TakePanic(tag int64) any {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	p := objects.panics[tag]
	delete(objects.panics, tag)
	return p
}
