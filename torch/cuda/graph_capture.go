package cuda

import (
	"runtime"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// captureStreams are the streams that Graph records on by itself, a few for each device. A
// pool always has the same one, since its memory can be used again only on the stream that
// it was allocated on. One for all would not do: page-locked memory that a recording used
// and that is freed during another on the same stream breaks what libtorch knows of it.
var captureStreams sync.Map // of a captureKey -> *Stream

type captureKey struct{ device, number int }

func captureStream(p Pool) *Stream {
	k := captureKey{CurrentDevice().Index(), int((p[0]*31 + p[1]) & 15)}
	if s, ok := captureStreams.Load(k); ok {
		return s.(*Stream)
	}
	s, _ := captureStreams.LoadOrStore(k, NewStream())
	return s.(*Stream)
}

// Graph records into g what fn gives to the current stream, and does none of it yet. It
// waits for the device, returns unused memory to the driver, runs fn on a stream of its
// own, or on that of [WithStream], and ends the recording:
//
//	g := cuda.NewCUDAGraph()
//	cuda.Graph(g, func() { y = model.Forward(x) })
//	for batch := range batches {
//		x.Copy_(batch)
//		g.Replay() // y has the result for this batch
//	}
//
// Run fn a few times before, on a stream, so that libraries have set themselves up, and in
// a [torch.Scope] if it has a backward pass: a loss of then that is still open keeps
// nodes of the graph that remember that stream. What fn does in Go is done once. It must
// not read values of tensors or wait for the device, which a recording cannot: that breaks
// it, and Graph panics with ErrRuntime. Tensors that fn makes are in memory that only
// replays write to, and belong to the scope as always: keep those that you read after a
// replay. Page-locked tensors that fn reads or writes have to stay open as well: do not
// close them while another graph is recorded. What is dropped during the recording is
// given to later operators of the recording.
//
// If fn panics, the recording is dropped, and Graph panics with the same. It panics with
// ErrNil for a nil graph or fn, with ErrClosed for a closed graph, with ErrValue if
// something was recorded already, is being recorded, where the current stream is being
// recorded or that to record on is a default one, and with ErrDevice without CUDA. While it runs, the
// goroutine is locked to its thread; one recording at a time is best, see
// [CaptureErrorMode].
// Follows the context manager torch.cuda.graph.
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
	// CUDA wants the beginning and the end on one thread.
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
				_ = torch.Try(g.CaptureEnd) // what fn panicked with counts
				_ = torch.Try(g.Reset)
			}
		}()
		fn()
		done = true
		g.CaptureEnd()
	})
}

// notRecording panics where a second recording would break the one that is under way.
func notRecording(op string) {
	if IsCurrentStreamCapturing() {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the current stream is being recorded already"})
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
