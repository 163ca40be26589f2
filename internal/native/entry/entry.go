// Package entry admits calls to native code. Enter waits for a slot at the gate, frees
// garbage if native memory has passed the pacer's threshold, and chooses the number of
// threads of the call.
package entry

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/team"
	"github.com/gotorch/gotorch/internal/native/gate"
	"github.com/gotorch/gotorch/internal/native/pacer"
)

// door limits the number of goroutines in libtorch.
var door = gate.New(0)

// intraOp is the number of threads that one operator may use.
var intraOp = func() *atomic.Int32 {
	var n atomic.Int32
	n.Store(int32(min(cgotorch.NumThreads(), MostThreads)))
	return &n
}()

// MostThreads is the largest number of threads that a Ctx can hold.
const MostThreads = 1<<16 - 1

// Enter waits for a slot in native code and returns the number of threads that the call
// may use, as bits of a Ctx. If necessary it first collects garbage, without holding a
// slot. Pair every Enter with one Leave on the same goroutine.
func Enter() abi.Ctx {
	running := door.Enter()
	for pacer.Pressed() {
		door.Leave()
		pacer.Relieve()
		running = door.Enter()
	}
	return abi.Ctx(threadsFor(running)) << abi.CtxThreadsShift
}

// Leave returns the slot.
func Leave() { door.Leave() }

// Reenter takes a slot without waiting. It is used after a callback from native code:
// while the callback ran Go code, its caller's slot was free for other calls.
func Reenter() { door.Reenter() }

// SetLimit sets how many calls may be in native code at once. 0 means GOMAXPROCS, even if
// that changes later.
func SetLimit(n int) { door.SetLimit(n) }

// Limit returns how many calls may be in native code at once.
func Limit() int { return door.Limit() }

// SetThreads sets how many threads a call may use, from 1 to MostThreads.
func SetThreads(n int) { intraOp.Store(int32(n)) }

// Threads returns how many threads a call may use.
func Threads() int { return int(intraOp.Load()) }

// threadsFor returns the number of threads of an operator when n calls run at once. With
// this library's thread team the number does not depend on n, so that results do not
// depend on n either. With libgomp, the n calls share the threads, because libgomp has a
// thread pool for each calling thread. The number is a power of two, so that the pools
// are not resized at every change of n.
func threadsFor(n int) int32 {
	t := intraOp.Load()
	for n > 1 && t > 1 && !team.Active() {
		t /= 2
		n /= 2
	}
	return t
}
