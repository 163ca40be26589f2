// Package trace numbers call stacks.
//
// Whoever wants to know later where a tensor or an allocation came from needs
// the stack that made it, cheaply: the same few stacks over and over. Each
// distinct one is kept once, as program counters, and known by a number small
// enough to travel with a crossing into C++ (see MaxID). Symbols are looked up
// only for reports.
package trace

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ID is the number of a stack. Zero is no stack.
type ID uint32

// MaxID is the greatest number of a stack: what the field of an abi.Ctx holds.
// Later stacks, if a program ever has so many, are no stack.
const MaxID ID = 1<<abi.CtxStackBits - 1

// MaxDepth is how many frames of a stack are kept, from the innermost out.
const MaxDepth = 32

// users is how many features want stacks: history, the list of live tensors, profiles.
// Those that want lanes count oneLane each.
var users atomic.Int32

const oneLane = 1 << 16

// Start switches capturing on until as many Stops. Calls nest.
func Start() { users.Add(1) }

// Stop undoes one Start.
func Stop() { users.Add(-1) }

// On reports whether somebody wants stacks or lanes.
func On() bool { return users.Load() > 0 }

type pcs [MaxDepth]uintptr

// stacks holds each stack once. Reading, the common case, takes no lock beyond
// that of sync.Map's fast path.
var stacks struct {
	ids  sync.Map // pcs -> ID
	mu   sync.Mutex
	list []numbered // by ID - 1
}

// numbered is what a number stands for.
type numbered struct {
	pcs  *pcs
	base ID      // the number of the stack alone
	lane uintptr // the goroutine, 0 where lanes were not asked for
}

// Capture returns the number of the caller's stack. skip is how many frames to
// leave out, zero for the caller of Capture itself.
func Capture(skip int) ID {
	lanes := users.Load()
	if lanes >= oneLane && lanes%oneLane == 0 {
		return inLane(0)
	}
	var at addrs
	n := callers(&at)
	if n < 0 {
		id := capture(skip + 1)
		if lanes >= oneLane {
			id = inLane(id)
		}
		return id
	}
	b := bucket(&at, n, skip)
	id := find(b, &at, n, skip)
	if id == 0 {
		id = capture(skip + 1)
		remember(b, &at, n, skip, id)
	}
	if lanes >= oneLane {
		id = inLane(id)
	}
	return id
}

// capture looks a stack up by its calls.
func capture(skip int) ID {
	var s pcs
	runtime.Callers(skip+2, s[:])
	if id, ok := stacks.ids.Load(s); ok {
		return id.(ID)
	}
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id, ok := stacks.ids.Load(s); ok {
		return id.(ID)
	}
	id := ID(len(stacks.list) + 1)
	if id > MaxID {
		return 0
	}
	stacks.list = append(stacks.list, numbered{pcs: &s, base: id})
	stacks.ids.Store(s, id)
	return id
}

// Count returns how many distinct stacks are kept.
func Count() int {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	return len(stacks.list)
}

// PCs returns the program counters of a stack, innermost first, as
// runtime.CallersFrames takes them; nil for an unknown ID.
func PCs(id ID) []uintptr {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id == 0 || int(id) > len(stacks.list) {
		return nil
	}
	s := stacks.list[id-1].pcs
	if s == nil {
		return nil
	}
	n := 0
	for n < len(s) && s[n] != 0 {
		n++
	}
	return append([]uintptr(nil), s[:n]...)
}

// Frames returns a stack with symbols, innermost first, inlined calls as frames
// of their own.
func Frames(id ID) []runtime.Frame {
	p := PCs(id)
	if len(p) == 0 {
		return nil
	}
	var out []runtime.Frame
	it := runtime.CallersFrames(p)
	for {
		f, more := it.Next()
		out = append(out, f)
		if !more {
			return out
		}
	}
}

// modulePrefix is how the library's own functions are named.
const modulePrefix = "github.com/gotorch/gotorch/"

// Site returns the innermost frame that belongs to the program rather than to
// this library, the runtime or a package of Go's that calls the program back: the line to
// name in a report. The library's examples and tests count as programs.
func Site(frames []runtime.Frame) (runtime.Frame, bool) {
	for _, f := range frames {
		if f.Function != "" && !between(f) && !internal(f) {
			return f, true
		}
	}
	return runtime.Frame{}, false
}

// between says whether a frame is of what lies between the program and this library: printing
// calls String, and slices.SortFunc the program.
func between(f runtime.Frame) bool {
	if strings.HasSuffix(f.File, "_cgo_gotypes.go") {
		return true
	}
	pkg, _, _ := strings.Cut(f.Function, ".")
	switch pkg {
	case "runtime", "fmt", "log", "reflect", "slices", "sort", "sync", "maps", "iter", "context":
		return true
	}
	return false
}

func internal(f runtime.Frame) bool {
	rest, ok := strings.CutPrefix(f.Function, modulePrefix)
	if !ok {
		return false
	}
	return !strings.HasPrefix(rest, "examples/") && !strings.HasPrefix(rest, "bench/") && !strings.HasSuffix(f.File, "_test.go")
}
