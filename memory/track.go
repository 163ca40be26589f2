package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// Usage describes the memory of a device while a part of a program ran. Byte counts are
// requested bytes unless stated otherwise. They are exact. They include the memory of other
// goroutines that ran at the same time, because it is not known which goroutine allocated
// what.
type Usage struct {
	Name           string
	Device         torch.Device
	Start          int64         // live bytes at the start
	End            int64         // live bytes at the end
	Peak           int64         // maximum of the live bytes from start to end
	PeakAllocated  int64         // maximum of the bytes of blocks, as in MaxAllocated
	Allocations    int64         // number of allocations
	AllocatedBytes int64         // bytes requested by these allocations
	Duration       time.Duration // wall-clock time
}

// Net returns the growth of the live bytes; it is negative if they shrank.
func (u Usage) Net() int64 { return u.End - u.Start }

// PeakGrowth returns the peak minus the live bytes at the start: the memory that
// this part of the program needed in addition.
func (u Usage) PeakGrowth() int64 { return u.Peak - u.Start }

// String returns the usage as one line for a log.
func (u Usage) String() string {
	where := ""
	if u.Device.IsCUDA() {
		where = " on " + u.Device.String()
	}
	return fmt.Sprintf("%s: peak %s (+%s)%s, net %+d B, %d allocations of %s in %v", u.Name, units.Size(u.Peak),
		units.Size(u.PeakGrowth()),
		where, u.Net(), u.Allocations, units.Size(u.AllocatedBytes), u.Duration.Round(time.Microsecond))
}

// Track runs fn and returns how much memory of the default device was used while fn ran.
// The option [Device] selects a different device. Calls of Track may nest and run
// concurrently. Each call has its own peak, which [ResetPeak] does not affect. If fn
// panics, so does Track.
//
// Work on a CUDA device may continue after fn returns. Memory for that work counts from
// when the program allocates it until the program frees it. A closed tensor that another
// stream still uses (see RecordStream of cuda.Stream) counts as live until the stream is
// done with it, but not in the block bytes.
//
// Track panics with a *torch.Error: of kind torch.ErrDevice for a device that does not
// exist, of kind torch.ErrNotImplemented for the CUDA allocator cudaMallocAsync, and of
// kind torch.ErrNil for a nil fn or option.
//
// In PyTorch a device has one peak for the whole process, reset by
// torch.cuda.reset_peak_memory_stats.
func Track(name string, fn func(), opts ...TrackOption) Usage {
	if fn == nil {
		panic(torch.NilFunc("memory.Track", "fn"))
	}
	t := startTrack("Track", name, opts)
	defer t.Stop()
	fn()
	return t.Stop()
}

// Tracking is a measurement started by [StartTrack].
type Tracking struct {
	name      string
	allocator device.Allocator
	id        int64
	start     time.Time

	mu        sync.Mutex
	done      bool
	lastUsage Usage
}

// StartTrack begins a measurement that [Tracking.Stop] ends; see [Track]. A
// measurement that is never stopped keeps a few hundred bytes. It slows down reading
// statistics or, on a CUDA device, each allocation.
func StartTrack(name string, opts ...TrackOption) *Tracking {
	return startTrack("StartTrack", name, opts)
}

func startTrack(op, name string, opts []TrackOption) *Tracking {
	dev := readTracked(op, opts)
	of := device.Must(op, dev)
	return &Tracking{name: name, allocator: of, id: of.WindowOpen(op), start: time.Now()}
}

// Read returns the usage so far. After Stop it returns what Stop returned.
func (t *Tracking) Read() Usage {
	mustBeMade("Tracking.Read", "Track", t != nil && t.allocator != nil)
	return t.read(false)
}

// String returns the usage so far as one line for a log.
func (t *Tracking) String() string {
	if t == nil {
		return "<nil>"
	}
	return t.Read().String()
}

// Stop ends the measurement and returns its usage. Later calls return the same usage.
func (t *Tracking) Stop() Usage {
	mustBeMade("Tracking.Stop", "Track", t != nil && t.allocator != nil)
	return t.read(true)
}

func (t *Tracking) read(stop bool) Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return t.lastUsage
	}
	var w mem.Window
	t.allocator.WindowRead(t.id, &w, stop)
	t.done = stop
	t.lastUsage = Usage{
		Name:           t.name,
		Device:         t.allocator.Device(),
		Start:          w.StartRequested,
		End:            w.EndRequested,
		Peak:           w.PeakRequested,
		PeakAllocated:  w.PeakAllocated,
		Allocations:    w.Allocations,
		AllocatedBytes: w.AllocatedBytes,
		Duration:       time.Since(t.start),
	}
	return t.lastUsage
}
