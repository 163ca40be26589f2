package trace

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// A goroutine that the library starts has no calls of the program on its stack. It works
// for the stack that asked for the work: that of the loader that was made, say. Whatever
// it makes is the doing of the program's line there.

// working has the stack that each such goroutine works for.
var working struct {
	count atomic.Int32
	by    goroutine.Local[ID]
}

// Here returns the number of the caller's stack, also while nobody wants stacks, for [For].
// skip is how many frames to leave out, as in [Capture].
func Here(skip int) ID {
	id := capture(skip + 1)
	if working.count.Load() != 0 {
		id = forOthers(id)
	}
	return id
}

// For runs fn as work for a stack: behind those of the running goroutine, the calls of that
// stack belong to every stack that is captured meanwhile.
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

// Go runs fn on a goroutine of its own, as work for the caller's stack.
func Go(fn func()) {
	if !On() {
		go fn()
		return
	}
	stack := Here(1)
	go For(stack, fn)
}

// forOthers returns the number of a stack of the running goroutine together with what that
// works for, if it does.
func forOthers(id ID) ID {
	from := working.by.Get()
	if from == nil || *from == 0 {
		return id
	}
	return join(joined{base: id, from: *from})
}
