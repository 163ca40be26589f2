package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/graph"
	"github.com/gotorch/gotorch/memory/internal/leak"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// LeakCheck is a check that a part of a goroutine's work leaves nothing behind.
// It covers the tensors of this goroutine, of the goroutines that it starts
// during the check, and of those that these start. So checks that run at the
// same time, as in parallel tests, do not see each other's tensors. (Goroutines
// inherit profiler labels, which is how this works. A goroutine that gets other
// labels from runtime/pprof is no longer covered.) Checks on one goroutine may
// nest.
type LeakCheck struct {
	check  *leak.Check
	result *Leaks // once it has ended
}

// StartLeakCheck collects garbage and begins a check, which Stop ends. During
// the check every tensor is listed, as with TrackTensors(1), and the line of
// every block is known, as with RecordHistory in the mode HistoryState.
func StartLeakCheck() *LeakCheck { return &LeakCheck{check: leak.Start()} }

// Step says that a step of the work has ended. In a check with steps, growth counts if it
// goes on over the last half of them: what fills up and then stays is no leak, nor is what
// is emptied from time to time. Step collects garbage and looks after the first twelve steps
// and then ever more seldom, 12 times until their number has doubled. It has to run on the
// goroutine that started the check.
func (c *LeakCheck) Step() {
	made("LeakCheck.Step", "StartLeakCheck", c != nil && c.check != nil)
	if c.result == nil {
		c.check.Step()
	}
}

// Stop collects garbage, ends the check and returns what is left. It has to run
// on the goroutine that started the check. Later calls return the same result.
func (c *LeakCheck) Stop() Leaks {
	made("LeakCheck.Stop", "StartLeakCheck", c != nil && c.check != nil)
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
		Bytes: f.Bytes, Blocks: growths(f.Blocks), Objects: objectGroups(f.Objects),
	}
	results := map[uint64]bool{}
	for _, t := range l.Tensors {
		if t.Kind == KindResult {
			results[t.ID] = true
		}
	}
	if len(results) > 0 {
		l.Graph = newGraphInfo(graph.OfListed(func(e *live.Entry) bool { return results[e.ID] }))
	}
	return l
}

// Leaks is what a LeakCheck found.
type Leaks struct {
	// Count is how many more tensors are open than at the start: those that the
	// check's goroutines made and did not free, without as many as Freed.
	Count int64
	// Freed is how many tensors that were there before the check were freed during
	// it, by its goroutines or, if no others made tensors in the meantime, by the
	// collector. A cache that is full frees one for each that it takes.
	Freed int64
	// Lines are the lines that made them; those with the most bytes come first.
	Lines []Growth
	// Tensors are those that were made during the check and are still open.
	Tensors []LiveTensor
	// Graph is what the autograd graph behind those tensors keeps alive; nil if
	// there is none.
	Graph *GraphInfo
	// Bytes is how much native memory has grown on all devices in use. Besides the
	// storage of tensors it includes gradients, graphs and state. It is 0 if other
	// goroutines made tensors in the meantime, because memory has no owner.
	Bytes int64
	// Blocks are the lines that allocated CPU memory which is still held. They are
	// known whenever Bytes is.
	Blocks []Growth
	// Objects is what there is more of that is no tensor, such as nodes of graphs, by kind and
	// line; see [Objects]. Count and Bytes are how much more there is. It is known whenever
	// Bytes is. Generators are there only after steps (see [LeakCheck.Step]): what stays,
	// such as a loader, has some of its own.
	Objects []ObjectGroup
}

// None reports whether nothing is left.
func (l Leaks) None() bool { return l.Count <= 0 && l.Bytes <= 0 && len(l.Objects) == 0 }

