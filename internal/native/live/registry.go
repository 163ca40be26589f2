// Package live lists the tensors that Go code holds open, with the stacks that
// made them.
//
// The list is off until somebody wants it; then each new tensor, or a sample,
// gets an Entry. An entry knows the native handle, not the Go object, and so
// keeps nothing alive. It is taken off the list before the handle is freed,
// under the same lock that a reader of the list holds, so a handle found in
// the list is valid as long as the lock is held.
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
	ID     uint64    // in the order of creation, from 1
	Site   trace.ID  // the stack that made it
	Made   time.Time // when
	Window *Window   // the innermost window of the goroutine that made it
	Rate   int64     // the sampling rate it was drawn at, 1 for all
	Size   int64     // bytes of its storage when it was made, if Rate is above 1

	origin     *origin // of its storage, nil if it has none
	scoped     atomic.Bool
	hooks      atomic.Int32
	next, prev *Entry
}

// SetScoped says whether a scope owns the tensor, or else the collector.
func (e *Entry) SetScoped(on bool) { e.scoped.Store(on) }

// Scoped reports what SetScoped said.
func (e *Entry) Scoped() bool { return e.scoped.Load() }

// AddHooks adds to the number of hooks that the program has registered on the
// tensor. Nil is fine.
func (e *Entry) AddHooks(n int32) {
	if e != nil {
		e.hooks.Add(n)
	}
}

// Hooks returns that number.
func (e *Entry) Hooks() int { return int(e.hooks.Load()) }

// Weight returns how many tensors of its size the entry stands for: the
// inverse of the probability that it was drawn.
func (e *Entry) Weight() float64 {
	if e.Rate <= 1 {
		return 1
	}
	return 1 / (1 - math.Exp(-float64(e.Size)/float64(e.Rate)))
}

// shards spread the list over locks, so that goroutines seldom meet.
const shards = 16

type shard struct {
	mu   sync.Mutex
	head Entry // the ring's fixed point
	_    [40]byte
}

var registry struct {
	rate   atomic.Int64 // in force: 0 off, 1 all, n one sample in n bytes
	lastID atomic.Uint64
	left   atomic.Int64 // bytes until the next sample
	shards [shards]shard

	mu      sync.Mutex // for the settings
	wanted  int64      // the rate that SetRate set
	windows int        // open ones; each needs every tensor
}

func init() {
	for i := range registry.shards {
		h := &registry.shards[i].head
		h.next, h.prev = h, h
	}
}

// On reports whether new tensors are to be handed to Add.
func On() bool { return registry.rate.Load() != 0 }

// SetRate sets the sampling rate and returns the previous one: 0 for none, 1
// for every tensor, n for one sample in n bytes on average.
func SetRate(n int64) int64 {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	old := registry.wanted
	registry.wanted = max(n, 0)
	settle()
	return old
}

// Asked reports whether SetRate has tensors listed, and not windows alone.
func Asked() bool {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	return registry.wanted > 0
}

// settle puts the settings in force. The caller holds registry.mu.
func settle() {
	rate := registry.wanted
	if registry.windows > 0 {
		rate = 1
	}
	before := registry.rate.Load()
	if before == 0 && rate != 0 {
		trace.Start() // stacks have to be there before what they belong to
	}
	if rate > 1 {
		registry.left.Store(nextSample(rate))
	}
	registry.rate.Store(rate)
	if before != 0 && rate == 0 {
		trace.Stop()
	}
}

// nextSample draws how many bytes to leave out.
func nextSample(rate int64) int64 { return int64(rand.ExpFloat64() * float64(rate)) }

// Add lists a new tensor, or returns nil if it is left out. The caller hands
// the entry to Remove before it frees the handle.
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
			return nil // stands for no bytes, or for infinitely many like it
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

// Remove takes an entry off the list. Nil is fine.
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

// Each calls fn with every entry, in no order. The handle is valid until fn
// returns. fn must not make or free tensors.
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

// Made returns how many tensors were listed so far.
func Made() uint64 { return registry.lastID.Load() }

// storageOf returns the storage behind a tensor, 0 for none, and its size.
func storageOf(h abi.Tensor) (id uintptr, bytes int64) {
	i, st := cgotorch.Storage(h)
	if st != 0 {
		cgotorch.FreeStatus(st)
	}
	return i.Storage, i.Bytes
}
