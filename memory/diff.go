package memory

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/trace"
	"github.com/gotorch/gotorch/torch"
)

// Growth says how much a group of tensors or blocks changed between two
// measurements.
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

// Diff compares two lists of live tensors by the line that made them, and puts
// the lines that grew most first. Lines that did not change are left out. It is
// tracemalloc's compare_to for tensors.
func Diff(before, after []LiveTensor) []Growth { return DiffBy(before, after, ByLine) }

// DiffBy is Diff by another key, such as ByType. It is to tensors what
// objgraph's show_growth is to Python objects. It panics with torch.ErrNil for a
// nil key.
func DiffBy(before, after []LiveTensor, by GroupKey) []Growth {
	if by == nil {
		panic(torch.NilFunc("memory.DiffBy", "by"))
	}
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

// DiffBlocks compares two snapshots by the line that allocated each block in
// use, and puts the lines that grew most first. Unlike Diff it covers all
// native memory, including gradients, what graphs saved, and optimizer state. A
// block has a line if RecordHistory was on when it was allocated. A block of a
// backward pass is listed under the operator whose gradient was computed,
// followed by the call to Backward. Count counts blocks, and Bytes are the
// requested bytes.
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

// FormatGrowth formats the first n entries of gs for a log, one per line.
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
