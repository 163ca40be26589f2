package profiler

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// A Scope is the kind of function that was called; at::RecordScope.
type Scope int

// These are the scopes of events.
const (
	ScopeFunction         Scope = 0 // an operator, or another function of libtorch
	ScopeBackwardFunction Scope = 1 // a node of the autograd graph
	ScopeUser             Scope = 7 // a region of the program
)

// Event is one call of an operator, one region, or one kernel on a device; FunctionEvent
// in Python. Its fields are read-only.
type Event struct {
	ID   int    // unique within a profile
	Name string // such as "aten::mm"; steps have the name "ProfilerStep*"
	// TraceName is the name in traces. For a step it contains the step number. It is
	// empty for an event that traces show in a different form.
	TraceName string
	// Start and End are times since the recording began.
	Start, End time.Duration
	Thread     uint64 // the number that libtorch gave the thread
	FwdThread  uint64 // for a backward operator, the thread of the forward operator; else 0
	Goroutine  int    // counted from 1 in the order of first calls; 0 for libtorch's own threads
	Scope      Scope
	SequenceNr int64 // the sequence number of the autograd node, or -1 if there is none
	// InputShapes are the shapes of the arguments, empty for arguments that are not
	// tensors. They require RecordShapes.
	InputShapes [][]int64
	// CPUMemoryUsage is the number of bytes allocated minus bytes freed: for an operator
	// on its own thread, for a region on all threads. It requires ProfileMemory.
	CPUMemoryUsage    int64
	DeviceMemoryUsage int64
	Flops             int64 // an estimate, with WithFlops, or 0
	Device            torch.Device
	Kernels           []Kernel // launched by this event, not by its children
	IsUserAnnotation  bool     // whether the event is a region
	// Unfinished reports whether the event had not ended when the recording stopped.
	Unfinished bool

	// CPUParent is the event that called this one, or nil. CPUChildren are the events
	// that it called. Events on other threads and devices are not linked.
	CPUParent   *Event
	CPUChildren []*Event

	inputs int64 // offset of the arguments in the recording, or -1
	tid    int64 // the system's ID of the thread
	stack  trace.ID
	lines  []string // used instead of stack if the event was read from a file
	lane   int      // the index of the event's lane, which is a goroutine or thread
	module bool
	device *deviceEvent
}

// Kernel is the device work that an event launched.
type Kernel struct {
	Name     string
	Device   int
	Duration time.Duration
}

// CPUTimeTotal returns the CPU time, or 0 for a device event; cpu_time_total in Python.
func (e *Event) CPUTimeTotal() time.Duration {
	must(e != nil, "Event", "CPUTimeTotal")
	if !e.Device.IsCPU() {
		return 0
	}
	return e.End - e.Start
}

// SelfCPUTimeTotal returns CPUTimeTotal minus the children's CPUTimeTotal;
// self_cpu_time_total in Python.
func (e *Event) SelfCPUTimeTotal() time.Duration {
	must(e != nil, "Event", "SelfCPUTimeTotal")
	t := e.CPUTimeTotal()
	for _, c := range e.CPUChildren {
		t -= c.CPUTimeTotal()
	}
	return t
}

// DeviceTimeTotal returns the time of the kernels that the event and its children
// launched. For a device event it is the event's own time. device_time_total in Python.
func (e *Event) DeviceTimeTotal() time.Duration {
	must(e != nil, "Event", "DeviceTimeTotal")
	if !e.Device.IsCPU() {
		return e.End - e.Start
	}
	t := e.SelfDeviceTimeTotal()
	for _, c := range e.CPUChildren {
		t += c.DeviceTimeTotal()
	}
	return t
}

// SelfDeviceTimeTotal returns DeviceTimeTotal without the kernels of the children;
// self_device_time_total in Python.
func (e *Event) SelfDeviceTimeTotal() time.Duration {
	must(e != nil, "Event", "SelfDeviceTimeTotal")
	if !e.Device.IsCPU() {
		return e.End - e.Start
	}
	var t time.Duration
	for _, k := range e.Kernels {
		t += k.Duration
	}
	return t
}

// SelfCPUMemoryUsage returns CPUMemoryUsage minus the children's CPUMemoryUsage;
// self_cpu_memory_usage in Python.
func (e *Event) SelfCPUMemoryUsage() int64 {
	must(e != nil, "Event", "SelfCPUMemoryUsage")
	if !e.Device.IsCPU() {
		return 0
	}
	n := e.CPUMemoryUsage
	for _, c := range e.CPUChildren {
		n -= c.CPUMemoryUsage
	}
	return n
}

// SelfDeviceMemoryUsage returns DeviceMemoryUsage minus the children's DeviceMemoryUsage;
// self_device_memory_usage in Python.
func (e *Event) SelfDeviceMemoryUsage() int64 {
	must(e != nil, "Event", "SelfDeviceMemoryUsage")
	if !e.Device.IsCPU() {
		return 0
	}
	n := e.DeviceMemoryUsage
	for _, c := range e.CPUChildren {
		n -= c.DeviceMemoryUsage
	}
	return n
}

// Frames returns the event's stack, innermost first, including the frames of this
// library. It returns nil without WithStack. It looks up symbols on each call.
func (e *Event) Frames() []runtime.Frame {
	must(e != nil, "Event", "Frames")
	return trace.Frames(e.stack)
}

// Stack returns the event's stack, innermost first, with entries such as "file.go(12):
// package.Function". It returns nil without WithStack. It omits the frames of package
// torch and of internal packages, but not the frames of layers and optimizers. stack in
// Python.
func (e *Event) Stack() []string {
	must(e != nil, "Event", "Stack")
	if e.lines != nil {
		return e.lines
	}
	return stackOf(e.stack)
}

// String describes the event as Python's repr does.
func (e *Event) String() string {
	if e == nil {
		return "<nil>"
	}
	ids := make([]string, len(e.CPUChildren))
	for i, c := range e.CPUChildren {
		ids[i] = fmt.Sprint(c.ID)
	}
	return fmt.Sprintf("<FunctionEvent id=%d name=%s device_type=%v cpu_time=%s start_us=%v end_us=%v "+
		"cpu_children=[%s] thread=%d input_shapes=%s cpu_memory_usage=%d seq_nr=%d>",
		e.ID, plain.Text(e.Name), e.Device, formatTime(e.CPUTimeTotal()), micros(e.Start), micros(e.End),
		strings.Join(ids, ", "), e.Thread, formatShapes(e.InputShapes), e.CPUMemoryUsage, e.SequenceNr)
}

func micros(d time.Duration) float64 { return float64(d) / 1000 }
