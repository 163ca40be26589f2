package cuda

import (
	"runtime"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// captureStreams are the streams on which Graph captures by default, several for each
// device. A pool always uses the same stream, because its memory can be reused only on
// the stream on which it was allocated. One stream for all pools would not work: freeing
// page-locked memory of one capture during another capture on the same stream breaks
// libtorch's bookkeeping.
var captureStreams sync.Map // captureKey -> *Stream

type captureKey struct{ device, number int }

func captureStream(p Pool) *Stream {
	k := captureKey{CurrentDevice().Index(), int((p[0]*31 + p[1]) & 15)}
	if s, ok := captureStreams.Load(k); ok {
		return s.(*Stream)
	}
	s, _ := captureStreams.LoadOrStore(k, NewStream())
	return s.(*Stream)
}

// Graph records into g the work that fn submits to the current stream, without executing
// it. It waits for the device, returns unused memory to the driver, runs fn on a separate
// stream or on the stream of [WithStream], and ends the capture:
//
//	g := cuda.NewCUDAGraph()
//	cuda.Graph(g, func() { y = model.Forward(x) })
//	for batch := range batches {
//		x.Copy_(batch)
//		g.Replay() // y has the result for this batch
//	}
//
// Before that, run fn a few times on a stream, so that libraries are initialized. If fn
// has a backward pass, do this in a [torch.Scope]: a loss that stays open keeps autograd
// nodes that remember that stream.
//
// The Go code of fn runs once. It must not read tensor values or wait for the device:
// that invalidates the capture, and Graph panics with ErrRuntime. Tensors created by fn
// are in memory that only replays write to. They belong to the scope as usual: those that
// you read after a replay must stay open. Page-locked tensors that fn reads or writes
// must stay open too; do not close them while another graph is being recorded. Memory
// that is freed during the capture is reused by later operators of the capture.
//
// If fn panics, the recording is discarded and the panic continues. Graph panics with
// ErrNil for a nil graph or fn, with ErrClosed for a closed graph, and with ErrDevice
// without CUDA. It panics with ErrValue for a graph that has a recording or is being
// recorded, if the current stream is being recorded, and for a default stream. While it
// runs, the goroutine is locked to its thread. Record one graph at a time; see
// [CaptureErrorMode]. Follows the context manager torch.cuda.graph.
func Graph(g *CUDAGraph, fn func(), opts ...GraphOption) {
	const op = "Graph"
	o := readGraph(op, opts)
	if g == nil {
		panic(torch.NewError("cuda."+op, torch.ErrNil, "g", "a nil graph"))
	}
	if fn == nil {
		panic(torch.NilFunc("cuda."+op, "fn"))
	}
	notRecording(op)
	s := o.stream
	if o.pool == (Pool{}) {
		o.pool = GraphPoolHandle()
	}
	if s == nil {
		s = captureStream(o.pool)
	}
	// CUDA requires that the capture begins and ends on the same thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	Synchronize()
	must(op, native.EmptyCache(-1, modes.Current().Pool))
	must(op, native.EmptyHostCache())
	s.Do(func() {
		g.CaptureBegin(o.pool, captureModes[o.mode])
		done := false
		defer func() {
			if !done {
				_ = torch.Try(g.CaptureEnd) // the panic of fn continues
				_ = torch.Try(g.Reset)
			}
		}()
		fn()
		done = true
		g.CaptureEnd()
	})
}

// notRecording panics if the current stream is being captured, since a second capture
// would invalidate the first.
func notRecording(op string) {
	if IsCurrentStreamCapturing() {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "the current stream is already being recorded",
		})
	}
}

func readGraph(op string, opts []GraphOption) (c captureOptions) {
	for _, o := range opts {
		switch o := o.(type) {
		case Pool:
			c.pool = o
		case CaptureErrorMode:
			c.mode = captureMode(op, o)
		case streamOf:
			c.stream = o.s
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	return c
}
