package torch

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/internal/live"
	"github.com/gotorch/gotorch/internal/pacer"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/internal/trace"
)

// OutOfMemory is the state of a device's memory when an operator found none,
// in the field Memory of an *Error of kind ErrOutOfMemory. Before it failed,
// garbage was collected, the cache emptied and, where that is safe, the
// operator called a second time.
type OutOfMemory struct {
	Device    Device
	Requested int64 // what the failing allocation asked for
	Allocated int64 // in blocks that tensors held
	Reserved  int64 // obtained from the system, free blocks included
	Free      int64 // what the limit or else the system would still have given
	Limit     int64 // memory.SetLimit's, 0 for none

	// Largest are the lines of the program whose allocations held most, at most
	// ten, the largest first. They are known if memory.RecordHistory was called
	// before or, without the memory that no *Tensor stands for, such as graphs,
	// memory.TrackTensors; otherwise Hint says so.
	Largest []LiveMemory
	Hint    string

	// Snapshot is the file that memory.SnapshotOnOOM had written, or "";
	// SnapshotErr is why it could not be.
	Snapshot    string
	SnapshotErr error
}

// LiveMemory is what one line of a program had allocated that was still alive.
type LiveMemory struct {
	Site  string // "/home/me/train.go:17 main.train", or "unknown"
	Bytes int64
	Count int64 // of blocks, or of tensors if TrackTensors tells
}

// String returns the figures in a line and each of Largest in one of its own.
func (m *OutOfMemory) String() string {
	var b strings.Builder
	limit := "no limit"
	if m.Limit > 0 {
		limit = "limit " + bytesText(m.Limit)
	}
	fmt.Fprintf(&b, "out of memory on %s: requested %s, allocated %s, reserved %s, free %s, %s\n", m.Device,
		bytesText(m.Requested), bytesText(m.Allocated), bytesText(m.Reserved), bytesText(m.Free), limit)
	for _, l := range m.Largest {
		fmt.Fprintf(&b, "%12s in %6d  %s\n", bytesText(l.Bytes), l.Count, l.Site)
	}
	if m.Hint != "" {
		b.WriteString(m.Hint + "\n")
	}
	switch {
	case m.SnapshotErr != nil:
		fmt.Fprintf(&b, "snapshot: %v\n", m.SnapshotErr)
	case m.Snapshot != "":
		fmt.Fprintf(&b, "snapshot: %s\n", m.Snapshot)
	}
	return b.String()
}

func bytesText(n int64) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/1024, 0
	for v >= 1024 && unit < 5 {
		v /= 1024
		unit++
	}
	return fmt.Sprintf("%.2f %ciB", v, "KMGTPE"[unit])
}

const historyHint = "memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryState}) early on has this error name the lines that hold the memory"

// largestLines is how many lines an error names.
const largestLines = 10

// explainMemory fills e.Memory and adds the largest holder to the message.
func (e *Error) explainMemory() {
	m := outOfMemoryFrom(e.failure, e.cause.Message)
	if m.Device.IsCPU() {
		if m.Limit > 0 {
			m.Free = max(m.Limit-m.Reserved, 0)
		} else if free, _, err := sysmem.Machine(); err == nil {
			m.Free = free
		}
	}
	switch {
	case m.Device.IsCPU() && mem.CPUHistoryMode() != mem.HistoryOff:
		m.Largest = largest(blockSites)
	case live.On():
		m.Largest = largest(func(add addSite) { tensorSites(m.Device, add) })
	default:
		m.Hint = historyHint
	}
	if len(m.Largest) > 0 {
		l := m.Largest[0]
		e.Message += fmt.Sprintf("; most of it, %s, is held by what %s allocated", bytesText(l.Bytes), shortSite(l.Site))
	}
	e.Memory = m
	m.Snapshot, m.SnapshotErr = pacer.NotifyOutOfMemory()
}

type addSite func(id trace.ID, bytes, count int64)

// blockSites adds the blocks that the CPU allocator's history knows.
func blockSites(add addSite) {
	const every = 1 << 16
	sites, _ := mem.CPUSites(every)
	for _, s := range sites {
		// A gradient is the doing of the line whose operator it derives.
		id := trace.ID(s.Stack)
		if s.Forward != 0 {
			id = trace.ID(s.Forward)
		}
		add(id, s.Bytes, s.Count)
	}
}

// tensorSites adds the listed tensors on a device, each storage once.
func tensorSites(dev Device, add addSite) {
	seen := map[uintptr]bool{}
	live.Each(func(e *live.Entry) {
		if DeviceOf(cgotorch.TensorInfo(e.Handle).Device) != dev {
			return
		}
		s, st := cgotorch.Storage(e.Handle)
		if st != 0 {
			cgotorch.FreeStatus(st)
			return
		}
		if !seen[s.Storage] {
			seen[s.Storage] = true
			w := e.Weight()
			add(e.Site, int64(w*float64(s.Bytes)), int64(w+0.5))
		}
	})
}

// largest sums live memory by line.
func largest(sites func(addSite)) []LiveMemory {
	byLine := map[string]*LiveMemory{}
	sites(func(id trace.ID, bytes, count int64) {
		line := siteText(id)
		l := byLine[line]
		if l == nil {
			l = &LiveMemory{Site: line}
			byLine[line] = l
		}
		l.Bytes += bytes
		l.Count += count
	})
	out := make([]LiveMemory, 0, len(byLine))
	for _, l := range byLine {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b LiveMemory) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Site, b.Site))
	})
	return out[:min(len(out), largestLines)]
}

func siteText(id trace.ID) string {
	frames := trace.Frames(id)
	f, ok := trace.Site(frames)
	if !ok {
		if len(frames) == 0 {
			return "unknown"
		}
		f = frames[len(frames)-1]
	}
	return fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Function)
}

// shortSite is "train.go:17" for a message of one line.
func shortSite(site string) string {
	file, _, _ := strings.Cut(site, " ")
	return filepath.Base(file)
}
