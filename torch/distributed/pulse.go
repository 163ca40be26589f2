package distributed

import (
	"strconv"
	"time"
	"weak"
)

const (
	// keyLeft is set by a rank that leaves the group in good order.
	keyLeft = "gotorch/left/"
	// beat is the time between two looks at the connections.
	beat = time.Second
	// beats is how many looks in a row have to find a connection gone. Gloo itself says so at
	// once as a rule, and then that is what everyone hears.
	beats = 3
	// alone is the same where the store cannot say whether the rank has left in good order.
	alone = 10
)

// Peers of a collective that is under way, beside the number of a rank.
const (
	everyone = -1
	anyone   = -2 // a rank that is not known
)

// pulse looks after the connections of a group while something is under way. What is being
// sent to a rank while that dies is neither sent nor failed: Gloo closes the connection,
// and forgets who waits for it until the timeout, half an hour as a rule.
func pulse(group weak.Pointer[ProcessGroup], over <-chan struct{}) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var seen []int // how many times in a row a rank's connection was gone
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		g := group.Value()
		if g == nil {
			return
		}
		if seen == nil {
			seen = make([]int, len(g.ranks))
		}
		if r := g.lost(seen); r >= 0 {
			_ = g.failed(&call{op: "distributed.ProcessGroup"}, &Error{
				Kind: ErrPeer, Ranks: []int{g.ranks[r]}, Detail: "the connection has ended, and the rank has not left the group",
			})
			return
		}
	}
}

// lost returns a rank that something is under way to, whose connection is gone, and which has
// not left in good order; -1 if there is none.
func (g *ProcessGroup) lost(seen []int) int {
	gone := make([]byte, len(g.ranks))
	if !g.look(gone) {
		clear(seen)
		return -1
	}
	for _, r := range g.ours { // Python's do not say that they leave
		if gone[r] == 0 {
			seen[r] = 0
			continue
		}
		if seen[r]++; seen[r] < beats {
			continue
		}
		left, err := g.watch.store.Check(keyLeft + strconv.Itoa(r))
		if err == nil && !left || err != nil && seen[r] >= alone {
			return r
		}
	}
	return -1
}

// look sets the places of the ranks whose connections are gone and which something under way
// needs. It says whether anything is.
func (g *ProcessGroup) look(gone []byte) bool {
	g.mu.Lock()
	all := g.barriers > 0 || g.backend == NCCL // what that has under way only the device knows
	if g.raw == 0 || len(g.pending) == 0 && !all {
		g.mu.Unlock()
		return false
	}
	needed := make([]bool, len(gone))
	for _, i := range g.pending {
		all = all || i.peer == everyone
		if i.peer >= 0 {
			needed[i.peer] = true
		}
	}
	g.using.Add(1)
	raw := g.raw
	g.mu.Unlock()
	defer g.using.Done()
	raw.Gone(gone)
	for r := range gone {
		if !all && !needed[r] {
			gone[r] = 0
		}
	}
	return true
}
