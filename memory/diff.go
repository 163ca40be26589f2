package memory

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/lines"
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
	return growths(groups.Diff(asGroups(GroupTensors(before, by)), asGroups(GroupTensors(after, by))))
}

// asGroups is a list of groups as package groups has them.
func asGroups(gs []TensorGroup) []groups.Group {
	out := make([]groups.Group, len(gs))
	for i, g := range gs {
		out[i] = groups.Group(g)
	}
	return out
}

func growths(gs []groups.Growth) []Growth {
	if len(gs) == 0 {
		return nil
	}
	out := make([]Growth, len(gs))
	for i, g := range gs {
		out[i] = Growth(g)
	}
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
	return growths(groups.Diff(groupBlocks(before.Live()), groupBlocks(after.Live())))
}

func groupBlocks(blocks []Block) []groups.Group {
	return groups.Sum(blocks, Block.line, func(b Block) (count, bytes float64) { return 1, float64(b.RequestedSize) })
}

// line names the line of the program that allocated the block.
func (b Block) line() string {
	own := programLine(b.Frames)
	if len(b.ForwardFrames) == 0 {
		return own
	}
	return lines.Backward(programLine(b.ForwardFrames), own)
}

func programLine(frames []Frame) string {
	calls := make([]runtime.Frame, len(frames))
	for i, f := range frames {
		calls[i] = runtime.Frame{Function: f.Name, File: f.Filename, Line: f.Line}
	}
	return lines.OfCalls(calls)
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
