// Package trace assigns IDs to call stacks.
//
// Reports need the stacks on which tensors and allocations were created, and recording
// the stacks must be cheap. The same few stacks occur again and again, so each distinct
// stack is kept once, as program counters. The stack's ID is small enough to travel with
// a call to C++ (see MaxID). Symbols are looked up only for reports.
package trace

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ID identifies a stack. Zero means no stack.
type ID uint32

// MaxID is the largest ID of a stack. It is limited by the size of the field in an
// abi.Ctx. If a program has more stacks, the later ones get the ID zero.
const MaxID ID = 1<<abi.CtxStackBits - 1

// MaxDepth is the number of frames of a stack that are kept, starting with the innermost.
// Each nested layer takes ten frames.
const MaxDepth = 128

// users is the number of features that need stacks: history, the list of live tensors,
// profiles. Features that need lanes add oneLane each.
var users atomic.Int32

const oneLane = 1 << 16

// Start turns capturing on until Stop has been called the same number of times.
func Start() { users.Add(1) }

// Stop undoes one Start.
func Stop() { users.Add(-1) }

// On reports whether any feature needs stacks or lanes.
func On() bool { return users.Load() > 0 }

// stacks holds each stack once. Reading, the common case, takes no lock except in
// sync.Map's slow path.
var stacks struct {
	ids  sync.Map // bytes of the program counters (as a string) -> ID
	mu   sync.Mutex
	list []numbered // by ID - 1
}

// numbered describes what an ID identifies.
type numbered struct {
	pcs  []uintptr
	base ID      // the ID of the same stack without from and lane
	from ID      // the stack that the goroutine works for, 0 for none
	lane uintptr // the goroutine's ID, or 0 if lanes were off
}

// Capture returns the ID of the caller's stack. skip is the number of frames to leave
// out; with zero, the stack begins with the caller of Capture itself.
func Capture(skip int) ID {
	lanes := users.Load()
	if lanes >= oneLane && lanes%oneLane == 0 {
		return inLane(0)
	}
	var at [near]uintptr
	var id ID
	switch n := callers(at[:]); n {
	case -1:
		id = capture(skip + 1)
	case near:
		id = captureFar(skip + 1)
	default:
		id = numberOf(at[:n], skip)
	}
	if working.count.Load() != 0 {
		id = forOthers(id)
	}
	if lanes >= oneLane {
		id = inLane(id)
	}
	return id
}

// capture finds the ID of a stack by its program counters. A new stack gets a new ID.
func capture(skip int) ID {
	var buf [MaxDepth]uintptr
	pcs := buf[:runtime.Callers(skip+2, buf[:])]
	key := string(unsafe.Slice((*byte)(unsafe.Pointer(&buf)), len(pcs)*int(unsafe.Sizeof(buf[0]))))
	if id, ok := stacks.ids.Load(key); ok {
		return id.(ID)
	}
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id, ok := stacks.ids.Load(key); ok {
		return id.(ID)
	}
	id := ID(len(stacks.list) + 1)
	if id > MaxID {
		return 0
	}
	stacks.list = append(stacks.list, numbered{pcs: slices.Clone(pcs), base: id})
	stacks.ids.Store(key, id)
	return id
}

// Count returns the number of distinct stacks.
func Count() int {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	return len(stacks.list)
}

// calls returns the program counters of a stack, innermost first, in the form that
// runtime.CallersFrames takes. It also returns the stack that the stack's goroutine works
// for.
func calls(id ID) (calls []uintptr, from ID) {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id == 0 || int(id) > len(stacks.list) {
		return nil, 0
	}
	n := stacks.list[id-1]
	return n.pcs, n.from
}

// Frames returns a stack with symbols, innermost first. Inlined calls are separate
// frames. If the goroutine works for a different stack, the calls of that stack follow;
// see [For].
func Frames(id ID) []runtime.Frame {
	var out []runtime.Frame
	for id != 0 {
		pcs, from := calls(id)
		id = from
		if len(pcs) == 0 {
			continue
		}
		it := runtime.CallersFrames(pcs)
		for {
			f, more := it.Next()
			if from == 0 || f.Function != "runtime.goexit" {
				out = append(out, f)
			}
			if !more {
				break
			}
		}
	}
	return out
}