// String lists what is left, by line.
func (l Leaks) String() string {
	if l.None() {
		return "nothing is left"
	}
	var b strings.Builder
	if l.Count > 0 {
		fmt.Fprintf(&b, "%d more tensors are open", l.Count)
		if l.Freed > 0 {
			fmt.Fprintf(&b, " (%d new ones, and %d older ones are gone)", l.Count+l.Freed, l.Freed)
		}
	}
	if l.Bytes > 0 {
		if l.Count > 0 {
			b.WriteString(" and ")
		}
		fmt.Fprintf(&b, "%d more bytes of native memory (%s) are held", l.Bytes, units.Size(l.Bytes))
	}
	if l.Count <= 0 && l.Bytes <= 0 {
		b.WriteString("objects that are no tensors are held")
	}
	if l.Graph != nil {
		fmt.Fprintf(&b, "; their graphs have %d nodes that hold %s saved for a backward pass", len(l.Graph.Nodes), units.Size(l.Graph.Bytes(HeldSaved)))
	}
	if n := l.hooked(); n > 0 {
		fmt.Fprintf(&b, "; %d of the tensors have hooks, which keep what they refer to", n)
	}
	section := func(title string, gs []Growth) {
		n := 0
		for n < len(gs) && (gs[n].BytesDelta > 0 || gs[n].BytesDelta == 0 && gs[n].CountDelta > 0) {
			n++
		}
		if n > 0 {
			fmt.Fprintf(&b, "\n%s:\n%s", title, strings.TrimRight(FormatGrowth(gs[:n], reportLines), "\n"))
		}
	}
	section("open tensors, by the line that made them", l.Lines)
	if l.Bytes > 0 {
		section("native memory, by the line that allocated it", l.Blocks)
	}
	if n := len(l.Objects); n > 0 {
		b.WriteString("\nmore objects that are no tensors, by the line that made them or the tensor that holds them:")
		for _, o := range l.Objects[:min(n, reportLines)] {
			fmt.Fprintf(&b, "\n+%v", o)
			if o.Kind == GraphNodes && o.Line == "" {
				b.WriteString(": held by a tensor from before the check; after TrackTensors(1) its line is known")
			}
		}
	}
	return b.String()
}

// hooked is how many of the tensors have hooks.
func (l Leaks) hooked() (n int) {
	for _, t := range l.Tensors {
		if t.Hooks > 0 {
			n++
		}
	}
	return n
}

// reportLines is how many lines a report names in each section.
const reportLines = 10

// TestingT is what AssertNoGrowth needs of a *testing.T, *testing.B or
// anything else that can fail.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
}

// AssertNoGrowth runs fn a few times, and then steps more times. It fails the test if more
// tensors are open, more native bytes held, or more other objects there (see [Objects])
// than after the first runs, and if that growth went on over the last half of the steps. So
// a cache may fill in the first half. The message names the lines and their bytes. fn is
// passed the number of the call, starting at 0. AssertNoGrowth reports whether
// the test passed. If steps is not positive it fails the test and runs nothing.
//
// In parallel tests it sees only the tensors of its own test, as LeakCheck
// does. Native bytes are compared only if no other goroutine made tensors in
// the meantime. It panics with torch.ErrNil for a nil fn.
func AssertNoGrowth(t TestingT, steps int, fn func(step int)) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("memory.AssertNoGrowth", "fn"))
	}
	if steps <= 0 {
		t.Errorf("memory.AssertNoGrowth: %d steps show nothing", steps)
		return false
	}
	var l Leaks
	func() {
		c := StartLeakCheck()
		done := false
		defer func() {
			if !done { // fn panicked, or ended the goroutine
				c.check.End()
			}
		}()
		warm := min(max(steps/10, 2), 20)
		for i := range warm {
			fn(i)
		}
		c.check.Mark()
		for i := range steps {
			fn(warm + i)
			c.check.StepOf(steps)
		}
		l = c.Stop()
		done = true
	}()
	if l.None() {
		return true
	}
	t.Errorf("memory grew over %d steps: %s", steps, l)
	return false
}
