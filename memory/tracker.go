package memory

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

// TrackerOptions are the settings of a Tracker. The zero value watches the
// default device.
type TrackerOptions struct {
	// Device is the device whose memory is watched.
	Device torch.Device
	// Keep is the largest number of records to keep, at least 2; 0 means 4,096. If
	// a loop has more steps, records are merged, so that they still cover the
	// whole loop.
	Keep int
}

// StepUsage is what happened to memory during a step or, once a Tracker has
// merged records, during several consecutive steps.
type StepUsage struct {
	Usage
	Step     int   // the first of the steps, counted from 0
	Steps    int   // number of steps
	Reserved int64 // bytes that the device's allocator held at the end
	Resident int64 // resident bytes of the process at the end, 0 if the system does not say
}

// String is one line for a log: the steps, and their [Usage].
func (s StepUsage) String() string {
	which := fmt.Sprintf("step %d", s.Step)
	if s.Steps > 1 {
		which = fmt.Sprintf("steps %d to %d", s.Step, s.Step+s.Steps-1)
	}
	return fmt.Sprintf("%s, %v, reserved %s, resident %s", which, s.Usage, size(s.Reserved), size(s.Resident))
}

// Tracker records the memory of a loop, step by step:
//
//	t := memory.StartTracker(memory.TrackerOptions{})
//	defer t.Stop()
//	for range steps {
//		train()
//		t.Step("train")
//	}
//	fmt.Print(t.Report())
//
// It uses a limited amount of memory itself, however long the loop runs. Its methods
// may be called from several goroutines, but steps only make sense on one.
type Tracker struct {
	options TrackerOptions

	mu      sync.Mutex
	current *Tracking // nil once stopped
	steps   int       // recorded so far
	grain   int       // steps that a full record stands for
	records []StepUsage
	groups  []trackerGroup // in the order of their first step
}

// StartTracker returns a running Tracker and begins the first step. End it with
// Stop. It panics with a *torch.Error if the device's memory cannot be
// measured, or if Keep is negative or 1.
func StartTracker(opts TrackerOptions) *Tracker {
	if opts.Keep == 0 {
		opts.Keep = 4096
	}
	if opts.Keep < 2 {
		panic(deviceError("StartTracker", torch.ErrValue, "Keep must be 0 or at least 2"))
	}
	if opts.Device == 0 {
		opts.Device = torch.DefaultDevice()
	}
	return &Tracker{options: opts, grain: 1, current: StartTrack("", Device(opts.Device))}
}

// Step ends the current step under the given name, begins the next one, and
// returns the usage of the one that ended. The report groups steps of the same
// name. After Stop it records nothing and returns the zero StepUsage.
func (t *Tracker) Step(name string) StepUsage {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return StepUsage{}
	}
	ended := t.current
	t.current = StartTrack("", Device(t.options.Device)) // first, so that nothing falls between the two
	s := StepUsage{Usage: ended.Stop(), Step: t.steps, Steps: 1, Reserved: Reserved(t.options.Device)}
	s.Name = name
	s.Resident, _ = resident()
	t.steps++
	t.add(s)
	t.count(s)
	return s
}

// Stop ends the Tracker. What happened since the last Step is not recorded.
// Later calls do nothing.
func (t *Tracker) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != nil {
		t.current.Stop()
		t.current = nil
	}
}

// Steps returns the records, oldest first.
func (t *Tracker) Steps() []StepUsage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]StepUsage(nil), t.records...)
}

// add appends s or merges it into the last record, if that is of the same name
// and not full. When all places are taken, neighbours are merged.
func (t *Tracker) add(s StepUsage) {
	if n := len(t.records); n > 0 && t.sameName(t.records[n-1], s) {
		t.records[n-1] = merge(t.records[n-1], s)
		return
	}
	if len(t.records) == t.options.Keep {
		t.coarsen()
	}
	t.records = append(t.records, s)
}

func (t *Tracker) fits(a, b StepUsage) bool { return a.Steps+b.Steps <= t.grain }

func (t *Tracker) sameName(a, b StepUsage) bool { return a.Name == b.Name && t.fits(a, b) }

// coarsen merges neighbours until there is a free place. Those of one name go
// first, even if full records become twice as long for it. Where that frees too
// little, because names alternate, it merges across names, but nothing beyond a
// full record. That is never longer than about four times the steps divided by
// Keep: it doubles up to half of that, or where no two neighbours fit into one.
func (t *Tracker) coarsen() {
	keep := t.options.Keep
	free := func() int { return keep - len(t.records) }
	enough := max(keep/4, 1)
	t.mergeNeighbours(t.sameName)
	if free() < enough && t.grain <= 2*t.steps/keep {
		t.grain *= 2
		t.mergeNeighbours(t.sameName)
	}
	if free() < enough {
		t.mergeNeighbours(t.fits)
	}
	for free() == 0 {
		t.grain *= 2
		t.mergeNeighbours(t.fits)
	}
}

// mergeNeighbours merges pairs of neighbours that go together.
func (t *Tracker) mergeNeighbours(together func(a, b StepUsage) bool) {
	kept := t.records[:0]
	for i := 0; i < len(t.records); i++ {
		s := t.records[i]
		if i+1 < len(t.records) && together(s, t.records[i+1]) {
			i++
			s = merge(s, t.records[i])
		}
		kept = append(kept, s)
	}
	clear(t.records[len(kept):])
	t.records = kept
}

// merge is a and its successor b as one record. Of two names none remains.
func merge(a, b StepUsage) StepUsage {
	if a.Name != b.Name {
		a.Name = ""
	}
	a.Steps += b.Steps
	a.End, a.Reserved, a.Resident = b.End, b.Reserved, b.Resident
	a.Peak, a.PeakAllocated = max(a.Peak, b.Peak), max(a.PeakAllocated, b.PeakAllocated)
	a.Allocations += b.Allocations
	a.AllocatedBytes += b.AllocatedBytes
	a.Duration += b.Duration
	return a
}
