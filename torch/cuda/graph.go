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
	"github.com/gotorch/gotorch/torch"
)

// CUDAGraph is a recording of work on a device that can be given to a stream again, as a
// whole and in microseconds. [Graph] records one. Replay reads and writes the memory that
// the recorded operators used: their tensors have to stay, and new inputs are copied into
// the old ones. Several goroutines may call its methods, one at a time.
//
// Close gives the graph back, otherwise the collector does.
// Follows torch.cuda.CUDAGraph.
type CUDAGraph struct {
	mu        sync.Mutex
	raw       native.Graph // 0 once closed
	free      func()       // frees raw
	cleanup   runtime.Cleanup
	pool      Pool // of the last recording
	keep      bool
	has       bool // a recording
	recording *recording
}

// A recording that is under way.
type recording struct {
	stream    native.Stream
	goroutine uintptr
}

// NewCUDAGraph returns a graph with nothing recorded. It panics with ErrDevice without
// CUDA, and with ErrNil for a nil option. Follows torch.cuda.CUDAGraph.
func NewCUDAGraph(opts ...CUDAGraphOption) *CUDAGraph {
	const op = "NewCUDAGraph"
	g := &CUDAGraph{}
	for _, o := range opts {
		switch o := o.(type) {
		case KeepGraph:
			g.keep = bool(o)
		default:
			panic(torch.BadOption("cuda."+op, o))
		}
	}
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

// lock checks that the graph is there, and whether it is being recorded.
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

// needs panics unless something was recorded.
func (g *CUDAGraph) needs(op string) {
	if !g.has {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "nothing was recorded"})
	}
}

// CaptureBegin starts to record what the current stream is given, which must not be its
// device's default stream, and what other streams are that wait for it meanwhile. Nothing
// of it is done yet. Memory comes from a pool that only this graph uses, or from the
// option [Pool]. Until CaptureEnd the goroutine is locked to its thread, since CUDA wants
// both calls on one; most programs use [Graph], which calls both.
//
// It panics with ErrClosed for a closed graph, with ErrValue if something was recorded
// already (see Reset), is being recorded, for an unknown [CaptureErrorMode], for a pool
// whose graphs are gone while tensors are in it, or on a default stream, and with
// ErrRuntime if CUDA refuses.
// Follows torch.cuda.CUDAGraph.capture_begin.
func (g *CUDAGraph) CaptureBegin(opts ...CaptureOption) {
	const op = "CUDAGraph.CaptureBegin"
	o := readCapture(op, opts)
	g.lock(op, false)
	defer g.mu.Unlock()
	if g.has {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "something was recorded already; Reset makes the graph as new"})
	}
	s := CurrentStream()
	if s.Equal(DefaultStream()) {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "the current stream is the default stream, which cannot be recorded; record inside Stream.Do"})
	}
	notRecording(op)
	pool := o.pool
	if pool == (Pool{}) {
		pool = GraphPoolHandle()
	} else {
		// What is left of a pool that was given up goes, so that it can be used again.
		must(op, native.EmptyCache(-1, modes.Current().Pool))
		must(op, native.EmptyHostCache())
	}
	runtime.LockOSThread()
	if err := g.raw.Begin(s.s, pool.raw(), o.mode); err != nil {
		runtime.UnlockOSThread()
		if strings.Contains(err.Message, "use_count > 0") {
			panic(torch.NewError("cuda."+op, torch.ErrValue, "Pool", "all graphs that used the pool are gone, but tensors are still in it; use a new one"))
		}
		must(op, err)
	}
	g.pool, g.recording = pool, &recording{s.s, goroutine.ID()}
}

// CaptureEnd ends CaptureBegin; the graph can be replayed then. If the recording was
// broken meanwhile, by an operator that waits for the device, say, it panics with
// ErrRuntime, and the graph is as new. It panics with ErrValue if the graph is not being
// recorded, or by another goroutine. Follows torch.cuda.CUDAGraph.capture_end.
func (g *CUDAGraph) CaptureEnd() {
	const op = "CUDAGraph.CaptureEnd"
	g.lock(op, true)
	defer g.mu.Unlock()
	if g.recording.goroutine != goroutine.ID() {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "another goroutine began to record"})
	}
	s := g.recording.stream
	g.recording = nil
	err := g.raw.End(s)
	runtime.UnlockOSThread()
	must(op, err)
	g.has = true
}

// Instantiate prepares the launch of a graph that was made with KeepGraph(true), as the
// first Replay does otherwise. It panics with ErrClosed, and with ErrValue if nothing was
// recorded or the graph does not keep it.
// Follows torch.cuda.CUDAGraph.instantiate.
func (g *CUDAGraph) Instantiate() {
	const op = "CUDAGraph.Instantiate"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	if !g.keep {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "only a graph made with KeepGraph(true) can be instantiated again"})
	}
	must(op, g.raw.Instantiate())
}

