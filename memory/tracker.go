package memory

import (
	"fmt"
	"io"
	"sync"

	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/steps"
	"github.com/gotorch/gotorch/memory/internal/units"
	"github.com/gotorch/gotorch/torch"
)

// TrackerOptions are the settings of a [Tracker]. The zero value measures the default
// device.
type TrackerOptions struct {
	// Device is the device whose memory is measured.
	Device torch.Device
	// Keep is the maximum number of records to keep, at least 2; 0 means 4,096. If a loop
	// has more steps, the Tracker merges records of consecutive steps. So the records still
	// cover the whole loop.
	Keep int
}

// StepUsage is the memory usage of a step or, once a [Tracker] has merged records,
// of several consecutive steps.
type StepUsage struct {
	Usage
	Step     int   // number of the first of the steps, counted from 0
	Steps    int   // number of steps
	Reserved int64 // bytes that the device's allocator held at the end
	Resident int64 // resident bytes of the process at the end, 0 if unknown
}

// String returns one line for a log: the steps and their [Usage].
func (s StepUsage) String() string {
	which := fmt.Sprintf("step %d", s.Step)
	if s.Steps > 1 {
		which = fmt.Sprintf("steps %d to %d", s.Step, s.Step+s.Steps-1)
	}
	return fmt.Sprintf("%s, %v, reserved %s, resident %s", which, s.Usage, units.Size(s.Reserved),
		units.Size(s.Resident))
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
// Its own memory is bounded, however long the loop runs. Its methods are safe for
// concurrent use, but steps are meaningful only on one goroutine.
type Tracker struct {
	options TrackerOptions

	mu      sync.Mutex
	current *Tracking // nil once stopped
	log     *steps.Log
	device  torch.Device // the measured device, as of the last step
}

// StartTracker starts a Tracker and its first step. [Tracker.Stop] ends it.
// StartTracker panics with a *torch.Error if the device's memory cannot be
// measured, or if Keep is negative or 1.
func StartTracker(opts TrackerOptions) *Tracker {
	if opts.Keep == 0 {
		opts.Keep = 4096
	}
	if opts.Keep < 2 {
		panic(device.Error("StartTracker", torch.ErrValue, "Keep must be 0 or at least 2"))
	}
	if opts.Device == 0 {
		opts.Device = torch.DefaultDevice()
	}
	return &Tracker{options: opts, log: steps.New(opts.Keep), current: StartTrack("", Device(opts.Device))}
}

// Step ends the current step, gives it a name, and begins the next step. It returns
// the usage of the step that ended. The report groups steps with the same name.
// After Stop it records nothing and returns the zero StepUsage.
func (t *Tracker) Step(name string) StepUsage {
	mustBeMade("Tracker.Step", "StartTracker", t != nil && t.log != nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		return StepUsage{}
	}
	ended := t.current
	// Start the new step before the old one ends, so that there is no gap between them.
	t.current = StartTrack("", Device(t.options.Device))
	u := ended.Stop()
	t.device = u.Device
	now, _ := resident()
	return t.usage(t.log.Add(steps.Step{
		Name: name, Start: u.Start, End: u.End, Peak: u.Peak, PeakAllocated: u.PeakAllocated,
		Reserved: Reserved(t.options.Device), Resident: now,
		Allocations: u.Allocations, AllocatedBytes: u.AllocatedBytes, Duration: u.Duration,
	}))
}

// usage converts s to the public type.
func (t *Tracker) usage(s steps.Step) StepUsage {
	return StepUsage{
		Usage: Usage{
			Name: s.Name, Device: t.device, Start: s.Start, End: s.End, Peak: s.Peak, PeakAllocated: s.PeakAllocated,
			Allocations: s.Allocations, AllocatedBytes: s.AllocatedBytes, Duration: s.Duration,
		},
		Step: s.Number, Steps: s.Steps, Reserved: s.Reserved, Resident: s.Resident,
	}
}

// Stop ends the Tracker. It discards the step that has not ended. Later calls do
// nothing.
func (t *Tracker) Stop() {
	mustBeMade("Tracker.Stop", "StartTracker", t != nil && t.log != nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != nil {
		t.current.Stop()
		t.current = nil
	}
}

// Steps returns the records, oldest first.
func (t *Tracker) Steps() []StepUsage {
	mustBeMade("Tracker.Steps", "StartTracker", t != nil && t.log != nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []StepUsage
	for _, s := range t.log.Records() {
		out = append(out, t.usage(s))
	}
	return out
}

// String returns [Tracker.Report].
func (t *Tracker) String() string {
	if t == nil {
		return "<nil>"
	}
	return t.Report()
}

// Report returns a table with a line for each name. A line has the number of steps, the
// highest peak and its step, and the allocations and time per step. It also shows how much
// the live bytes grew from the end of the first step to the end of the last, in total and
// per step.
func (t *Tracker) Report() string {
	mustBeMade("Tracker.Report", "StartTracker", t != nil && t.log != nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.Report(t.options.Device.String())
}

// WriteJSON writes the records as an array of objects, one per line. The numbers are bytes,
// counts and seconds. If a record stands for several steps, "steps" is above 1.
func (t *Tracker) WriteJSON(w io.Writer) error {
	mustBeMade("Tracker.WriteJSON", "StartTracker", t != nil && t.log != nil)
	if w == nil {
		return nilWriterError("Tracker.WriteJSON")
	}
	return steps.WriteJSON(w, t.records())
}

// WriteCSV writes the records as comma-separated values. The header line has the
// names that [Tracker.WriteJSON] uses.
func (t *Tracker) WriteCSV(w io.Writer) error {
	mustBeMade("Tracker.WriteCSV", "StartTracker", t != nil && t.log != nil)
	if w == nil {
		return nilWriterError("Tracker.WriteCSV")
	}
	return steps.WriteCSV(w, t.records())
}

// records returns a copy of the records, so that a slow writer does not block the loop.
func (t *Tracker) records() []steps.Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.log.Records()
}
