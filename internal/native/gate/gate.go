// Package gate limits the number of goroutines in native code.
//
// A goroutine in a cgo call occupies an OS thread, and an OS thread that runs a parallel
// operator gets its own OpenMP pool. Without a limit, 256 goroutines would need hundreds
// of threads, which would compete for the cores, and would hold 256 results at once. The
// gate lets as many calls run as there are cores. The other calls wait in Go, where a
// waiting call needs a parked goroutine but no thread.
package gate

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// handoffEvery determines how often a wake-up hands over the slot: at every sixteenth
// wake-up, the leaving call passes its slot to a waiter. Otherwise the waiter and other
// callers compete for the slot. That is faster, because the goroutine that has just left
// is running and its caches are warm. The handoffs limit how long the waiters wait.
const handoffEvery = 16

// lookEvery determines how often callers check whether GOMAXPROCS has changed. While
// several callers are inside, one in lookEvery checks on average. This caller is chosen
// at random, because cores would compete for the memory of a counter.
const lookEvery = 256

const (
	oneWaiting = 1 << 32
	runMask    = oneWaiting - 1
)

// A Gate admits up to a limit of callers at a time. The zero Gate is not
// usable; call New.
type Gate struct {
	// state holds the number of running callers (low half) and of waiting callers (high
	// half). So one atomic addition shows both whether a caller may pass and whether it
	// must wake another caller.
	state atomic.Int64
	_     [56]byte // padding, so that state has a cache line of its own: every operator writes it

	limit   atomic.Int64
	follows atomic.Bool // whether the limit follows GOMAXPROCS
	mu      sync.Mutex  // locked to change limit or follows
	wakes   atomic.Uint32
	sem     chan bool // wakes a waiter; true if the waiter also gets the slot
}

// New returns a gate for limit callers. A limit of 0 means GOMAXPROCS, even if that
// changes later.
func New(limit int) *Gate {
	g := &Gate{sem: make(chan bool, 1<<20)}
	g.SetLimit(limit)
	return g
}

// Enter waits for a slot and returns how many callers are inside, including this one.
// Pair every Enter with one Leave on the same goroutine.
//
// A gate that follows GOMAXPROCS checks it before a caller waits, so it sees a higher
// value immediately. It also checks it occasionally when several callers are inside, so
// it soon sees a lower value. A single caller needs neither check.
func (g *Gate) Enter() int {
	n := g.state.Add(1) & runMask
	if n == 1 {
		return 1 // no limit is below 1
	}
	if rand.Uint32()%lookEvery == 0 {
		g.follow()
	}
	if n <= g.limit.Load() {
		return int(n)
	}
	g.follow()
	return g.enterSlow()
}

// Leave returns the slot.
func (g *Gate) Leave() {
	if s := g.state.Add(-1); s >= oneWaiting {
		g.wake()
	}
}

// Reenter takes a slot without waiting, even above the limit. It is used after a callback
// from native code. The caller in native code gave up its slot while the callback ran Go
// code, but is still inside and must be able to continue.
func (g *Gate) Reenter() { g.state.Add(1) }

// Limit returns how many callers may be inside.
func (g *Gate) Limit() int {
	g.follow()
	return int(g.limit.Load())
}

// SetLimit sets how many callers may be inside. 0 means GOMAXPROCS, even if that changes
// later.
func (g *Gate) SetLimit(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.follows.Store(n <= 0)
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	g.limit.Store(int64(n))
	g.admit()
}

// follow sets the limit to GOMAXPROCS, if that has changed.
func (g *Gate) follow() {
	if !g.follows.Load() {
		return
	}
	n := int64(runtime.GOMAXPROCS(0))
	if n == g.limit.Load() {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.follows.Load() {
		g.limit.Store(n)
		g.admit()
	}
}

// admit wakes waiting callers if the limit was raised and has room for them. A caller
// that is just entering does not count as waiting yet, and checks the limit itself.
func (g *Gate) admit() {
	running, _ := g.Inside()
	for room := int(g.limit.Load()) - running; room > 0 && g.wake(); room-- {
	}
}

// Inside returns how many callers are inside and how many are waiting.
func (g *Gate) Inside() (running, waiting int) {
	s := g.state.Load()
	return int(s & runMask), int(s >> 32)
}

func (g *Gate) enterSlow() int {
	for {
		// Change the claim to a wait. Since the claim failed, a Leave that saw no waiting
		// caller may have freed a slot, so check once more. The last caller to do this
		// sees the true count, so no slot stays empty.
		s := g.state.Add(oneWaiting - 1)
		if s&runMask < g.limit.Load() && g.claimAsWaiter() {
			return g.admitted()
		}
		if granted := <-g.sem; granted {
			return g.admitted()
		}
		if s := g.state.Add(1); s&runMask <= g.limit.Load() {
			return g.admitted()
		}
	}
}

func (g *Gate) admitted() int { return int(g.state.Load() & runMask) }

// claimAsWaiter changes a waiting caller to a running caller if there is room. It fails
// if no caller counts as waiting; then a wake-up for this caller is already on its way.
func (g *Gate) claimAsWaiter() bool {
	for {
		s := g.state.Load()
		if s < oneWaiting || s&runMask >= g.limit.Load() {
			return false
		}
		if g.state.CompareAndSwap(s, s-oneWaiting+1) {
			return true
		}
	}
}

// wake wakes one waiter. The waiter gets a slot with the wake-up, or tries to claim one
// after it. wake returns false if no caller is waiting or if there is no room.
func (g *Gate) wake() bool {
	if g.wakes.Add(1)%handoffEvery == 0 && g.claimAsWaiter() {
		g.sem <- true
		return true
	}
	for {
		s := g.state.Load()
		if s < oneWaiting || s&runMask >= g.limit.Load() {
			return false // The callers that are inside will wake the next waiter when they leave.
		}
		if g.state.CompareAndSwap(s, s-oneWaiting) {
			g.sem <- false
			return true
		}
	}
}
