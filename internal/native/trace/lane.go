package trace

import "github.com/gotorch/gotorch/internal/native/goroutine"

// A lane is a goroutine, by the address that tells it from all others alive. Whoever
// draws what goroutines did one below the other wants it with each stack, since a
// goroutine runs on any thread: then each number stands for a stack on one goroutine.

// StartLanes makes Capture tell goroutines apart, until as many StopLanes. Without a
// Start beside it the numbers stand for goroutines alone.
func StartLanes() { users.Add(oneLane) }

// StopLanes undoes one StartLanes.
func StopLanes() { users.Add(-oneLane) }

// Lane returns the goroutine of a number, 0 where lanes were not asked for, and the
// number of its stack, which may be 0.
func Lane(id ID) (lane uintptr, stack ID) {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id == 0 || int(id) > len(stacks.list) {
		return 0, 0
	}
	n := stacks.list[id-1]
	return n.lane, n.base
}

// inLane returns the number of a stack on the running goroutine.
func inLane(base ID) ID { return join(joined{base: base, lane: goroutine.ID()}) }
