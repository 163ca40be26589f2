// Package entry is the door to native code, which a call passes before anything else:
// it waits at the gate for one of the few places, has garbage freed first if native
// memory has passed the pacer's threshold, and gets its share of the threads.
package entry

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/team"
	"github.com/gotorch/gotorch/internal/native/gate"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// door admits goroutines to libtorch.
var door = gate.New(0)

// intraOp is how many threads one operator may use.
var intraOp = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(min(cgotorch.NumThreads(), MostThreads)))
	return &n
}()

// MostThreads is how many threads the bits of a Ctx can say.
const MostThreads = 1<<16 - 1

// Enter waits for a place in native code and returns the number of threads that the call
// may use, as its bits of a Ctx. Garbage is collected meanwhile if need be, while the
// goroutine holds no place. Every Enter is paired with one Leave on the same goroutine.
func Enter() abi.Ctx {
	running := door.Enter()
	for pacer.Pressed() {
		door.Leave()
		pacer.Relieve()
		running = door.Enter()
	}
	return abi.Ctx(threadsFor(running)) << abi.CtxThreadsShift
}

// Leave gives the place back.
func Leave() { door.Leave() }

// Reenter takes a place without waiting, for a callback from native code that gave its
// caller's place back while it ran Go.
func Reenter() { door.Reenter() }

// SetLimit changes how many calls may be inside at once; 0 means GOMAXPROCS, also when
// that changes.
func SetLimit(n int) { door.SetLimit(n) }

// Limit returns how many calls may be inside at once.
func Limit() int { return door.Limit() }

// SetThreads changes how many threads a call may use, from 1 to MostThreads.
func SetThreads(n int) { intraOp.Store(int32(n)) }

// Threads returns how many threads a call may use.
func Threads() int { return int(intraOp.Load()) }

// threadsFor returns into how many shares an operator is divided when n run at once: into
// the same ones where the team runs them, so that the result is the same. libgomp has a pool
// for each calling thread, so there they share the threads, by powers of two lest the pools
// are resized at every change of n.
func threadsFor(n int) int32 {
	t := intraOp.Load()
	for n > 1 && t > 1 && !team.Active() {
		t /= 2
		n /= 2
	}
	return t
}
