// Package callback keeps the Go objects that libtorch refers to: hooks, custom functions
// and shared memory. C++ cannot hold a Go pointer. It holds a number instead, and reports
// when it no longer needs the object. The package also carries the value of a panic
// across C++ frames, which Go cannot unwind.
package callback

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/trace"
)

var objects = struct {
	mu     sync.Mutex
	next   int64
	byID   map[int64]object
	panics map[int64]any

	count atomic.Int64 // number of objects in byID

	// dropped is the number of hooks and functions that C++ has released. Any of them may
	// have held the last reference to a tensor.
	dropped atomic.Int64
}{byID: map[int64]object{}, panics: map[int64]any{}}

// object is a registered object. line is the stack of the registering call, if stacks are
// recorded.
type object struct {
	value any
	kind  named.Objects
	line  trace.ID
}

// Releaser is an object with an action that runs when C++ releases it. Other objects
// count as dropped, because each may have held the last reference to a tensor.
type Releaser interface{ Release() }

// Register returns a number for a hook and keeps the hook until C++ releases it.
func Register(v any) int64 { return RegisterAs(named.Hooks, v) }

// RegisterAs is like Register, for an object of any kind.
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

// DropUnless drops object id if *begun is false: the call that would have passed it to
// C++ did not begin, so C++ will never release it. If the object is a Releaser,
// DropUnless calls Release.
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

// Of returns the object with the number id. C++ must not have released it.
func Of[T any](id int64) T {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	return objects.byID[id].value.(T)
}

// AfterFree is called after tensors were freed, because one of them may have been the
// last user of a shared slice. Usually it only loads one number.
func AfterFree() {
	if cgotorch.HasReleased() {
		Sweep()
	}
}

// Sweep drops the objects that libtorch no longer holds.
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

// Live returns the number of objects that libtorch holds.
func Live() int {
	Sweep()
	return int(objects.count.Load())
}

// Count returns the number of registered objects. It does not call Sweep, so the number
// may include objects that libtorch has released.
func Count() int64 { return objects.count.Load() }

// Counts returns the number of objects by kind and by the line that registered them,
// unsorted.
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

// Dropped returns the number of released objects that are not Releasers.
func Dropped() int64 { return objects.dropped.Load() }

// Run is Guard with the modes in cx and a scope of its own. Package torch sets it.
var Run func(cx abi.Ctx, fn func()) (tag int64)

// Guard runs a callback. If fn panics, Guard stores the value of the panic and returns
// its tag, which travels through the C++ frames. Otherwise it returns zero.
//
// Guard does not return if fn ends the goroutine with runtime.Goexit, as FailNow of
// package testing does. Goexit cannot be stopped: the C++ frames are abandoned with
// everything they hold. They hold no locks at that point. The goroutine ends locked to
// its thread, so that the thread ends too. Otherwise libtorch would count the interrupted
// backward pass as running forever, and it allows only about 60 such passes.
func Guard(fn func()) (tag int64) {
	done := false
	defer func() {
		if done {
			return
		}
		p := recover()
		if p == nil {
			// The thread is never unlocked, so the runtime ends it with the goroutine.
			runtime.LockOSThread()
			return // runtime.Goexit
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

// TakePanic removes the panic with the given tag and returns the value of the panic.
func TakePanic(tag int64) any {
	objects.mu.Lock()
	defer objects.mu.Unlock()
	p := objects.panics[tag]
	delete(objects.panics, tag)
	return p
}
