package cuda

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A StreamOption is an option of [NewStream]: [Device] or [Priority].
//
//gotorch:options Device Priority
type StreamOption interface{ streamOption() }

// A DeviceOption selects the device of a function: [Device].
//
//gotorch:options Device
type DeviceOption interface{ deviceOption() }

// An EventOption is an option of [NewEvent]: [EnableTiming], [Blocking] or [Interprocess].
//
//gotorch:options EnableTiming Blocking Interprocess
type EventOption interface{ eventOption() }

// A CUDAGraphOption is an option of [NewCUDAGraph]: [KeepGraph].
//
//gotorch:options KeepGraph
type CUDAGraphOption interface{ cudaGraphOption() }

// A CaptureOption is an option of [CUDAGraph.CaptureBegin]: a [Pool] or a [CaptureErrorMode].
//
//gotorch:options Pool CaptureErrorMode
type CaptureOption interface{ captureOption() }

// A GraphOption is an option of [Graph]: a [Pool], a [CaptureErrorMode] or [WithStream].
//
//gotorch:options Pool CaptureErrorMode streamOf
type GraphOption interface{ graphOption() }

// A GraphedOption is an option of [MakeGraphedCallables]: a [Pool], [NumWarmupIters] or
// [AllowUnusedInput].
//
//gotorch:options Pool NumWarmupIters AllowUnusedInput
type GraphedOption interface{ graphedOption() }

// NumWarmupIters is how often each callable runs before it is recorded; num_warmup_iters
// in Python. The default is 3; a negative number panics with ErrValue.
type NumWarmupIters int

// AllowUnusedInput says whether arguments and parameters that the results do not depend
// on are allowed. They get no gradient. It is allow_unused_input in Python. The default
// is false.
type AllowUnusedInput bool

// KeepGraph says whether to keep the graph in addition to its executable form, so that
// custom CUDA code can change it before Instantiate; keep_graph in Python. The default is
// false.
type KeepGraph bool

// CaptureErrorMode selects which CUDA calls invalidate a capture; capture_error_mode in
// Python.
type CaptureErrorMode string

// A CUDA call that may wait for the device, such as an allocation of page-locked memory,
// can invalidate the capture. The mode selects the threads on which it does. In all
// modes, waiting for a stream that is being captured invalidates the capture.
const (
	CaptureErrorModeGlobal      CaptureErrorMode = "global"       // in any thread; the default
	CaptureErrorModeThreadLocal CaptureErrorMode = "thread_local" // in the recording thread
	CaptureErrorModeRelaxed     CaptureErrorMode = "relaxed"      // in no thread
)

// WithStream is the stream to capture on; stream in Python. The default, and nil, is one
// of the streams that [Graph] keeps for each device.
func WithStream(s *Stream) GraphOption { return streamOf{s} }

type streamOf struct{ s *Stream }

// Device selects the device; device in Python. The default is the current device.
type Device torch.Device

// Priority is the priority of a stream; priority in Python. A lower number is a higher
// priority: -1 is higher than 0, the default. A positive number panics with ErrValue.
type Priority int

// EnableTiming says whether an event records the time, for ElapsedTime, at a small cost;
// enable_timing in Python. The default is false.
type EnableTiming bool

// Blocking says whether a thread that waits for the event sleeps instead of spinning. The
// name in Python is blocking. The default is false.
type Blocking bool

// Interprocess says whether CUDA code in another process can open the event. The name in
// Python is interprocess. Interprocess(true) together with [EnableTiming](true) panics
// with ErrValue. The default is false.
type Interprocess bool

// readDevice returns the device of the last option, or the current device without options.
func readDevice(op string, opts []DeviceOption) torch.Device {
	dev := torch.CUDA
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			dev = torch.Device(o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	return dev
}

// graphedOptions holds the values of the options of MakeGraphedCallables.
type graphedOptions struct {
	pool    Pool
	warmups int
	unused  bool
}

func readGraphed(op string, opts []GraphedOption) graphedOptions {
	g := graphedOptions{warmups: 3}
	for _, o := range opts {
		switch o := o.(type) {
		case Pool:
			g.pool = o
		case NumWarmupIters:
			g.warmups = int(o)
		case AllowUnusedInput:
			g.unused = bool(o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	if g.warmups < 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "NumWarmupIters",
			fmt.Sprintf("expected 0 or more, got %d", g.warmups)))
	}
	return g
}
