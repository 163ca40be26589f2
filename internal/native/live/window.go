package live

import (
	"context"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/internal/native/goroutine"
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
	since  atomic.Int64   // tensors listed when Mark was called
	own    int64          // added at that time
	added  atomic.Int64   // tensors listed that belong to it

	// Older tensors of others that were freed since Mark.
	freed     atomic.Int64 // by goroutines of the window
	collected atomic.Int64 // by the collector
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

// Mark begins the stretch that Alone and Freed speak of.
func (w *Window) Mark() {
	w.since.Store(int64(Made()))
	w.own = w.added.Load()
	w.freed.Store(0)
	w.collected.Store(0)
}

// Alone reports whether every tensor listed since Mark belongs to the window:
// only then do figures of the whole process speak of it.
func (w *Window) Alone() bool { return int64(Made())-w.since.Load() == w.added.Load()-w.own }

// Freed returns how many tensors that were there before Mark and do not belong to
// the window have been freed since by its goroutines and, if the window is Alone,
// by the collector. So much room the window's own may take without being more.
func (w *Window) Freed() int64 {
	n := w.freed.Load()
	if w.Alone() {
		n += w.collected.Load()
	}
	return n
}

// olderOfOthers reports whether a tensor was there before Mark without belonging
// to the window. One that is not on the list, a nil entry, was: while a window is
// open all are listed.
func (w *Window) olderOfOthers(e *Entry) bool {
	return e == nil || int64(e.ID) <= w.since.Load() && !w.Has(e)
}

// Watched reports whether a window is open, which wants to be told of what is
// freed.
func Watched() bool { return windows.open.Load() != 0 }

// Freed tells the windows of the running goroutine that it frees a tensor. The
// entry is nil for one that is not on the list.
func Freed(e *Entry) {
	for w := enclosing(); w != nil; w = w.parent {
		if w.olderOfOthers(e) {
			w.freed.Add(1)
		}
	}
}

// Collected tells all windows that the collector frees a tensor.
func Collected(e *Entry) {
	windows.byLabel.Range(func(_, v any) bool {
		if w := v.(*Window); w.olderOfOthers(e) {
			w.collected.Add(1)
		}
		return true
	})
}
