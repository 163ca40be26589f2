// Package live lists the tensors that Go code holds open, each with the stack on which it
// was created.
//
// The list is off by default. When it is on, each new tensor, or only a sample of them,
// gets an Entry. An entry refers to the native handle, not to the Go object, so it keeps
// no tensor alive. It is removed from the list before the handle is freed, under the same
// lock that readers of the list hold. So handles in the list are valid while that lock is
// held.
package live

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Entry is one open tensor.
type Entry struct {
	Handle abi.Tensor
	ID     uint64    // number of the tensor in the order of creation, from 1
	Site   trace.ID  // stack that created the tensor
	Made   time.Time // time of creation
	Window *Window   // innermost window of the goroutine that created the tensor
	Rate   int64     // sampling rate when the tensor was created; 1: all tensors are listed
	Size   int64     // bytes of the tensor's storage at creation; only if Rate is above 1

	origin     *origin // origin of the tensor's storage; nil if it has no storage
	scoped     atomic.Bool
	hooks      atomic.Int32
	next, prev *Entry
}

// SetScoped records whether a scope owns the tensor. If not, the garbage collector does.
func (e *Entry) SetScoped(on bool) { e.scoped.Store(on) }

// Scoped reports whether a scope owns the tensor.
func (e *Entry) Scoped() bool { return e.scoped.Load() }

// AddHooks adds to the number of hooks registered on the tensor. e may be nil.
func (e *Entry) AddHooks(n int32) {
	if e != nil {
		e.hooks.Add(n)
	}
}

// Hooks returns the number of hooks registered on the tensor.
func (e *Entry) Hooks() int { return int(e.hooks.Load()) }

// Weight returns how many tensors the entry represents: 1 divided by the probability that
// a tensor of its size is sampled.
func (e *Entry) Weight() float64 {
	if e.Rate <= 1 {
		return 1
	}
	return 1 / (1 - math.Exp(-float64(e.Size)/float64(e.Rate)))
}

// shards is the number of parts that the list of tensors is split into. Each part has its
// own lock, so that goroutines seldom wait for each other.
const shards = 16

type shard struct {
	mu   sync.Mutex
	head Entry // sentinel of the ring of entries
	_    [40]byte
}

var registry struct {
	rate   atomic.Int64 // the current rate: 0 off, 1 all, n one sample per n bytes
	lastID atomic.Uint64
	left   atomic.Int64 // bytes until the next sample
	shards [shards]shard

	mu      sync.Mutex // guards the settings
	wanted  int64      // the rate set by SetRate
	windows int        // number of open windows; while there is one, every tensor is listed
}

func init() {
	for i := range registry.shards {
		h := &registry.shards[i].head
		h.next, h.prev = h, h
	}
}

// On reports whether new tensors must be passed to Add.
func On() bool { return registry.rate.Load() != 0 }

// SetRate sets the sampling rate and returns the previous rate. 0 lists no tensors, 1
// lists every tensor, and a larger n lists on average one tensor per n bytes.
func SetRate(n int64) int64 {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	old := registry.wanted
	registry.wanted = max(n, 0)
	settle()
	return old
}

// Asked reports whether SetRate has turned the list on. It returns false if only open
// windows have turned it on.
func Asked() bool {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.wanted > 0
}

// settle computes the current rate from wanted and windows. The caller holds registry.mu.
func settle() {
	rate := registry.wanted
	if registry.windows > 0 {
		rate = 1
	}
	before := registry.rate.Load()
	if before == 0 && rate != 0 {
		trace.Start() // record stacks before listing tensors
	}
	if rate > 1 {
		registry.left.Store(nextSample(rate))
	}
	registry.rate.Store(rate)
	if before != 0 && rate == 0 {
		trace.Stop()
	}
}

// nextSample draws the random number of bytes until the next sample.
func nextSample(rate int64) int64 { return int64(rand.ExpFloat64() * float64(rate)) }

// Add lists a new tensor. It returns nil if the tensor is not sampled. The caller must
// remove the entry before it frees the handle.
func Add(h abi.Tensor, site trace.ID) *Entry {
	rate := registry.rate.Load()
	if rate == 0 {
		return nil
	}
	e := &Entry{Handle: h, Site: site, Rate: rate}
	storage, bytes := storageOf(h)
	if rate > 1 {
		e.Size = bytes
		if e.Size == 0 {
			return nil // an empty tensor would have an infinite weight
		}
		if registry.left.Add(-e.Size) >= 0 {
			return nil
		}
		registry.left.Store(nextSample(rate))
	}
	e.Made = time.Now()
	e.origin = originOf(storage, site)
	e.Window = enclosing()
	for w := e.Window; w != nil; w = w.parent {
		w.added.Add(1)
	}
	e.ID = registry.lastID.Add(1)
	s := &registry.shards[e.ID%shards]
	s.mu.Lock()
	e.prev, e.next = s.head.prev, &s.head
	e.prev.next, e.next.prev = e, e
	s.mu.Unlock()
	return e
}

// Remove removes an entry from the list. e may be nil.
func (e *Entry) Remove() {
	if e == nil {
		return
	}
	s := &registry.shards[e.ID%shards]
	s.mu.Lock()
	e.prev.next, e.next.prev = e.next, e.prev
	e.next, e.prev = nil, nil
	s.mu.Unlock()
	e.origin.leave()
}

// Each calls fn with every entry, in no particular order. The handle is valid until fn
// returns. fn must not create or free tensors.
func Each(fn func(*Entry)) {
	for i := range registry.shards {
		s := &registry.shards[i]
		s.mu.Lock()
		for e := s.head.next; e != &s.head; e = e.next {
			fn(e)
		}
		s.mu.Unlock()
	}
}

// Made returns the number of tensors listed so far.
func Made() uint64 { return registry.lastID.Load() }

// storageOf returns the address of a tensor's storage, or 0 if it has none, and the
// storage's size in bytes.
func storageOf(h abi.Tensor) (id uintptr, bytes int64) {
	i, st := cgotorch.Storage(h)
	if st != 0 {
		cgotorch.FreeStatus(st)
	}
	return i.Storage, i.Bytes
}