// Replay gives the current stream all that was recorded. It does not wait. It panics with
// ErrClosed, with ErrValue if nothing was recorded, and with ErrRuntime if CUDA refuses.
// Follows torch.cuda.CUDAGraph.replay.
func (g *CUDAGraph) Replay() {
	const op = "CUDAGraph.Replay"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	must(op, g.raw.Replay(CurrentStream().s))
}

// Reset forgets what was recorded, and gives up the pool: its memory is returned once no
// tensor is in it. It panics with ErrClosed, and with ErrValue while the graph is being
// recorded. Follows torch.cuda.CUDAGraph.reset.
func (g *CUDAGraph) Reset() {
	const op = "CUDAGraph.Reset"
	g.lock(op, false)
	defer g.mu.Unlock()
	must(op, g.raw.Reset())
	g.has, g.pool = false, Pool{}
}

// Pool returns the pool that the graph's memory is in, for other graphs to use. Graphs
// that share a pool have to be replayed in the order in which they were recorded, and
// never side by side. It panics with ErrClosed, and with ErrValue if nothing was recorded.
// Follows torch.cuda.CUDAGraph.pool.
func (g *CUDAGraph) Pool() Pool {
	const op = "CUDAGraph.Pool"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	return g.pool
}

// DebugDump writes what was recorded to a file, in the language of Graphviz, of a graph
// that was made with KeepGraph(true). The error is a *torch.Error: of kind ErrClosed, of
// kind ErrValue if nothing was recorded or the graph does not keep it, else what CUDA
// says. Follows torch.cuda.CUDAGraph.debug_dump.
func (g *CUDAGraph) DebugDump(path string) error {
	const op = "CUDAGraph.DebugDump"
	return torch.Try(func() {
		g.lock(op, false)
		defer g.mu.Unlock()
		g.needs(op)
		if !g.keep {
			panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "only a graph made with KeepGraph(true) can be written"})
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil { // CUDA's own error is a warning
			panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrRuntime, Message: err.Error()})
		}
		must(op, g.raw.Dump(path))
	})
}

// RawCUDAGraph returns the driver's cudaGraph_t of a graph that was made with
// KeepGraph(true), for CUDA code of the program's own. It is valid until Reset or Close. It
// panics with ErrClosed, with ErrValue if nothing was recorded or the graph does not keep
// it. Follows torch.cuda.CUDAGraph.raw_cuda_graph.
func (g *CUDAGraph) RawCUDAGraph() uintptr {
	const op = "CUDAGraph.RawCUDAGraph"
	g.lock(op, false)
	defer g.mu.Unlock()
	g.needs(op)
	if !g.keep {
		panic(&torch.Error{Op: "cuda." + op, Kind: torch.ErrValue, Message: "only a graph made with KeepGraph(true) has it"})
	}
	raw, err := g.raw.Raw()
	must(op, err)
	return raw
}

// RegisterGeneratorState has each replay draw new numbers from gen, as it does by itself
// from the device's default generator. To be called before the graph is recorded. It
// panics with ErrClosed, with ErrNil for a nil generator, and with ErrDevice for one that
// is not of a CUDA device. Follows torch.cuda.CUDAGraph.register_generator_state.
func (g *CUDAGraph) RegisterGeneratorState(gen *torch.Generator) {
	const op = "CUDAGraph.RegisterGeneratorState"
	if gen.Handle() == 0 {
		panic(torch.NewError("cuda."+op, torch.ErrNil, "gen", "a nil or zero *Generator"))
	}
	if d := gen.Device(); !d.IsCUDA() {
		panic(torch.NewError("cuda."+op, torch.ErrDevice, "gen", fmt.Sprintf("expected a generator of a CUDA device, got one of %s", d)))
	}
	g.lock(op, false)
	defer g.mu.Unlock()
	must(op, g.raw.Generator(gen.Handle()))
	runtime.KeepAlive(gen)
}

// Close gives the graph back. It returns an error of kind ErrValue while the graph is
// being recorded. Closing twice, or nil, does nothing.
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

// Pool is the number of a pool of memory that graphs share, and an option of CaptureBegin
// and [Graph]. Pool(p.ID()) is the pool of a memory.MemPool. The
// zero Pool is one of the graph's own.
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

// IsCurrentStreamCapturing reports whether what the current stream is given is being
// recorded. Without CUDA it is false. Follows torch.cuda.is_current_stream_capturing.
func IsCurrentStreamCapturing() bool {
	if !native.Loaded() {
		return false
	}
	c, err := CurrentStream().s.Capturing()
	must("IsCurrentStreamCapturing", err)
	return c != 0
}

// captureOptions are what the options of a recording say.
type captureOptions struct {
	pool   Pool
	mode   int
	stream *Stream
}

var captureModes = []CaptureErrorMode{CaptureErrorModeGlobal, CaptureErrorModeThreadLocal, CaptureErrorModeRelaxed}

func captureMode(op string, m CaptureErrorMode) int {
	i := slices.Index(captureModes, m)
	if i < 0 {
		panic(torch.NewError("cuda."+op, torch.ErrValue, "CaptureErrorMode", fmt.Sprintf("expected global, thread_local or relaxed, got %q", string(m))))
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
