package main

import (
	"slices"

	"github.com/gotorch/gotorch/memory"
)

func init() { cases["history"] = history }

// history times additions with and without recording every allocation and its stack. Each
// sum is closed immediately. history returns how much time recording adds to an addition:
// the median of ten turns.
func history(a args) result {
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
		if err := memory.RecordHistory(memory.HistoryOptions{MaxEntries: 100_000}); err != nil {
			panic(err)
		}
		with := timed(n, add)
		total += with
		added[i] = (with - without) / int64(n)
		if err := memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff}); err != nil {
			panic(err)
		}
	}
	slices.Sort(added[:])
	return result{total, map[string]int64{"added": added[turns/2]}}
}
