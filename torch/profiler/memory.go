package profiler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// MemoryPoint is an allocation or a free, and the state of the allocator afterwards.
type MemoryPoint struct {
	TimeNs    int64 // the time in ns since 1970
	Bytes     int64 // bytes allocated, negative if freed
	Allocated int64 // bytes in use afterwards, including CPU memory allocated before the profile
	Category  Category
	// Preexisting says whether the block existed before the recording. If so, TimeNs is
	// the start of the recording.
	Preexisting bool
}

// A TimelineOption selects a memory timeline: [Device].
//
//gotorch:options Device
type TimelineOption interface{ timelineOption() }

// Device is the device whose memory is shown; device in Python. The default is the CPU,
// or the first CUDA device, "cuda:0", if the profile records CUDA. Any device other than
// the CPU and CUDA devices causes ErrDevice.
type Device torch.Device

// timeline is the memory of a device over time. Times are from profiler.Clock.
type timeline struct {
	device int16
	base   int64 // the bytes allocated before the recording, including those of Preexisting points
	points []timePoint
}

type timePoint struct {
	time, bytes int64
	life        *life
}

// MemoryTimeline returns the allocations and frees of the last cycle in order, each with
// its category. It requires ProfileMemory. It begins with the known blocks that existed
// before the recording: parameters, and blocks that were freed later. Parameters,
// gradients, optimizer state and inputs are recognized from the modules and optimizers
// that ran. Other categories are derived from the operator that allocated the block. It
// panics as Events does, and with ErrValue for a profile without ProfileMemory. Follows
// torch.profiler._memory_profiler.MemoryProfile.timeline.
func (p *Profile) MemoryTimeline(opts ...TimelineOption) []MemoryPoint {
	t := p.timeline("MemoryTimeline", opts)
	out := make([]MemoryPoint, len(t.points))
	total := t.base
	for i, pt := range t.points {
		early := pt.life.preexisting && pt.bytes > 0
		if !early {
			total += pt.bytes
		}
		out[i] = MemoryPoint{
			TimeNs: pt.time + p.built.unix, Bytes: pt.bytes, Allocated: total, Category: pt.life.is,
			Preexisting: early,
		}
	}
	return out
}

func (p *Profile) timeline(method string, opts []TimelineOption) timeline {
	p.results(method)
	op := "profiler.Profile." + method
	if !p.config.memory {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "expected a profile made with ProfileMemory(true)"))
	}
	device := torch.CPU
	if p.config.cuda {
		device = torch.CUDA.At(0)
	}
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			if device = torch.Device(o); device == 0 {
				device = torch.CPU
				if p.config.cuda {
					device = torch.CUDA.At(0)
				}
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	t := timeline{device: -1, base: p.built.live}
	switch {
	case device.IsCUDA():
		t.device, t.base = int16(max(0, device.Index())), 0
	case !device.IsCPU():
		panic(torch.NewError(op, torch.ErrDevice, "Device",
			fmt.Sprintf("expected the CPU or a CUDA device, got %v", device)))
	}
	for _, l := range p.built.lives() {
		if l.device != t.device {
			continue
		}
		from := l.from
		if l.preexisting {
			from = p.built.begin
			// For the CPU, base already counts all memory from before the recording. For a
			// device it counts only the known blocks.
			if t.device >= 0 {
				t.base += l.bytes
			}
		}
		t.points = append(t.points, timePoint{from, l.bytes, l})
		if l.until != math.MaxInt64 {
			t.points = append(t.points, timePoint{l.until, -l.bytes, l})
		}
	}
	slices.SortStableFunc(t.points, func(x, y timePoint) int { return cmp.Compare(x.time, y.time) })
	return t
}

// ExportMemoryTimeline writes the memory timeline to a file. The extension of its name
// selects the format:
//
//   - .html for a page with the memory of each category over time;
//   - .json for [times, sizes] as in Python: times are in microseconds since 1970. For each
//     time, sizes has a row with a zero and the bytes of each category;
//   - .raw.json for a list of [time, action, bytes, category]. Times are in ns, or -1 for
//     blocks that existed before. Action 1 is a preexisting block, 2 is an allocation, and 4
//     is a free, whose bytes are negative.
//
// The file is compressed if .gz follows. For any other extension, the error is a
// *torch.Error of kind ErrValue. It panics as MemoryTimeline does. Follows
// profile.export_memory_timeline.
func (p *Profile) ExportMemoryTimeline(path string, opts ...TimelineOption) error {
	const method = "ExportMemoryTimeline"
	t := p.timeline(method, opts)
	switch name := strings.TrimSuffix(path, ".gz"); {
	case strings.HasSuffix(name, ".html"):
		return p.export(method, path, func(w io.Writer) error { return p.built.memoryPage(w, t) })
	case strings.HasSuffix(name, ".raw.json"):
		return p.export(method, path, func(w io.Writer) error { return json.NewEncoder(w).Encode(t.raw(p.built.unix)) })
	case strings.HasSuffix(name, ".json"):
		return p.export(method, path, func(w io.Writer) error {
			times, sizes := t.sizes(p.built.begin)
			for i := range times {
				times[i] = (times[i] + p.built.unix) / 1000
			}
			return json.NewEncoder(w).Encode([2]any{times, sizes})
		})
	}
	return torch.NewError("profiler.Profile."+method, torch.ErrValue, "path",
		fmt.Sprintf("expected a name ending in .html, .json, .raw.json or one of them with .gz, got %q", path))
}

// raw returns the list of a .raw.json file.
func (t timeline) raw(unix int64) [][4]int64 {
	const preexisting, create, destroy = 1, 2, 4
	out := make([][4]int64, len(t.points))
	for i, pt := range t.points {
		time, action := pt.time+unix, int64(create)
		switch {
		case pt.bytes < 0:
			action = destroy
		case pt.life.preexisting:
			time, action = -1, preexisting
		}
		out[i] = [4]int64{time, action, pt.bytes, int64(pt.life.is)}
	}
	return out
}

// columns is the number of categories, plus one for the zero with which Python's rows begin.
const columns = 1 + int(CategoryUnknown) + 1

// sizes returns the bytes of each category at each change. Unidentified memory from
// before the recording has the category CategoryUnknown.
func (t timeline) sizes(begin int64) (times []int64, sizes [][columns]int64) {
	var now [columns]int64
	now[columns-1] = t.base
	for _, pt := range t.points {
		if pt.life.preexisting && pt.bytes > 0 {
			now[columns-1] -= pt.bytes
		}
	}
	times, sizes = []int64{begin}, [][columns]int64{now}
	for _, pt := range t.points {
		if pt.time != times[len(times)-1] {
			times, sizes = append(times, pt.time), append(sizes, sizes[len(sizes)-1])
		}
		sizes[len(sizes)-1][1+int(pt.life.is)] += pt.bytes
	}
	return times, sizes
}
