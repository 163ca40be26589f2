package live

import (
	"context"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/internal/goroutine"
)

// Window is a stretch of one goroutine's work. Tensors that the goroutine
// makes meanwhile belong to it, and those of goroutines that it starts, and of
// theirs; those of other goroutines do not, so checks of tests that run in
// parallel do not see each other's. Go hands profiler labels down from
// goroutine to goroutine, which is how a tensor finds its window.
type Window struct {
	parent *Window
	label  unsafe.Pointer // set while the window is open
	before unsafe.Pointer // the labels to go back to
	since  int64          // tensors listed when Mark was called
	own    int64          // added at that time
	added  atomic.Int64   // tensors listed that belong to it
}

// windows maps labels to windows. An entry goes with the window's end.
var windows struct {
	byLabel sync.Map // unsafe.Pointer -> *Window
	open    atomic.Int32
	count   atomic.Int64
}

// enclosing returns the window of the running goroutine, or nil.
func enclosing() *Window {
	if windows.open.Load() == 0 {
		return nil
	}
	l := goroutine.Label()
	if l == nil {
		return nil
	}
	if w, ok := windows.byLabel.Load(l); ok {
		return w.(*Window)
	}
	return nil
}

// Open begins a window on the running goroutine. Every tensor is listed until
// it is closed. Windows of one goroutine nest.
func Open() *Window {
	w := &Window{parent: enclosing(), before: goroutine.Label()}
	labels := pprof.Labels("gotorch.window", strconv.FormatInt(windows.count.Add(1), 10))
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
	w.label = goroutine.Label()
	windows.byLabel.Store(w.label, w)
	windows.open.Add(1)
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.windows++
	settle()
	w.Mark()
	return w
}

// Close ends the window. Tensors that belong to it go on doing so.
func (w *Window) Close() {
	windows.byLabel.Delete(w.label)
	windows.open.Add(-1)
	if goroutine.Label() == w.label {
		goroutine.SetLabel(w.before)
	}
	registry.mu.Lock()
	defer registry.mu.Unlock()
	registry.windows--
	settle()
}

// Has reports whether an entry belongs to the window or to one inside it.
func (w *Window) Has(e *Entry) bool {
	for v := e.Window; v != nil; v = v.parent {
		if v == w {
			return true
		}
	}
	return false
}

// Mark begins the stretch that Alone speaks of.
func (w *Window) Mark() { w.since, w.own = int64(Made()), w.added.Load() }

// Alone reports whether every tensor listed since Mark belongs to the window:
// only then do figures of the whole process speak of it.
func (w *Window) Alone() bool { return int64(Made())-w.since == w.added.Load()-w.own }
