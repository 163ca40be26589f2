package distributed

import (
	"strconv"
	"time"
	"weak"
)

const (
	// keyLeft is set by a rank when it leaves the group by Close.
	keyLeft = "gotorch/left/"
	// checkInterval is the interval between checks of the connections.
	checkInterval = time.Second
	// closedChecks is the number of consecutive checks that must find a connection closed. Usually
	// Gloo itself reports the closed connection earlier, and Gloo's error is used.
	closedChecks = 3
	// closedChecksAlone replaces closedChecks if the store does not say whether the rank
	// has left by Close.
	closedChecksAlone = 10
)

// Values of interrupt.peer that are not ranks.
const (
	everyone = -1
	anyone   = -2 // an unknown rank
)

// watchConnections checks the connections of a group while calls are pending. If a rank dies while
// a message is being sent to it, Gloo closes the connection but lets the sender wait until the
// timeout, usually half an hour.
func watchConnections(group weak.Pointer[ProcessGroup], over <-chan struct{}) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	var seen []int // for each rank: how many times in a row its connection was found closed
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
		if r := g.lostRank(seen); r >= 0 {
			_ = g.endFailed(&call{op: "distributed.ProcessGroup"}, &Error{
				Kind: ErrPeer, Ranks: []int{g.ranks[r]},
				Detail: "the connection is closed, but the rank has not left the group",
			})
			return
		}
	}
}

// lostRank returns a rank that pending calls need, that has not left the group by Close,
// and whose connection is closed. It returns -1 if there is none.
func (g *ProcessGroup) lostRank(seen []int) int {
	gone := make([]byte, len(g.ranks))
	if !g.markLost(gone) {
		clear(seen)
		return -1
	}
	for _, r := range g.goRanks { // Python ranks do not announce that they leave
		if gone[r] == 0 {
			seen[r] = 0
			continue
		}
		if seen[r]++; seen[r] < closedChecks {
			continue
		}
		left, err := g.watch.store.Check(keyLeft + strconv.Itoa(r))
		if err == nil && !left || err != nil && seen[r] >= closedChecksAlone {
			return r
		}
	}
	return -1
}

// markLost marks the ranks that pending calls need and whose connections are closed. It reports
// whether anything is pending.
func (g *ProcessGroup) markLost(gone []byte) bool {
	g.mu.Lock()
	// Check all ranks: only the device knows which NCCL calls are pending.
	all := g.barriers > 0 || g.backend == NCCL
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
	g.users.Add(1)
	raw := g.raw
	g.mu.Unlock()
	defer g.users.Done()
	raw.Gone(gone)
	for r := range gone {
		if !all && !needed[r] {
			gone[r] = 0
		}
	}
	return true
}
