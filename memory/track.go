package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/torch"
)

// Usage is what happened to a device's memory while a stretch of a program ran. All
// byte counts are of requested bytes unless they say otherwise, exact, and over
// all goroutines: memory has no owner, so a stretch that ran beside others saw
// theirs too.
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

// Net returns by how much the live bytes grew; negative if they shrank.
func (u Usage) Net() int64 { return u.End - u.Start }

// PeakGrowth returns by how much the peak was above the start: the memory that
// the stretch needed on top of what was there.
func (u Usage) PeakGrowth() int64 { return u.Peak - u.Start }

// String is one line for a log.
func (u Usage) String() string {
	where := ""
	if u.Device.IsCUDA() {
		where = " on " + u.Device.String()
	}
	return fmt.Sprintf("%s: peak %s (+%s)%s, net %+d B, %d allocations of %s in %v", u.Name, size(u.Peak), size(u.PeakGrowth()),
		where, u.Net(), u.Allocations, size(u.AllocatedBytes), u.Duration.Round(time.Microsecond))
}

// Track runs fn and returns what happened meanwhile to the memory of the default
// device, or of the one that the option [Device] names. Tracked stretches may nest
// and may run concurrently, each has a peak of its own, whatever others or
// ResetPeak do. If fn panics, so does Track.
//
// Work on a CUDA device may go on after fn; its memory counts by what the program
// asked for and gave back meanwhile. A closed tensor that another stream still uses,
// see RecordStream of cuda.Stream, is alive until that is done, though no longer
// in the block bytes.
//
// It panics with a *torch.Error: of kind torch.ErrDevice for a device that is not
// there, torch.ErrNotImplemented for a CUDA allocator that cannot be followed
// (cudaMallocAsync), torch.ErrNil for a nil option.
//
// PyTorch has one peak a device for the whole process, reset by
// torch.cuda.reset_peak_memory_stats.
func Track(name string, fn func(), opts ...TrackOption) Usage {
	t := startTrack("Track", name, opts)
	defer t.Stop()
	fn()
	return t.Stop()
}

// Tracking is a stretch that StartTrack began.
type Tracking struct {
	name  string
	of    allocator
	id    int64
	start time.Time

	mu   sync.Mutex
	done bool
	last Usage
}

// StartTrack begins a stretch that Stop ends; see Track. One that is never
// stopped costs a few hundred bytes and time at each statistic that is read, on a
// CUDA device at each allocation.
func StartTrack(name string, opts ...TrackOption) *Tracking {
	return startTrack("StartTrack", name, opts)
}

func startTrack(op, name string, opts []TrackOption) *Tracking {
	dev := readTracked(op, opts)
	of := mustAllocator(op, dev)
	return &Tracking{name: name, of: of, id: of.windowOpen(op), start: time.Now()}
}

// Read returns the usage so far; after Stop it returns what that returned.
func (t *Tracking) Read() Usage { return t.read(false) }

// String is the usage so far, as [Usage.String].
func (t *Tracking) String() string { return t.Read().String() }

// Stop ends the stretch and returns its usage. Later calls return the same.
func (t *Tracking) Stop() Usage { return t.read(true) }

func (t *Tracking) read(stop bool) Usage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return t.last
	}
	var w mem.Window
	t.of.windowRead(t.id, &w, stop)
	t.done = stop
	t.last = Usage{
		Name:           t.name,
		Device:         t.of.device(),
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
