package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/objects"
	"github.com/gotorch/gotorch/memory/internal/units"
)

// Leaks is the result of a [LeakCheck].
type Leaks struct {
	// Count is the growth in the number of open tensors: the tensors that the check's
	// goroutines created and did not free, minus Freed. In a check with steps, a list that
	// the program empties from time to time may hide the growth. Then Count includes only
	// the lines whose number of tensors keeps growing.
	Count int64
	// Freed is the number of tensors from before the check that were freed during it, by
	// its goroutines or by the collector. The collector's frees count only if no other
	// goroutine created tensors. A full cache frees one old tensor for each new one.
	Freed int64
	// Lines are the lines of code that created the tensors that Count counts. Those with
	// the most bytes come first.
	Lines []Growth
	// Tensors are the tensors that were created during the check and are still open.
	Tensors []LiveTensor
	// Compared reports whether Bytes, Blocks and Objects were measured. They are measured
	// only if no other goroutine created tensors during the check.
	Compared bool
	// Graph is the autograd graph of Tensors, nil if they have none.
	Graph *GraphInfo
	// Bytes is the growth of native memory on all devices in use. Besides the storage of
	// tensors it includes gradients, graphs and state. It is not known which goroutine
	// allocated memory, so Bytes is 0 if other goroutines created tensors during the check.
	Bytes int64
	// Blocks lists, by line of code, the CPU memory that was allocated during the check
	// and is still in use. Like Bytes it is empty if other goroutines created tensors.
	Blocks []Growth
	// Objects is the growth in objects other than tensors, such as graph nodes, by kind and
	// line; see [Objects]. Like Bytes it is empty if other goroutines created tensors. It
	// lists generators only in a check with steps, because objects such as a loader have
	// generators of their own.
	Objects []ObjectGroup
}

// None reports whether nothing is left.
func (l Leaks) None() bool { return l.Count <= 0 && l.Bytes <= 0 && len(l.Objects) == 0 }

// String returns a report of what is left, by line of code.
func (l Leaks) String() string {
	if l.None() {
		return "nothing is left"
	}
	var b strings.Builder
	b.WriteString(l.headline())
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&b, "\n%s:\n%s", title, strings.Join(lines, "\n"))
		}
	}
	section("open tensors, by the line that made them", grownLines(l.Lines))
	if l.Bytes > 0 {
		section("native memory, by the line that allocated it", grownLines(l.Blocks))
	}
	section("more objects that are not tensors, by the line that made them or the tensor that holds them",
		l.objectLines())
	return b.String()
}

// headline returns the first line of a report, which says how much is left.
func (l Leaks) headline() string {
	var parts []string
	if l.Count > 0 {
		part := fmt.Sprintf("%d more tensors are open", l.Count)
		switch {
		case l.Freed == 1:
			part += fmt.Sprintf(" (%d new ones, and 1 older one is gone)", l.Count+1)
		case l.Freed > 1:
			part += fmt.Sprintf(" (%d new ones, and %d older ones are gone)", l.Count+l.Freed, l.Freed)
		}
		parts = append(parts, part)
	}
	if l.Bytes > 0 {
		parts = append(parts, fmt.Sprintf("%d more bytes of native memory (%s) are held", l.Bytes, units.Size(l.Bytes)))
	}
	if len(parts) == 0 {
		parts = []string{l.objects() + " are held"}
	}
	text := strings.Join(parts, " and ")
	if l.Graph != nil {
		text += fmt.Sprintf("; their graphs have %d nodes", len(l.Graph.Nodes))
		if saved := l.Graph.Bytes(HeldSaved); saved > 0 {
			text += fmt.Sprintf(" that hold %s saved for a backward pass", units.Size(saved))
		}
	}
	if n := l.numHooked(); n > 0 {
		text += fmt.Sprintf("; %d of the tensors have hooks, which keep everything that they refer to", n)
	}
	return text
}

// grownLines returns a report line for each group that grew. These groups come first in gs.
func grownLines(gs []Growth) []string {
	n := 0
	for n < len(gs) && (gs[n].BytesDelta > 0 || gs[n].BytesDelta == 0 && gs[n].CountDelta > 0) {
		n++
	}
	if n == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(FormatGrowth(gs[:n], reportLines), "\n"), "\n")
}

// objectLines returns report lines for the first groups of objects.
func (l Leaks) objectLines() []string {
	var lines []string
	for _, o := range l.Objects[:min(len(l.Objects), reportLines)] {
		line := fmt.Sprintf("+%v", o)
		if o.Kind == GraphNodes && o.Line == "" {
			line += ": held by a tensor made before the check; call TrackTensors(1) earlier to see where it was made"
		}
		lines = append(lines, line)
	}
	return lines
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

// numHooked returns how many of the tensors that are left have hooks.
func (l Leaks) numHooked() (n int) {
	for _, t := range l.Tensors {
		if t.Hooks > 0 {
			n++
		}
	}
	return n
}

// reportLines is the maximum number of lines in each section of a report.
const reportLines = 10
