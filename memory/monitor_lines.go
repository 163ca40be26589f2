package memory

import (
	"cmp"
	"slices"
	"time"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/tensors"
)

// lineTotals contains the memory, tensors and objects that each line of the program holds
// at one moment.
type lineTotals struct {
	at      time.Time
	native  int64
	tensors []groups.Group
	blocks  []groups.Group
	objects []objects.Group
}

func readLineTotals(s Sample, walkGraphs bool) lineTotals {
	return lineTotals{
		at: s.Time, native: s.Native,
		tensors: tensors.ByLine(tensors.List(func(*live.Entry) bool { return true })),
		blocks:  history.Blocks(),
		objects: objects.List(func(*live.Entry) bool { return walkGraphs }),
	}
}

// pastLines keeps the totals of some of the samples without garbage, oldest first. The
// age of each entry is about half the age of the previous entry, so the list stays short.
type pastLines struct {
	list        []lineTotals
	sinceNewest int  // number of samples since the newest entry of list
	hasGarbage  bool // whether one of the samples since then had garbage
}

// linesEvery is the number of samples from one kept sample to the next, if no sample has
// garbage.
const linesEvery = 16

// isDue counts a sample, and reports whether to keep the sample's totals.
func (p *pastLines) isDue(garbage bool) bool {
	p.sinceNewest++
	p.hasGarbage = p.hasGarbage || garbage
	return !garbage && (len(p.list) == 0 || p.hasGarbage || p.sinceNewest >= linesEvery)
}

func (p *pastLines) add(h lineTotals) {
	p.sinceNewest, p.hasGarbage = 0, false
	p.list = append(p.list, h)
	for i := len(p.list) - 2; i > 0; i-- {
		before, after := h.at.Sub(p.list[i-1].at), h.at.Sub(p.list[i+1].at)
		if before <= 2*after {
			p.list = slices.Delete(p.list, i, i+1)
		}
	}
}

// from returns the newest totals that were taken at or before the given time. If there
// are none, it returns the oldest totals. The list must not be empty.
func (p *pastLines) from(at time.Time) lineTotals {
	for _, h := range slices.Backward(p.list) {
		if !h.at.After(at) {
			return h
		}
	}
	return p.list[0]
}

// The hints of an Alert.
const (
	hintTensors = "call memory.TrackTensors(1) at the start of the program: then alerts name the lines"
	hintBlocks  = "call memory.RecordHistory at the start of the program: then alerts name lines for other memory too"
	hintGraphs  = "call memory.Objects between two steps, or set MonitorOptions.WalkGraphs: then alerts name lines " +
		"for graph nodes"
	hintProcess = "memory.Explain shows which part of the process grows"
	hintGoHeap  = "the heap profile of runtime/pprof names the lines"
)

// name adds to an alert the lines that grew most from before to after. If these are not
// known, it adds a hint on how to find them.
func (a *Alert) name(before, after lineTotals, walkGraphs bool) {
	switch a.Quantity {
	case NativeBytes:
		a.nameMemory(before, after)
	case OpenTensors:
		a.Lines = mostGrown(before.tensors, after.tensors, func(g groups.Growth) int64 { return g.CountDelta })
	case OpenNodes:
		a.nameObjects(before, after, func(kind string) bool { return kind == objects.Nodes })
	case OpenObjects:
		a.nameObjects(before, after, func(kind string) bool { return kind != objects.Nodes && kind != objects.History })
	case GoHeapBytes:
		a.Hint = hintGoHeap
		return
	default:
		a.Hint = hintProcess
		return
	}
	switch {
	case a.Hint != "" || len(a.Lines)+len(a.Objects) > 0:
	case a.Quantity == OpenNodes && live.Asked() && !walkGraphs:
		a.Hint = hintGraphs
	default:
		a.Hint = hintTensors
	}
}

// nameMemory names the lines that allocated the additional blocks or, if those lines are
// unknown, the lines that created the additional tensors.
func (a *Alert) nameMemory(before, after lineTotals) {
	bytes := func(g groups.Growth) int64 { return g.BytesDelta }
	if a.Lines = mostGrown(before.blocks, after.blocks, bytes); len(a.Lines) > 0 {
		return
	}
	a.Lines = mostGrown(before.tensors, after.tensors, bytes)
	var found int64
	for _, g := range a.Lines {
		found += g.BytesDelta
	}
	if live.Asked() && found < (after.native-before.native)/2 {
		a.Hint = hintBlocks
	}
}

// nameObjects names the lines that created the additional objects of the wanted kinds.
func (a *Alert) nameObjects(before, after lineTotals, wanted func(kind string) bool) {
	grown := slices.DeleteFunc(objects.Grown(before.objects, after.objects), func(g objects.Group) bool {
		return g.Line == "" || !wanted(g.Kind)
	})
	slices.SortStableFunc(grown, func(a, b objects.Group) int { return cmp.Compare(b.Count, a.Count) })
	a.Objects = objectGroups(grown[:min(len(grown), reportLines)])
}

// mostGrown returns the groups that grew, but at most reportLines of them. The groups for
// which the function by returns the largest numbers come first.
func mostGrown(before, after []groups.Group, by func(groups.Growth) int64) []Growth {
	grown := slices.DeleteFunc(groups.Diff(before, after), func(g groups.Growth) bool { return by(g) <= 0 })
	slices.SortStableFunc(grown, func(a, b groups.Growth) int { return cmp.Compare(by(b), by(a)) })
	return growths(grown[:min(len(grown), reportLines)])
}
