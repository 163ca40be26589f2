package distributed

import (
	"strconv"
	"time"
	"weak"
)

const (
	// keyLeft is set by a rank that leaves the group properly.
	keyLeft = "gotorch/left/"
	// beat is the interval between checks of the connections.
	beat = time.Second
	// beats is how often in a row a connection must be found closed. Usually Gloo itself
	// reports it at once, and that error counts.
	beats = 3
	// alone is used instead of beats if the store cannot say whether the rank has left properly.
	alone = 10
)

// Peers of a pending collective, besides rank numbers.
const (
	everyone = -1
	anyone   = -2 // an unknown rank
)

// pulse checks the connections of a group while something is pending. If a rank dies
// while a message is being sent to it, Gloo closes the connection but lets the sender
// wait until the timeout, usually half an hour.
func pulse(group weak.Pointer[ProcessGroup], over <-chan struct{}) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var seen []int // how often in a row a rank's connection was closed
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
				Kind: ErrPeer, Ranks: []int{g.ranks[r]},
				Detail: "the connection is closed, and the rank has not left the group",
			})
			return
		}
	}
}

// lost returns a rank with pending messages whose connection is closed and which has not
// left properly, or -1.
func (g *ProcessGroup) lost(seen []int) int {
	gone := make([]byte, len(g.ranks))
	if !g.look(gone) {
		clear(seen)
		return -1
	}
	for _, r := range g.ours { // Python ranks do not announce that they leave
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

// look marks the ranks whose connections are closed and which pending work needs. It
// reports whether there are any.
func (g *ProcessGroup) look(gone []byte) bool {
	g.mu.Lock()
	all := g.barriers > 0 || g.backend == NCCL // only the device knows what NCCL has pending
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
