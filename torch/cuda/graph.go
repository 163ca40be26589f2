package cuda

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// CUDAGraph is a recording of work on a device. Replay submits the whole recording to a
// stream in microseconds. [Graph] records a graph. Replay reads and writes the memory
// that the recorded operators used: their tensors must stay open, and you must copy new
// inputs into the old ones. Its methods may be called on several goroutines, but not
// concurrently.
//
// Close frees the graph; otherwise the garbage collector does. Follows
// torch.cuda.CUDAGraph.
type CUDAGraph struct {
	mu        sync.Mutex
	raw       native.Graph // 0 once closed
	free      func()       // frees raw
	cleanup   runtime.Cleanup
	pool      Pool // the pool of the last recording
	keep      bool
	has       bool // whether the graph has a recording
	recording *recording
}

// recording is a recording in progress.
type recording struct {
	stream    native.Stream
	goroutine uintptr
}

// NewCUDAGraph returns an empty graph. It panics with ErrDevice without CUDA, and with
// ErrNil for a nil option. Follows torch.cuda.CUDAGraph.
func NewCUDAGraph(opts ...CUDAGraphOption) *CUDAGraph {
	const op = "NewCUDAGraph"
	g := &CUDAGraph{keep: bool(opt.Read("cuda."+op, opts, KeepGraph(false)))}
	require(op, torch.CUDA)
	raw, err := native.NewGraph(g.keep)
	must(op, err)
	g.raw = raw
	object := named.Made(named.CapturedGraphs)
	g.free = func() {
		native.FreeGraph(raw)
		object.Gone()
	}
	g.cleanup = runtime.AddCleanup(g, func(free func()) { free() }, g.free)
	return g
}

// lock locks the graph. It panics if the graph is nil or closed. It also panics unless
// recorded says correctly whether a capture of the graph is in progress.
func (g *CUDAGraph) lock(op string, recorded bool) {
	if g == nil {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrNil, Message: "the graph is nil"})
	}
	g.mu.Lock()
	var e *torch.Error
	switch {
	case g.raw == 0:
		e = &torch.Error{Op: "cuda." + op, Kind: torch.ErrClosed, Message: "the graph is closed"}
	case recorded && g.recording == nil:
		e = &torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the graph is not being recorded"}
	case !recorded && g.recording != nil:
		e = &torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the graph is being recorded"}
	}
	if e != nil {
		g.mu.Unlock()
		panic(e)
	}
}

// needs panics with ErrValue unless the graph has a finished recording.
func (g *CUDAGraph) needs(op string) {
	if !g.has {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the graph has no recording"})
	}
}

// CaptureBegin starts to capture the work submitted to the current stream, and to other
// streams that wait for it. The current stream must not be the default stream of its
// device. The work is not executed. Memory comes from a private pool of the graph, or
// from the [Pool] option. Until CaptureEnd the goroutine is locked to its thread, because
// CUDA requires both calls on the same thread. Most programs use [Graph], which calls
// both.
//
// It panics with ErrClosed for a closed graph, and with ErrRuntime if CUDA reports an
// error. It panics with ErrValue on a default stream, for a graph that has a recording
// (see Reset) or is being recorded, for an unknown [CaptureErrorMode], and for a pool
// that has tensors but no graphs. Follows torch.cuda.CUDAGraph.capture_begin.
func (g *CUDAGraph) CaptureBegin(opts ...CaptureOption) {
	const op = "CUDAGraph.CaptureBegin"
	o := readCapture(op, opts)
	g.lock(op, false)
	defer g.mu.Unlock()
	if g.has {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "the graph already has a recording; call Reset first",
		})
	}
	s := CurrentStream()
	if s.Equal(DefaultStream()) {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "the current stream is the default stream, which cannot be recorded; record inside Stream.Do",
		})
	}
	notRecording(op)
	pool := o.pool
	if pool == (Pool{}) {
		pool = GraphPoolHandle()
	} else {
		// Free the remaining memory of a released pool, so that the pool can be used
		// again.
		must(op, native.EmptyCache(-1, modes.Current().Pool))
		must(op, native.EmptyHostCache())
	}
	runtime.LockOSThread()
	if err := g.raw.Begin(s.s, pool.raw(), o.mode); err != nil {
		runtime.UnlockOSThread()
		if strings.Contains(err.Message, "use_count > 0") {
			panic(torch.NewError("cuda."+op, torch.ErrValue, "Pool",
				"all graphs that used the pool are gone, but tensors are still in it; use a new pool"))
		}
		must(op, err)
	}
	g.pool, g.recording = pool, &recording{s.s, goroutine.ID()}
}

