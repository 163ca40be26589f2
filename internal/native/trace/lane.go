package trace

import "github.com/gotorch/gotorch/internal/native/goroutine"

// A lane is a goroutine, identified by an address that is unique among live goroutines.
// Since a goroutine can run on any thread, a timeline with one row per goroutine needs
// the goroutine of each stack. With lanes, each ID identifies a stack on one goroutine.

// StartLanes makes Capture distinguish goroutines until StopLanes has been called the
// same number of times. If Start was not called, the IDs that Capture returns identify
// goroutines but no stacks.
func StartLanes() { users.Add(oneLane) }

// StopLanes undoes one StartLanes.
func StopLanes() { users.Add(-oneLane) }

// Lane returns the goroutine that an ID stands for, or 0 if lanes were off. It also
// returns the ID of the stack, which may be 0.
func Lane(id ID) (lane uintptr, stack ID) {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id == 0 || int(id) > len(stacks.list) {
		return 0, 0
	}
	n := stacks.list[id-1]
	return n.lane, n.base
}

// inLane returns the ID of a stack on the running goroutine.
func inLane(base ID) ID { return join(joined{base: base, lane: goroutine.ID()}) }
