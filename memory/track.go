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

// Usage is what happened to a device's memory while a part of a program ran.
// Byte counts are requested bytes unless stated otherwise. They are exact and
// cover all goroutines: memory has no owner, so if other goroutines ran at the
// same time, their memory is included.
type Usage struct {
	Name           string
	Device         torch.Device
	Start          int64         // alive when it began
	End            int64         // alive when it ended
	Peak           int64         // the most that was alive at one moment in between
	PeakAllocated  int64         // the same in block bytes, what MaxAllocated would say
	Allocations    int64         // made
	AllocatedBytes int64         // asked for by those
	Duration       time.Duration // wall-clock
}

// Net returns how much the live bytes grew; negative if they shrank.
func (u Usage) Net() int64 { return u.End - u.Start }

// PeakGrowth returns how far the peak was above the start: the memory that this
// part of the program needed in addition to what was there.
func (u Usage) PeakGrowth() int64 { return u.Peak - u.Start }

// String is one line for a log.
func (u Usage) String() string {
	where := ""
	if u.Device.IsCUDA() {
		where = " on " + u.Device.String()
	}
	return fmt.Sprintf("%s: peak %s (+%s)%s, net %+d B, %d allocations of %s in %v", u.Name, units.Size(u.Peak), units.Size(u.PeakGrowth()),
		where, u.Net(), u.Allocations, units.Size(u.AllocatedBytes), u.Duration.Round(time.Microsecond))
}

// Track runs fn and returns what happened to the memory of the default device
// meanwhile, or of the device that the option [Device] names. Calls may nest
// and run concurrently. Each has its own peak, whatever the others or ResetPeak
// do. If fn panics, so does Track.
//
// Work on a CUDA device may go on after fn returns. Its memory counts when the
// program asks for it and gives it back. A closed tensor that another stream
// still uses, see RecordStream of cuda.Stream, counts as alive until the stream
// is done with it, but no longer in the block bytes.
//
// It panics with a *torch.Error: of kind torch.ErrDevice for a device that is
// not there, torch.ErrNotImplemented for a CUDA allocator that cannot be
// tracked (cudaMallocAsync), and torch.ErrNil for a nil fn or option.
//
// PyTorch has one peak per device for the whole process, reset by
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

// Tracking is a measurement that StartTrack began.
type Tracking struct {
	name  string
	of    device.Allocator
	id    int64
	start time.Time

	mu   sync.Mutex
	done bool
	last Usage
}

// StartTrack begins a measurement that Stop ends; see Track. If it is never
// stopped, it costs a few hundred bytes, and some time whenever statistics are
// read, or on a CUDA device at each allocation.
func StartTrack(name string, opts ...TrackOption) *Tracking {
	return startTrack("StartTrack", name, opts)
}

func startTrack(op, name string, opts []TrackOption) *Tracking {
	dev := readTracked(op, opts)
	of := device.Must(op, dev)
	return &Tracking{name: name, of: of, id: of.WindowOpen(op), start: time.Now()}
}

// Read returns the usage so far. After Stop it returns what Stop returned.
func (t *Tracking) Read() Usage {
	made("Tracking.Read", "Track", t != nil && t.of != nil)
	return t.read(false)
}

// String prints the usage so far, as [Usage.String].
func (t *Tracking) String() string {
	if t == nil {
		return "<nil>"
	}
	return t.Read().String()
}

// Stop ends the measurement and returns its usage. Later calls return the same.
func (t *Tracking) Stop() Usage {
	made("Tracking.Stop", "Track", t != nil && t.of != nil)
	return t.read(true)
}

func (t *Tracking) read(stop bool) Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return t.last
	}
	var w mem.Window
	t.of.WindowRead(t.id, &w, stop)
	t.done = stop
	t.last = Usage{
		Name:           t.name,
		Device:         t.of.Device(),
		Start:          w.StartRequested,
		End:            w.EndRequested,
		Peak:           w.PeakRequested,
		PeakAllocated:  w.PeakAllocated,
		Allocations:    w.Allocations,
		AllocatedBytes: w.AllocatedBytes,
		Duration:       time.Since(t.start),
	}
	return t.last
}