// CaptureEnd ends the capture that CaptureBegin started. The graph can then be replayed.
// If the capture was invalidated, for example by an operator that waits for the device,
// it panics with ErrRuntime, and the graph is empty. It panics with ErrValue if the graph
// is not being recorded, or is being recorded by another goroutine. Follows
// torch.cuda.CUDAGraph.capture_end.
func (g *CUDAGraph) CaptureEnd() {
	const op = "CUDAGraph.CaptureEnd"
	g.lock(op, true)
	defer g.mu.Unlock()
	if g.recording.goroutine != goroutine.ID() {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "another goroutine called CaptureBegin"})
	}
	s := g.recording.stream
	g.recording = nil
	err := g.raw.End(s)
	runtime.UnlockOSThread()
	must(op, err)
	g.has = true
}

// Instantiate prepares a graph made with KeepGraph(true) for its launch; otherwise the
// first Replay does so. It panics with ErrClosed for a closed graph, and with ErrValue
// if the graph has no recording or was made without KeepGraph. Follows
// torch.cuda.CUDAGraph.instantiate.
func (g *CUDAGraph) Instantiate() {
	const op = "CUDAGraph.Instantiate"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	if !g.keep {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "only a graph made with KeepGraph(true) can be instantiated again",
		})
	}
	must(op, g.raw.Instantiate())
}

// Replay submits all recorded work to the current stream, and does not wait for it. It
// panics with ErrClosed for a closed graph, with ErrValue if the graph has no recording,
// and with ErrRuntime if CUDA reports an error. Follows torch.cuda.CUDAGraph.replay.
func (g *CUDAGraph) Replay() {
	const op = "CUDAGraph.Replay"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	must(op, g.raw.Replay(CurrentStream().s))
}

// Reset deletes the recording and releases the pool. The memory of the pool is returned
// once it contains no tensor. It panics with ErrClosed for a closed graph, and with
// ErrValue while the graph is being recorded. Follows torch.cuda.CUDAGraph.reset.
func (g *CUDAGraph) Reset() {
	const op = "CUDAGraph.Reset"
	g.lock(op, false)
	defer g.mu.Unlock()
	must(op, g.raw.Reset())
	g.has, g.pool = false, Pool{}
}

// Pool returns the graph's memory pool, for other graphs to use. Graphs that share a pool
// must be replayed in the order in which they were recorded, and never concurrently. It
// panics with ErrClosed for a closed graph, and with ErrValue if the graph has no
// recording. Follows torch.cuda.CUDAGraph.pool.
func (g *CUDAGraph) Pool() Pool {
	const op = "CUDAGraph.Pool"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	return g.pool
}

// DebugDump writes the recording of a graph made with KeepGraph(true) to a file, in
// Graphviz format. The error is a *torch.Error: ErrClosed for a closed graph, ErrValue
// if the graph has no recording or was made without KeepGraph, or CUDA's error. Follows
// torch.cuda.CUDAGraph.debug_dump.
func (g *CUDAGraph) DebugDump(path string) error {
	const op = "CUDAGraph.DebugDump"
	return torch.Try(func() {
		g.lock(op, false)
		defer g.mu.Unlock()
		g.needs(op)
		if !g.keep {
			panic(&torch.Error{
				Op: "cuda." + op, Kind: torch.ErrValue,
				Message: "only a graph made with KeepGraph(true) can be written",
			})
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil { // CUDA would only print a warning
			panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrRuntime, Message: err.Error()})
		}
		must(op, g.raw.Dump(path))
	})
}

