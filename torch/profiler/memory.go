package profiler

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// MemoryPoint is what the CPU allocator had handed out at a moment.
type MemoryPoint struct {
	TimeNs    int64 // since 1970
	Bytes     int64 // that this moment changed: allocated, or freed if negative
	Allocated int64 // after it
}

// MemoryTimeline returns every allocation and release of the last cycle, in order, with
// ProfileMemory. It panics as Events does, and with ErrValue for a profile without
// ProfileMemory.
func (p *Profile) MemoryTimeline() []MemoryPoint {
	p.results("MemoryTimeline")
	if !p.config.memory {
		panic(torch.NewError("profiler.Profile.MemoryTimeline", torch.ErrValue, "receiver", "expected a profile made with ProfileMemory(true)"))
	}
	b := p.built
	out := make([]MemoryPoint, len(b.Memory))
	total := b.live
	for i, m := range b.Memory {
		total += m.Bytes
		out[i] = MemoryPoint{TimeNs: m.Time + b.unix, Bytes: m.Bytes, Allocated: total}
	}
	return out
}

// ExportMemoryTimeline writes MemoryTimeline to a file, by the end of its name: .json for
// [times, sizes] as Python writes them, with all memory in the first column of sizes and
// times in ns since 1970; .raw.json for a list of [time, action, bytes, category], with
// actions 1, create, and 3, destroy, and category null; with .gz after it compressed. Python
// sorts memory by category, such as parameters and gradients; here the page of
// memory.Snapshot does that, by stack. The error is a *torch.Error of kind ErrValue for another
// name. It panics as MemoryTimeline does. Follows profile.export_memory_timeline.
func (p *Profile) ExportMemoryTimeline(path string) error {
	p.results("ExportMemoryTimeline")
	points := p.MemoryTimeline()
	name := strings.TrimSuffix(path, ".gz")
	var data any
	switch {
	case strings.HasSuffix(name, ".raw.json"):
		raw := make([][4]any, len(points))
		for i, pt := range points {
			action := 1
			if pt.Bytes < 0 {
				action = 3
			}
			raw[i] = [4]any{pt.TimeNs, action, max(pt.Bytes, -pt.Bytes), nil}
		}
		data = raw
	case strings.HasSuffix(name, ".json"):
		times, sizes := make([]int64, len(points)), make([][2]int64, len(points))
		for i, pt := range points {
			times[i], sizes[i][1] = pt.TimeNs, pt.Allocated
		}
		data = [2]any{times, sizes}
	default:
		return torch.NewError("profiler.Profile.ExportMemoryTimeline", torch.ErrValue, "path", fmt.Sprintf("expected a name that ends in .json, .raw.json or one of them with .gz, got %q", path))
	}
	return p.export("ExportMemoryTimeline", path, func(w io.Writer) error { return json.NewEncoder(w).Encode(data) })
}

// ToggleCollection leaves out operators that begin from now on, or takes them in again, of
// all goroutines; it may be called at any time between Start and Stop. CPU is all that can
// be toggled: CUDA among the activities is a *torch.Error of kind ErrValue, as is none, and a
// profile that records nothing now ErrRuntime. A toggle lasts until the cycle ends. Follows
// profile.toggle_collection_dynamic.
func (p *Profile) ToggleCollection(on bool, activities ...Activity) error {
	if err := p.made("ToggleCollection"); err != nil {
		return err
	}
	const op = "profiler.Profile.ToggleCollection"
	if len(activities) == 0 {
		return torch.NewError(op, torch.ErrValue, "activities", "expected CPU, got none")
	}
	for _, a := range activities {
		if a != CPU {
			return torch.NewError(op, torch.ErrValue, "activities", fmt.Sprintf("expected CPU, got %v", a))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return misuse("ToggleCollection", "the profile does not record now")
	}
	p.session.toggle(on)
	return nil
}
