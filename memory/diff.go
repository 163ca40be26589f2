package memory

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/trace"
)

// Growth is by how much a group changed between two looks.
type Growth struct {
	Key        string
	Count      int64 // afterwards
	CountDelta int64
	Bytes      int64 // afterwards
	BytesDelta int64
}

// String is one line for a report.
func (g Growth) String() string {
	return fmt.Sprintf("%+d B (%d B) in %+d (%d): %s", g.BytesDelta, g.Bytes, g.CountDelta, g.Count, g.Key)
}

// Diff compares two lists of live tensors by the line that made them, those
// that grew most first: tracemalloc's compare_to for tensors. Lines that did
// not change are left out.
func Diff(before, after []LiveTensor) []Growth { return DiffBy(before, after, ByLine) }

// DiffBy is Diff by another key, such as ByType: what objgraph's show_growth
// tells of Python's objects.
func DiffBy(before, after []LiveTensor, by GroupKey) []Growth {
	return diffGroups(GroupTensors(before, by), GroupTensors(after, by))
}

func diffGroups(before, after []TensorGroup) []Growth {
	old := map[string]TensorGroup{}
	for _, g := range before {
		old[g.Key] = g
	}
	var out []Growth
	add := func(key string, a, b TensorGroup) {
		if a.Count != b.Count || a.Bytes != b.Bytes {
			out = append(out, Growth{key, b.Count, b.Count - a.Count, b.Bytes, b.Bytes - a.Bytes})
		}
	}
	for _, g := range after {
		add(g.Key, old[g.Key], g)
		delete(old, g.Key)
	}
	for _, g := range old {
		add(g.Key, g, TensorGroup{})
	}
	slices.SortFunc(out, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.BytesDelta, a.BytesDelta), cmp.Compare(b.CountDelta, a.CountDelta), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// DiffBlocks compares two snapshots by the line that allocated each block that
// tensors hold, those that grew most first. Unlike Diff it sees all native
// memory: gradients, what graphs saved, optimizer state. Blocks have lines if
// RecordHistory was on when they were allocated; the block of a backward pass
// is named by the operator whose gradient was computed, followed by the call
// of Backward. Count is of blocks, Bytes of what was requested.
func DiffBlocks(before, after *SnapshotData) []Growth {
	return diffGroups(groupBlocks(before.Live()), groupBlocks(after.Live()))
}

func groupBlocks(blocks []Block) []TensorGroup {
	sums := map[string]*TensorGroup{}
	for _, b := range blocks {
		k := b.line()
		g := sums[k]
		if g == nil {
			g = &TensorGroup{Key: k}
			sums[k] = g
		}
		g.Count++
		g.Bytes += b.RequestedSize
	}
	out := make([]TensorGroup, 0, len(sums))
	for _, g := range sums {
		out = append(out, *g)
	}
	return out
}

// line names the line of the program that allocated the block.
func (b Block) line() string {
	own := programLine(b.Frames)
	if len(b.ForwardFrames) == 0 {
		return own
	}
	return programLine(b.ForwardFrames) + ", in the backward pass of " + own
}

// programLine is the line of the innermost call outside of this library.
func programLine(frames []Frame) string {
	calls := make([]runtime.Frame, len(frames))
	for i, f := range frames {
		calls[i] = runtime.Frame{Function: f.Name, File: f.Filename, Line: f.Line}
	}
	if f, ok := trace.Site(calls); ok {
		return frameLine(f)
	}
	return unknownLine
}

// FormatGrowth lists at most n lines of growth, one per line, for a log.
func FormatGrowth(gs []Growth, n int) string {
	var b strings.Builder
	for i, g := range gs {
		if i == n {
			fmt.Fprintf(&b, "and %d more\n", len(gs)-n)
			break
		}
		fmt.Fprintln(&b, g)
	}
	return b.String()
}