// RawCUDAGraph returns the driver's cudaGraph_t of a graph made with KeepGraph(true), for
// custom CUDA code. It is valid until Reset or Close. It panics with ErrClosed for a
// closed graph, and with ErrValue if the graph has no recording or was made without
// KeepGraph. Follows torch.cuda.CUDAGraph.raw_cuda_graph.
func (g *CUDAGraph) RawCUDAGraph() uintptr {
	const op = "CUDAGraph.RawCUDAGraph"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	if !g.keep {
		panic(&torch.Error{
			Op: "cuda." + op, Kind: torch.ErrValue,
			Message: "only a graph made with KeepGraph(true) has a cudaGraph_t",
		})
	}
	raw, err := g.raw.Raw()
	must(op, err)
	return raw
}

// RegisterGeneratorState makes each replay draw new random numbers from gen, as it does
// from the device's default generator. Call it before recording. It panics with ErrClosed
// for a closed graph, with ErrNil for a nil generator, and with ErrDevice for a generator
// that does not belong to a CUDA device. Follows
// torch.cuda.CUDAGraph.register_generator_state.
func (g *CUDAGraph) RegisterGeneratorState(gen *torch.Generator) {
	const op = "CUDAGraph.RegisterGeneratorState"
	if gen.Handle() == 0 {
		panic(torch.NewError("cuda."+op, torch.ErrNil, "gen", "a nil or zero *Generator"))
	}
	if d := gen.Device(); !d.IsCUDA() {
		panic(torch.NewError("cuda."+op, torch.ErrDevice, "gen",
			fmt.Sprintf("expected a generator of a CUDA device, got one of %s", d)))
	}
	g.lock(op, false)
	defer g.mu.Unlock()
	must(op, g.raw.Generator(gen.Handle()))
	runtime.KeepAlive(gen)
}

// Close frees the graph. It returns an error of kind ErrValue while the graph is being
// recorded. Closing twice, or closing nil, does nothing.
func (g *CUDAGraph) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.recording != nil {
		return &torch.Error{Op: "cuda.CUDAGraph.Close", Kind: torch.ErrValue, Message: "the graph is being recorded"}
	}
	if g.raw != 0 {
		g.cleanup.Stop()
		g.free()
		g.raw, g.has = 0, false
	}
	return nil
}

// Pool identifies a memory pool that graphs may share. It is an option of CaptureBegin
// and [Graph]. Pool(p.ID()) is the pool of a memory.MemPool. The zero Pool stands for a
// private pool.
type Pool [2]int64

func (p Pool) raw() native.Pool { return native.Pool{A: uint64(p[0]), B: uint64(p[1])} }

// GraphPoolHandle returns a pool that no graph uses yet. It panics with ErrDevice without
// CUDA. Follows torch.cuda.graph_pool_handle.
func GraphPoolHandle() Pool {
	require("GraphPoolHandle", torch.CUDA)
	p, err := native.GraphPool()
	must("GraphPoolHandle", err)
	return Pool{int64(p.A), int64(p.B)}
}

// IsCurrentStreamCapturing reports whether work submitted to the current stream is being
// captured. Without CUDA it returns false. Follows
// torch.cuda.is_current_stream_capturing.
func IsCurrentStreamCapturing() bool {
	if !native.Loaded() {
		return false
	}
	c, err := CurrentStream().s.Capturing()
	must("IsCurrentStreamCapturing", err)
	return c != 0
}

// captureOptions holds the values of a capture's options.
type captureOptions struct {
	pool   Pool
	mode   int
	stream *Stream
}

var captureModes = []CaptureErrorMode{CaptureErrorModeGlobal, CaptureErrorModeThreadLocal, CaptureErrorModeRelaxed}

func captureMode(op string, m CaptureErrorMode) int {
	i := slices.Index(captureModes, m)
	if i < 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "CaptureErrorMode",
			fmt.Sprintf("expected global, thread_local or relaxed, got %q", string(m))))
	}
	return i
}

func readCapture(op string, opts []CaptureOption) (c captureOptions) {
	for _, o := range opts {
		switch o := o.(type) {
		case Pool:
			c.pool = o
		case CaptureErrorMode:
			c.mode = captureMode(op, o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
	return c
}
