package main

import (
	"slices"

	"github.com/gotorch/gotorch/memory"
)

func init() { cases["live"] = liveList }

// liveList times additions with and without the list of live tensors. Each sum is closed
// immediately. liveList returns how much time the list adds to an addition: the median of
// ten turns.
func liveList(a args) result {
	const turns = 10
	x, y := operands(a)
	defer x.Close()
	defer y.Close()
	add := func() { _ = x.Add(y).Close() }
	n := max(a.iterations/turns, 1)
	var total int64
	var added [turns]int64
	for i := range added {
		without := timed(n, add)
		memory.TrackTensors(1)
		with := timed(n, add)
		memory.TrackTensors(0)
		total += with
		added[i] = (with - without) / int64(n)
	}
	slices.Sort(added[:])
	return result{total, map[string]int64{"added": added[turns/2]}}
}
