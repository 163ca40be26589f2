package torch

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/oom"
)

// OutOfMemory describes a device's memory when an allocation failed. It is in
// the field Memory of an *Error of kind ErrOutOfMemory. Before reporting the
// error, gotorch collected garbage, emptied the cache and, if that was safe,
// called the operator again.
type OutOfMemory struct {
	Device    Device
	Requested int64 // bytes that the failed allocation requested
	Allocated int64 // bytes in blocks used by tensors
	Reserved  int64 // bytes obtained from the system, including free blocks
	Free      int64 // bytes still available under the limit, or from the system
	Limit     int64 // the limit set with memory.SetLimit, 0 for none
	Ulimit    int64 // the stricter limit of ulimit -v and -d (RLIMIT_AS, RLIMIT_DATA), 0 for none

	// Largest lists up to ten lines of the program that held the most memory,
	// largest first. It needs an earlier call of memory.RecordHistory, or of
	// memory.TrackTensors, which leaves out memory without a *Tensor, such as
	// graphs. Otherwise it is empty and Hint says so.
	Largest []LiveMemory
	Hint    string

	// Snapshot is the file written because of memory.SnapshotOnOOM, or "";
	// SnapshotErr is the error of writing it.
	Snapshot    string
	SnapshotErr error
}

// LiveMemory is the memory in use that one line of a program allocated.
type LiveMemory struct {
	Site  string // "/home/me/train.go:17 main.train", or "unknown"
	Bytes int64
	Count int64 // number of blocks, or of tensors with TrackTensors
}

// String returns the memory sizes in one line, and each element of Largest in a line of
// its own.
func (m *OutOfMemory) String() string {
	if m == nil {
		return "<nil>"
	}
	var b strings.Builder
	limit := "no limit"
	if m.Limit > 0 {
		limit = "limit " + bytesText(m.Limit)
	}
	if m.Ulimit > 0 {
		limit = strings.TrimPrefix(limit+", ulimit "+bytesText(m.Ulimit), "no limit, ")
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

const historyHint = "to see which lines hold the memory, call memory.RecordHistory(memory.HistoryOptions{" +
	"Enabled: memory.HistoryState}) early in the program"

// explainMemory fills e.Memory and adds the largest holder to the message.
func (e *Error) explainMemory() {
	f := oom.Read(e.failure, e.cause.Message)
	m := &OutOfMemory{
		Device: CPU, Requested: f.Requested, Allocated: f.Allocated, Reserved: f.Reserved, Free: f.Free,
		Limit: f.Limit, Ulimit: f.Ulimit,
	}
	if f.CUDA >= 0 {
		m.Device = CUDA.At(f.CUDA)
	}
	holders, known := oom.Holders(f.CUDA, m.Device.code())
	for _, h := range holders {
		m.Largest = append(m.Largest, LiveMemory(h))
	}
	if !known {
		m.Hint = historyHint
	}
	if len(m.Largest) > 0 {
		l := m.Largest[0]
		e.Message += fmt.Sprintf("; the largest part, %s, was allocated at %s", bytesText(l.Bytes),
			shortSite(l.Site))
	}
	e.Memory = m
	m.Snapshot, m.SnapshotErr = pacer.NotifyOutOfMemory()
}

// shortSite shortens a site, such as "/home/user/my net/train.go:17 main.main", to
// "train.go:17".
func shortSite(site string) string {
	// A path can contain spaces, but a function name cannot.
	if i := strings.LastIndexByte(site, ' '); i >= 0 {
		site = site[:i]
	}
	return filepath.Base(site)
}
