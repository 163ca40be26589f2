// Package gate admits goroutines to native code, a few at a time.
//
// A goroutine in a cgo call occupies an OS thread, and an OS thread that runs
// a parallel operator gets an OpenMP pool of its own. Left alone, 256
// goroutines become hundreds of threads that fight for the cores and hold 256
// results at once. The gate lets as many calls run as there are cores; the
// others wait in Go, where waiting costs a parked goroutine and no thread.
package gate

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// handoffEvery is how often a leaving call passes its slot to a waiter instead
// of letting the two compete. Competition is faster, because the goroutine
// that just left is running and its caches are warm; the occasional hand-over
// bounds the wait of everyone else.
const handoffEvery = 16

// lookEvery is how many callers that found others inside pass, on average, until
// one of them looks whether GOMAXPROCS has changed. Chance picks it, since a count
// would be one more word for the cores to fight over.
const lookEvery = 256

const (
	oneWaiting = 1 << 32
	runMask    = oneWaiting - 1
)

// A Gate admits up to a limit of callers at a time. The zero Gate is not
// usable; call New.
type Gate struct {
	// state holds the callers inside (low half) and the callers parked (high
	// half), so that one atomic addition answers both who may pass and whether
	// somebody must be woken.
	state atomic.Int64
	_     [56]byte // alone on its cache line: every operator writes it

	limit   atomic.Int64
	follows atomic.Bool // limit is GOMAXPROCS
	mu      sync.Mutex  // for changes of the two
	wakes   atomic.Uint32
	sem     chan bool // true: the slot comes with the wake-up
}

// New returns a gate for limit callers; limit 0 means GOMAXPROCS, also when that
// changes.
func New(limit int) *Gate {
	g := &Gate{sem: make(chan bool, 1<<20)}
	g.SetLimit(limit)
	return g
}

// Enter waits for a slot and returns how many callers are inside, the caller
// included. Every Enter is paired with one Leave on the same goroutine.
//
// A gate that follows GOMAXPROCS looks at it before a caller waits, so a raised
// one is seen at once, and at times when callers meet, so a lowered one is seen
// soon. A caller that is alone needs neither.
func (g *Gate) Enter() int {
	n := g.state.Add(1) & runMask
	if n == 1 {
		return 1 // no limit is lower
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

// Leave gives the slot back.
func (g *Gate) Leave() {
	if s := g.state.Add(-1); s >= oneWaiting {
		g.wake()
	}
}

// Reenter takes a slot without waiting, above the limit if need be. It is for
// a callback from native code that gave up its slot while it ran Go: its
// caller is still inside and must be able to go on.
func (g *Gate) Reenter() { g.state.Add(1) }

// Limit returns how many callers may be inside.
func (g *Gate) Limit() int {
	g.follow()
	return int(g.limit.Load())
}

// SetLimit changes how many callers may be inside; 0 means GOMAXPROCS, also when
// that changes.
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

// follow takes over a GOMAXPROCS that has changed.
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

// admit wakes those for whom a raised limit has room. Those who are on their way
// in are not counted yet, and find out themselves if there are too many of them.
func (g *Gate) admit() {
	running, _ := g.Inside()
	for room := int(g.limit.Load()) - running; room > 0 && g.wake(); room-- {
	}
}

// Inside returns the callers inside and the callers waiting.
func (g *Gate) Inside() (running, waiting int) {
	s := g.state.Load()
	return int(s & runMask), int(s >> 32)
}

func (g *Gate) enterSlow() int {
	for {
		// Turn the claim into a wait. A slot may have come free since the claim
		// failed, by a Leave that saw nobody waiting, so look once more: whoever
		// turns last sees the true count, and no slot stays empty.
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

// claimAsWaiter turns a waiting caller into a running one if there is room. It
// fails when no one is counted as waiting: then a wake-up for the caller is
// already on its way.
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

// wake sends one waiter off to claim a slot, or hands one over. It returns false
// if nobody waits or there is no room.
func (g *Gate) wake() bool {
	if g.wakes.Add(1)%handoffEvery == 0 && g.claimAsWaiter() {
		g.sem <- true
		return true
	}
	for {
		s := g.state.Load()
		if s < oneWaiting || s&runMask >= g.limit.Load() {
			return false // whoever is inside wakes the next one on leaving
		}
		if g.state.CompareAndSwap(s, s-oneWaiting) {
			g.sem <- false
			return true
		}
	}
}
