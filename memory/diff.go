package memory

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/memory/internal/groups"
	"github.com/gotorch/gotorch/memory/internal/lines"
	"github.com/gotorch/gotorch/torch"
)

// Growth is the change of a group of tensors or blocks between two measurements.
type Growth struct {
	Key        string
	Count      int64 // afterwards
	CountDelta int64
	Bytes      int64 // afterwards
	BytesDelta int64
}

// String returns the growth as one line for a report.
func (g Growth) String() string {
	return fmt.Sprintf("%+d B (%d B) in %+d (%d): %s", g.BytesDelta, g.Bytes, g.CountDelta, g.Count, g.Key)
}

// Diff compares two lists of live tensors, grouped by the line of code that created them.
// The lines whose tensors grew most come first. Lines whose tensors did not change are left
// out. It is like Snapshot.compare_to of Python's tracemalloc.
func Diff(before, after []LiveTensor) []Growth { return DiffBy(before, after, ByLine) }

// DiffBy is like [Diff], but groups tensors by a different property, for example with
// [ByType]. It is like show_growth of Python's objgraph. It panics with torch.ErrNil if
// by is nil.
func DiffBy(before, after []LiveTensor, by GroupKey) []Growth {
	if by == nil {
		panic(torch.NilFunc("memory.DiffBy", "by"))
	}
	return growths(groups.Diff(asGroups(GroupTensors(before, by)), asGroups(GroupTensors(after, by))))
}

// asGroups converts gs to the type of package groups.
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

// DiffBlocks compares the blocks in use of two snapshots, grouped by the line that
// allocated them. The lines that grew most come first. Unlike [Diff] it covers all native
// memory, including gradients, tensors saved by graphs, and optimizer state. A block has a
// line only if [RecordHistory] was on when it was allocated. A block allocated by a
// backward pass is listed under the operator whose gradient was computed, followed by the
// call to Backward. In the results, Count is the number of blocks, and Bytes are the bytes
// that tensors requested.
func DiffBlocks(before, after *SnapshotData) []Growth {
	return growths(groups.Diff(groupBlocks(before.Live()), groupBlocks(after.Live())))
}

func groupBlocks(blocks []Block) []groups.Group {
	return groups.Sum(blocks, stackLines{}.line, func(b Block) (count, bytes float64) {
		return 1, float64(b.RequestedSize)
	})
}

// stackLines maps stacks to the line of the program in each. Equal stacks of a snapshot share memory,
// and a file may contain a long stack once for many blocks.
type stackLines map[stackKey]string

type stackKey struct {
	first *Frame
	n     int
}

// line names the line of the program that allocated the block.
func (s stackLines) line(b Block) string {
	own := s.of(b.Frames)
	if len(b.ForwardFrames) == 0 {
		return own
	}
	return lines.Backward(s.of(b.ForwardFrames), own)
}

func (s stackLines) of(frames []Frame) string {
	at := stackKey{unsafe.SliceData(frames), len(frames)}
	line, ok := s[at]
	if !ok {
		line = programLine(frames)
		s[at] = line
	}
	return line
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
