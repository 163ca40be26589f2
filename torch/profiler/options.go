package profiler

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// An Activity is what a profile looks at; torch.profiler.ProfilerActivity.
type Activity int

// The activities.
const (
	CPU  Activity = iota // operators and regions, as the CPU runs them
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

// An Option says what a profile records: [Activities], [RecordShapes], [ProfileMemory],
// [WithStack], [WithFlops], [WithModules], a [Schedule], [OnTraceReady], [AccEvents].
//
//gotorch:options MemoryLimit Activities RecordShapes ProfileMemory WithStack WithFlops WithModules
//gotorch:options Schedule OnTraceReady AccEvents
type Option interface{ option() }

// Activities are what to look at; activities in Python. The default is CPU alone, where
// Python adds CUDA if there is a device. Where devices cannot be recorded, since there is
// none or CUPTI refuses, CUDA beside CPU gives a warning and CUDA alone is an error of
// Start. None, or one that does not exist, is ErrValue.
type Activities []Activity

// RecordShapes keeps the shapes and dtypes of arguments, and numbers among them;
// record_shapes in Python. The default is false.
type RecordShapes bool

// ProfileMemory keeps what operators allocate and free; profile_memory in Python. The
// default is false.
type ProfileMemory bool

// WithStack keeps the lines of Go that called each operator; with_stack in Python, which
// keeps lines of Python. Operators of a backward pass have those of the forward operator
// whose gradient they compute. The default is false.
type WithStack bool

// WithFlops estimates the operations of matrix products, convolutions, additions and
// multiplications, by PyTorch's formulas; with_flops in Python. It records shapes as well.
// The default is false.
type WithFlops bool

// WithModules keeps the forward passes of modules as regions of traces and pages, such as
// "nn.Module: Linear_0", and tables are as without it; with_modules in Python, which knows
// modules of TorchScript only. The default is false.
type WithModules bool

// OnTraceReady is called at the end of every cycle of the schedule, and without one in
// Stop, on the goroutine that calls Step or Stop; on_trace_ready in Python. Step and Stop
// return its error. The default is nil, no function.
type OnTraceReady func(p *Profile) error

// AccEvents keeps the events of earlier cycles in Events and KeyAverages; acc_events in
// Python. Traces are those of the last cycle in any case. The default is false.
type AccEvents bool

// MemoryLimit is how many bytes of memory a cycle's recording may take, 100 for each operator
// and more with shapes or memory. From then on it leaves out what begins, and [Profile.Truncated]
// says so. What is made of the recording in Stop and after it takes about ten times as much. The
// default is 0, no limit. Python has none.
type MemoryLimit int64

type config struct {
	made        bool // by NewProfile or Run
	cpu, cuda   bool
	kernels     bool // of CUDA are recorded
	given       bool // activities
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
				panic(torch.NewError(op, torch.ErrValue, "MemoryLimit", fmt.Sprintf("expected bytes, 0 or more, got %d", o)))
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
