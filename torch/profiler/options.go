package profiler

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// An Activity is a kind of work that a profile records; torch.profiler.ProfilerActivity.
type Activity int

// These are the activities.
const (
	CPU  Activity = iota // operators and regions on the CPU
	CUDA                 // kernels and copies on CUDA devices
)

// String returns the name of the activity, such as "CPU".
func (a Activity) String() string {
	switch a {
	case CPU:
		return "CPU"
	case CUDA:
		return "CUDA"
	}
	return fmt.Sprintf("Activity(%d)", int(a))
}

// An Option configures a profile: [Activities], [RecordShapes], [ProfileMemory],
// [WithStack], [WithFlops], [WithModules], [Schedule], [OnTraceReady], [AccEvents] or
// [MemoryLimit].
//
//gotorch:options MemoryLimit Activities RecordShapes ProfileMemory WithStack WithFlops WithModules
//gotorch:options Schedule OnTraceReady AccEvents
type Option interface{ option() }

// Activities are the kinds of work to record; activities in Python. The default is only
// CPU; Python adds CUDA if there is a device. If devices cannot be recorded, because
// there is none or CUPTI fails, Start only warns, unless CUDA is the only activity: then
// it returns an error. An empty list or an unknown activity causes ErrValue.
type Activities []Activity

// RecordShapes records the shapes and dtypes of tensor arguments, and numeric arguments;
// record_shapes in Python. The default is false.
type RecordShapes bool

// ProfileMemory records the memory that operators allocate and free; profile_memory in
// Python. The default is false.
type ProfileMemory bool

// WithStack records the Go lines that called each operator; with_stack in Python. For an
// operator of a backward pass, these are the lines of its forward operator. The default
// is false.
type WithStack bool

// WithFlops estimates the floating-point operations of matrix products, convolutions,
// additions and multiplications with PyTorch's formulas; with_flops in Python. It also
// records shapes. The default is false.
type WithFlops bool

// WithModules records the forward passes of modules as regions, such as "nn.Module:
// Linear_0". Traces and pages show them, tables do not. In Python it is with_modules, and
// only supports TorchScript modules. The default is false.
type WithModules bool

// OnTraceReady is called at the end of every cycle of the schedule, on the goroutine that
// calls Step or Stop. Without a schedule, Stop calls it. Step and Stop return its error.
// The default is nil, no function. on_trace_ready in Python.
type OnTraceReady func(p *Profile) error

// AccEvents keeps the events of earlier cycles in Events and KeyAverages; acc_events in
// Python. Traces always cover only the last cycle. The default is false.
type AccEvents bool

// MemoryLimit is the number of bytes that the recording of a cycle may take: about 100
// for each operator, and more with shapes or memory. When the limit is reached, later
// events are not recorded, and [Profile.Truncated] returns true. Processing the
// recording, in Stop and later, takes about ten times as much memory. The default is 0,
// no limit. Python has no such option.
type MemoryLimit int64

type config struct {
	made        bool // whether NewProfile or Run made the profile
	cpu, cuda   bool
	kernels     bool // whether CUDA kernels are recorded
	given       bool // whether Activities was passed
	shapes      bool
	memory      bool
	stack       bool
	flops       bool
	modules     bool
	acc         bool
	schedule    Schedule
	hasSchedule bool
	ready       OnTraceReady
	limit       int64
}

func readOptions(op string, opts []Option) config {
	c := config{made: true, cpu: true}
	for _, o := range opts {
		switch o := o.(type) {
		case Activities:
			c.activities(op, o)
		case RecordShapes:
			c.shapes = bool(o)
		case ProfileMemory:
			c.memory = bool(o)
		case WithStack:
			c.stack = bool(o)
		case WithFlops:
			c.flops = bool(o)
		case WithModules:
			c.modules = bool(o)
		case Schedule:
			c.schedule, c.hasSchedule = o, o != nil
		case OnTraceReady:
			c.ready = o
		case AccEvents:
			c.acc = bool(o)
		case MemoryLimit:
			if o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "MemoryLimit",
					fmt.Sprintf("expected 0 or more bytes, got %d", o)))
			}
			c.limit = int64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	c.shapes = c.shapes || c.flops
	return c
}

func (c *config) activities(op string, as Activities) {
	if len(as) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "Activities", "expected at least one of CPU and CUDA, got none"))
	}
	c.cpu, c.cuda, c.given = false, false, true
	for _, a := range as {
		switch a {
		case CPU:
			c.cpu = true
		case CUDA:
			c.cuda = true
		default:
			panic(torch.NewError(op, torch.ErrValue, "Activities", fmt.Sprintf("expected CPU or CUDA, got %v", a)))
		}
	}
}
