package memory

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/memory/internal/graph"
	"github.com/gotorch/gotorch/memory/internal/leak"
	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// LeakCheck checks that a piece of work leaves no memory behind. What the program no
// longer uses is garbage and not left behind: keep the objects that you test in use until
// the check has ended, with runtime.KeepAlive(server) after Stop. LeakCheck covers the
// tensors of the goroutine that started it and of all goroutines started by that
// work. So checks that run at the same time, as in parallel tests, do not see each
// other's tensors. LeakCheck recognizes goroutines by their profiler labels, which
// new goroutines inherit. A goroutine that sets other labels with runtime/pprof is
// no longer covered. Checks on one goroutine may nest.
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
// time to time, is not a leak. Step collects garbage and measures after each of the first 48
// steps, then less and less often: some 33 times until the number of steps has doubled. Stop
// then returns what was left at the last of these measurements, even if the program has
// released it since. Step must run on the goroutine that started the check.
func (c *LeakCheck) Step() {
	made("LeakCheck.Step", "StartLeakCheck", c != nil && c.check != nil)
	if c.result == nil {
		c.check.Step()
	}
}

// Stop ends the check and returns what is left. In a check without steps it collects garbage
// first; see [LeakCheck.Step] for the others. It must run on the goroutine that started the
// check. Later calls return the same result.
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

// Leaks is the result of a [LeakCheck].
type Leaks struct {
	// Count is the growth in the number of open tensors: the tensors that the
	// check's goroutines created and did not free, minus Freed. In a check with steps it
	// counts only the lines that go on growing if lists at other lines, which the program
	// empties from time to time, hide the growth of the sum.
	Count int64
	// Freed is the number of tensors from before the check that were freed during
	// it, by its goroutines or by the collector. The collector's frees count only if
	// no other goroutine created tensors. A full cache frees one tensor for each
	// that it adds.
	Freed int64
	// Lines are the lines that created the tensors. Those with the most bytes come
	// first.
	Lines []Growth
	// Tensors are the tensors that were created during the check and are still open.
	Tensors []LiveTensor
	// Compared reports whether Bytes, Blocks and Objects could be compared: whether no other
	// goroutine created tensors during the check.
	Compared bool
	// Graph is the autograd graph of those tensors, nil if there is none.
	Graph *GraphInfo
	// Bytes is the growth of native memory on all devices in use. Besides the
	// storage of tensors it includes gradients, graphs and state. Memory has no
	// owner, so Bytes is 0 if other goroutines created tensors during the check.
	Bytes int64
	// Blocks are the lines that allocated CPU memory that is still held. Like Bytes
	// it is empty if other goroutines created tensors.
	Blocks []Growth
	// Objects is the growth in objects other than tensors, such as graph nodes, by kind and
	// line; see [Objects]. Like Bytes it is empty if other goroutines created tensors. It
	// lists generators only in a check with steps, because objects such as a loader have
	// generators of their own.
	Objects []ObjectGroup
}

// None reports whether nothing is left.
func (l Leaks) None() bool { return l.Count <= 0 && l.Bytes <= 0 && len(l.Objects) == 0 }

// String returns a list of what is left, by line.
func (l Leaks) String() string {
	if l.None() {
		return "nothing is left"
	}
	var b strings.Builder
	if l.Count > 0 {
		fmt.Fprintf(&b, "%d more tensors are open", l.Count)
		if l.Freed > 0 {
			older := "1 older one is gone"
			if l.Freed > 1 {
				older = fmt.Sprintf("%d older ones are gone", l.Freed)
			}
			fmt.Fprintf(&b, " (%d new ones, and %s)", l.Count+l.Freed, older)
		}
	}
	if l.Bytes > 0 {
		if l.Count > 0 {
			b.WriteString(" and ")
		}
		fmt.Fprintf(&b, "%d more bytes of native memory (%s) are held", l.Bytes, units.Size(l.Bytes))
	}
	if l.Count <= 0 && l.Bytes <= 0 {
		b.WriteString(l.objects() + " are held")
	}
	if l.Graph != nil {
		fmt.Fprintf(&b, "; their graphs have %d nodes", len(l.Graph.Nodes))
		if saved := l.Graph.Bytes(HeldSaved); saved > 0 {
			fmt.Fprintf(&b, " that hold %s saved for a backward pass", units.Size(saved))
		}
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
		b.WriteString("\nmore objects that are not tensors, by the line that made them or the tensor that holds them:")
		for _, o := range l.Objects[:min(n, reportLines)] {
			fmt.Fprintf(&b, "\n+%v", o)
			if o.Kind == GraphNodes && o.Line == "" {
				b.WriteString(": held by a tensor from before the check; after TrackTensors(1) its line is known")
			}
		}
	}
	return b.String()
}

// objects sums up the objects by kind.
func (l Leaks) objects() string {
	var all []objects.Group
	for _, o := range l.Objects {
		all = append(all, objects.Group{Kind: string(o.Kind), Count: o.Count, Bytes: o.Bytes, Exact: o.Exact})
	}
	var kinds []string
	for _, g := range objects.OfKind(all) {
		text := fmt.Sprintf("%d more %s", g.Count, g.Kind)
		if size := sizeOf(g.Bytes, g.Exact); size != "" {
			text += " (" + size + ")"
		}
		kinds = append(kinds, text)
	}
	return strings.Join(kinds, " and ")
}

// hooked returns how many of the tensors have hooks.
func (l Leaks) hooked() (n int) {
	for _, t := range l.Tensors {
		if t.Hooks > 0 {
			n++
		}
	}
	return n
}

// reportLines is the most lines that a report names in each section.
const reportLines = 10

// TestingT is the part of *testing.T and *testing.B that [AssertNoGrowth] needs.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
}

// AssertNoGrowth runs fn a few times to warm up, and then steps more times. It fails the
// test if memory grows over the last half of these steps. Memory means open tensors, native
// bytes and other objects (see [Objects]). What fn refers to is in use until the end. A cache
// may fill in the first half. The failure
// message names the lines that grew and their bytes. fn receives the number of the call,
// starting at 0. AssertNoGrowth reports whether the test passed. If steps is not
// positive, it fails the test without running fn.
//
// In parallel tests it sees only the tensors of its own test, as [LeakCheck] does.
// It compares native bytes only if no other goroutine created tensors meanwhile; if one
// did, a test that passes logs so. It panics with torch.ErrNil if fn is nil.
func AssertNoGrowth(t TestingT, steps int, fn func(step int)) bool {
	t.Helper()
	if fn == nil {
		panic(torch.NilFunc("memory.AssertNoGrowth", "fn"))
	}
	if steps <= 0 {
		t.Errorf("memory.AssertNoGrowth: argument steps: expected a positive number, got %d", steps)
		return false
	}
	var l Leaks
	func() {
		c := StartLeakCheck()
		done := false
		defer func() {
			if !done { // fn panicked or ended the goroutine
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
	runtime.KeepAlive(fn) // what it refers to is in use during the check
	if l.None() {
		if lt, ok := t.(interface{ Logf(string, ...any) }); ok && !l.Compared {
			lt.Logf("memory.AssertNoGrowth compared open tensors alone: other goroutines created tensors meanwhile")
		}
		return true
	}
	t.Errorf("memory grew over %d steps: %s", steps, l)
	return false
}
