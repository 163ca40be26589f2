package trace

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// A goroutine that the library starts has no calls of the program on its stack. It works
// for the stack that requested the work, for example the stack that created a loader.
// Tensors that the goroutine creates are attributed to the program's line in that stack.

// working contains, for each goroutine that works for a stack, the ID of that stack.
var working struct {
	count atomic.Int32
	by    goroutine.Local[ID]
}

// Here returns the ID of the caller's stack for use with [For], even if capturing is off.
// skip is the number of frames to leave out, as in [Capture].
func Here(skip int) ID {
	id := capture(skip + 1)
	if working.count.Load() != 0 {
		id = forOthers(id)
	}
	return id
}

// For runs fn as work for a stack. The calls of that stack are appended to every stack
// that fn captures.
func For(stack ID, fn func()) {
	if outer := working.by.Get(); outer != nil {
		before := *outer
		*outer = stack
		defer func() { *outer = before }()
		fn()
		return
	}
	working.count.Add(1)
	working.by.Set(&stack)
	defer func() {
		working.by.Delete()
		working.count.Add(-1)
	}()
	fn()
}

// Go runs fn on a new goroutine, which works for the caller's stack.
func Go(fn func()) {
	if !On() {
		go fn()
		return
	}
	stack := Here(1)
	go For(stack, fn)
}

// forOthers returns an ID for the stack id of the running goroutine combined with the
// stack that the goroutine works for, if any.
func forOthers(id ID) ID {
	from := working.by.Get()
	if from == nil || *from == 0 {
		return id
	}
	return join(joined{base: id, from: *from})
}
