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

// Window is a period of one goroutine's work. Tensors that the goroutine and its
// descendants create during the period belong to the window. Tensors of other goroutines
// do not, so checks in parallel tests do not see each other's tensors. A new tensor's
// window is found through the goroutine's profiler labels, which Go copies to new
// goroutines.
type Window struct {
	parent *Window
	label  unsafe.Pointer // the labels of the goroutine while the window is open
	before unsafe.Pointer // the previous labels
	since  atomic.Int64   // the number of tensors listed when Mark was called
	own    int64          // the value of added when Mark was called
	added  atomic.Int64   // the number of listed tensors that belong to the window

	// The numbers of tensors that were freed since Mark, existed before Mark, and do not
	// belong to the window.
	freed     atomic.Int64 // by goroutines of the window
	collected atomic.Int64 // by the collector
}

// windows maps labels to open windows.
var windows struct {
	byLabel sync.Map // unsafe.Pointer -> *Window
	open    atomic.Int32
	count   atomic.Int64
}

// enclosing returns the current goroutine's window, or nil.
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

// Open opens a window on the running goroutine. Until it is closed, every tensor is
// listed. Windows of one goroutine nest.
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

// Close closes the window. Its tensors still belong to it.
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

// Has reports whether an entry belongs to the window or to a window inside it.
func (w *Window) Has(e *Entry) bool {
	for v := e.Window; v != nil; v = v.parent {
		if v == w {
			return true
		}
	}
	return false
}

// Mark begins a new period. Alone and Freed report only what happened after Mark.
func (w *Window) Mark() {
	w.since.Store(int64(Made()))
	w.own = w.added.Load()
	w.freed.Store(0)
	w.collected.Store(0)
}

// Alone reports whether every tensor listed since Mark belongs to the window. Only then
// do statistics of the whole process apply to the window.
func (w *Window) Alone() bool { return int64(Made())-w.since.Load() == w.added.Load()-w.own }

// Freed returns the number of tensors that were freed since Mark, existed before Mark and
// do not belong to the window. It counts frees by the window's goroutines and, if the
// window is Alone, by the garbage collector. If the window holds that many new tensors,
// memory has not grown.
func (w *Window) Freed() int64 {
	n := w.freed.Load()
	if w.Alone() {
		n += w.collected.Load()
	}
	return n
}

// olderOfOthers reports whether a tensor existed before Mark and does not belong to the
// window. A nil entry stands for a tensor that is not listed. Such a tensor is older,
// because all tensors are listed while a window is open.
func (w *Window) olderOfOthers(e *Entry) bool {
	return e == nil || int64(e.ID) <= w.since.Load() && !w.Has(e)
}

// Watched reports whether a window is open. While a window is open, every free must be
// reported with Freed or Collected.
func Watched() bool { return windows.open.Load() != 0 }

// Freed tells the windows of the running goroutine that the goroutine frees a tensor. e
// is nil if the tensor is not listed.
func Freed(e *Entry) {
	for w := enclosing(); w != nil; w = w.parent {
		if w.olderOfOthers(e) {
			w.freed.Add(1)
		}
	}
}

// Collected tells all windows that the garbage collector frees a tensor.
func Collected(e *Entry) {
	windows.byLabel.Range(func(_, v any) bool {
		if w := v.(*Window); w.olderOfOthers(e) {
			w.collected.Add(1)
		}
		return true
	})
}
