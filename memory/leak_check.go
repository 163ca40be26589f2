package memory

import (
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/graph"
	"github.com/gotorch/gotorch/memory/internal/leak"
)

// LeakCheck checks that a piece of work leaves no memory behind. Objects that the program
// no longer uses are garbage and do not count. To check what an object holds, keep it in
// use until the check has ended: for example call runtime.KeepAlive(server) after Stop.
//
// LeakCheck covers the tensors of the goroutine that started it and of all goroutines that
// this work starts. So checks that run at the same time, as in parallel tests, do not see
// each other's tensors. LeakCheck recognizes goroutines by their profiler labels, which new
// goroutines inherit. A goroutine that sets other labels with runtime/pprof is no longer
// covered. Checks on one goroutine may nest.
type LeakCheck struct {
	check  *leak.Check
	result *Leaks // nil until Stop
}

// StartLeakCheck collects garbage and begins a check, which Stop ends. The check
// lists every tensor, as TrackTensors(1) does, and records the line of every block,
// as [RecordHistory] does in the mode HistoryState.
func StartLeakCheck() *LeakCheck { return &LeakCheck{check: leak.Start()} }

// Step marks the end of a step of the work. In a check with steps, growth counts only if it
// continues over the last half of the steps. So a cache that fills up, or is emptied from
// time to time, is not a leak. Step must run on the goroutine that started the check.
//
// Step collects garbage and measures after each of the first 48 steps, and later less
// often: about 33 times each time that the number of steps doubles. Stop then returns what
// was left at the last measurement, even if the program has released it since.
func (c *LeakCheck) Step() {
	mustBeMade("LeakCheck.Step", "StartLeakCheck", c != nil && c.check != nil)
	if c.result == nil {
		c.check.Step()
	}
}

// Stop ends the check and returns what is left. In a check without steps it collects
// garbage first; in a check with steps it returns the last measurement, see
// [LeakCheck.Step]. It must run on the goroutine that started the check. Later calls return
// the same result.
func (c *LeakCheck) Stop() Leaks {
	mustBeMade("LeakCheck.Stop", "StartLeakCheck", c != nil && c.check != nil)
	if c.result == nil {
		l := c.read()
		c.result = &l
		c.check.End()
	}
	return *c.result
}

func (c *LeakCheck) read() Leaks {
	f := c.check.Look()
	l := Leaks{
		Count: f.Count, Freed: f.Freed, Lines: growths(f.Lines), Tensors: liveTensorsOf(f.Tensors),
		Compared: f.Alone, Bytes: f.Bytes, Blocks: growths(f.Blocks), Objects: objectGroups(f.Objects),
	}
	results := map[uint64]bool{}
	for _, t := range l.Tensors {
		if t.Kind == KindResult {
			results[t.ID] = true
		}
	}
	if len(results) > 0 {
		nodes, more := graph.OfListed(func(e *live.Entry) bool { return results[e.ID] })
		if len(nodes) > 0 { // not collected since the last step
			l.Graph = newGraphInfo(nodes, more)
		}
	}
	return l
}
