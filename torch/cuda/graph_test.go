package cuda_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// pinned returns x in page-locked memory, which stays allocated until the test ends. The
// garbage collector must not free such memory while a later test records a graph.
func pinned(t *testing.T, x *torch.Tensor) *torch.Tensor {
	p := x.PinMemory()
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// A replay repeats the recorded work in order, and reads the current contents of the inputs.
func TestCUDAGraphReplays(t *testing.T) {
	dev := needCUDA(t)
	in := pinned(t, torch.Arange(0, 1000, 1, torch.Float32))
	out := pinned(t, torch.Zeros(torch.Shape{1000}))
	x := torch.Zeros(torch.Shape{1000}, dev)
	g := cuda.NewCUDAGraph()
	var y *torch.Tensor
	assert.False(t, cuda.IsCurrentStreamCapturing())
	cuda.Graph(g, func() {
		assert.True(t, cuda.IsCurrentStreamCapturing())
		x.Copy_(in, torch.NonBlocking(true))
		y = torch.Empty(torch.Shape{1000}, dev)
		y.Copy_(x)
		out.Copy_(y, torch.NonBlocking(true))
	})
	assert.False(t, cuda.IsCurrentStreamCapturing())
	cuda.Synchronize()
	assert.Zero(t, out.Float32s()[1], "recorded and not done")
	for _, first := range []float64{1, 7} {
		in.Fill_(first)
		g.Replay()
		if simulated() {
			assert.False(t, cuda.CurrentStream().Query(), "replays do not wait")
		}
		cuda.Synchronize()
		assert.EqualValues(t, first, out.Float32s()[999])
		assert.EqualValues(t, first, y.CPU().Float32s()[0], "tensors made inside have the result too")
	}
	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	require.ErrorIs(t, torch.Try(g.Replay), torch.ErrClosed)
}

// Work on a second stream is recorded if events order it after the start and before the
// end of the recording.
func TestCUDAGraphForks(t *testing.T) {
	dev := needCUDA(t)
	in := pinned(t, torch.Ones(torch.Shape{100}))
	x, y := torch.Empty(torch.Shape{100}, dev), torch.Empty(torch.Shape{100}, dev)
	g, side := cuda.NewCUDAGraph(), cuda.NewStream()
	cuda.Graph(g, func() {
		main := cuda.CurrentStream()
		side.WaitStream(main)
		side.Do(func() { y.Copy_(in, torch.NonBlocking(true)) })
		x.Copy_(in, torch.NonBlocking(true))
		main.WaitStream(side)
	})
	g.Replay()
	assert.Equal(t, in.Float32s(), x.CPU().Float32s())
	assert.Equal(t, in.Float32s(), y.CPU().Float32s())
	require.NoError(t, g.Close())
}

// A failed recording returns an error that names the cause. Afterwards the graph can record
// again, generators can draw, and memory is freed.
func TestCUDAGraphBreaks(t *testing.T) {
	dev := needCUDA(t)
	in := pinned(t, torch.Ones(torch.Shape{100}))
	x := torch.Empty(torch.Shape{100}, dev)
	done := cuda.NewEvent()
	done.Record(cuda.CurrentStream())
	side := cuda.NewStream()
	memory.Clear()
	before := memory.Stats(dev).AllocatedBytes.All.Current
	g := cuda.NewCUDAGraph()
	for name, fn := range map[string]func(){
		"previous error during capture": func() {
			_ = torch.Try(func() { cuda.CurrentStream().Synchronize() })
		},
		"not permitted when stream is capturing": func() { cuda.Synchronize() },
		"unjoined work": func() {
			side.WaitStream(cuda.CurrentStream())
			side.Do(func() { x.Copy_(in, torch.NonBlocking(true)) })
		},
		"pinned":                                func() { x.CPU() },
		"dependency created on uncaptured work": func() { cuda.CurrentStream().WaitEvent(done) },
	} {
		err := torch.Try(func() {
			cuda.Graph(g, func() {
				torch.Empty(torch.Shape{1000}, dev)
				fn()
			})
		})
		require.ErrorIs(t, err, torch.ErrRuntime, name)
		assert.Contains(t, err.Error(), name)
		require.ErrorIs(t, torch.Try(g.Replay), torch.ErrValue, "nothing was recorded")
		assert.False(t, cuda.IsCurrentStreamCapturing())
		torch.Randn(torch.Shape{10}, dev).Close()
	}
	runtime.GC()
	memory.Clear()
	// The rest is the memory of the generator's state, which replays read.
	assert.LessOrEqual(t, memory.Stats(dev).AllocatedBytes.All.Current, before+1024)
	cuda.Graph(g, func() { x.Copy_(in, torch.NonBlocking(true)) })
	g.Replay()
	assert.Equal(t, in.Float32s(), x.CPU().Float32s())
	require.NoError(t, g.Close())
}

// A panic ends the recording and continues.
func TestCUDAGraphPanics(t *testing.T) {
	dev := needCUDA(t)
	g := cuda.NewCUDAGraph()
	require.PanicsWithValue(t, "inside", func() {
		cuda.Graph(g, func() {
			torch.Zeros(torch.Shape{4}, dev)
			panic("inside")
		})
	})
	assert.False(t, cuda.IsCurrentStreamCapturing())
	assert.True(t, cuda.CurrentStream().Equal(cuda.DefaultStream()))
	require.NoError(t, g.Close())
}

func TestCUDAGraphMisuse(t *testing.T) {
	dev := needCUDA(t)
	g := cuda.NewCUDAGraph()
	refuses := func(kind error, f func()) {
		t.Helper()
		require.ErrorIs(t, torch.Try(f), kind)
	}
	refuses(torch.ErrNil, func() { cuda.Graph(nil, func() {}) })
	refuses(torch.ErrNil, func() { cuda.Graph(g, nil) })
	refuses(torch.ErrNil, func() { (*cuda.CUDAGraph)(nil).Replay() })
	refuses(torch.ErrValue, func() { cuda.Graph(g, func() {}, cuda.CaptureErrorMode("loud")) })
	refuses(torch.ErrValue, g.Replay)
	refuses(torch.ErrValue, g.CaptureEnd)
	refuses(torch.ErrValue, g.Instantiate)
	refuses(torch.ErrValue, func() { g.Pool() })
	refuses(torch.ErrValue, func() { g.CaptureBegin() }) // the current stream is the default stream
	refuses(torch.ErrNil, func() { g.RegisterGeneratorState(nil) })
	refuses(torch.ErrDevice, func() { g.RegisterGeneratorState(torch.NewGenerator(torch.CPU)) })
	require.ErrorIs(t, g.DebugDump(t.TempDir()+"/x"), torch.ErrValue)
	cuda.Graph(g, func() {
		torch.Zeros(torch.Shape{4}, dev)
		refuses(torch.ErrValue, g.Replay)
		refuses(torch.ErrValue, g.Reset)
		refuses(torch.ErrValue, func() { g.CaptureBegin() })
		require.ErrorIs(t, g.Close(), torch.ErrValue)
		other := make(chan error)
		go func() { other <- torch.Try(g.CaptureEnd) }()
		require.ErrorIs(t, <-other, torch.ErrValue)
	})
	refuses(torch.ErrValue, func() { cuda.Graph(g, func() {}) }) // the graph has a recording already
	refuses(torch.ErrValue, g.Instantiate)
	refuses(torch.ErrValue, func() { g.RawCUDAGraph() })
	g.Reset()
	refuses(torch.ErrValue, g.Replay)
	require.NoError(t, g.Close())
	refuses(torch.ErrClosed, g.Reset)
}

// Two graphs in the same pool take no more memory than the larger one.
func TestCUDAGraphPools(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	before := memory.Stats(dev).ReservedBytes.All.Current
	record := func(opts ...cuda.GraphOption) *cuda.CUDAGraph {
		g := cuda.NewCUDAGraph()
		cuda.Graph(g, func() { torch.Zeros(torch.Shape{8 * mib}, dev).Close() }, opts...)
		return g
	}
	a := record()
	one := memory.Stats(dev).ReservedBytes.All.Current - before
	assert.GreaterOrEqual(t, one, int64(32*mib))
	b := record(a.Pool())
	assert.Equal(t, a.Pool(), b.Pool())
	assert.Equal(t, one, memory.Stats(dev).ReservedBytes.All.Current-before)
	c := record(cuda.GraphPoolHandle())
	assert.NotEqual(t, a.Pool(), c.Pool())
	assert.GreaterOrEqual(t, memory.Stats(dev).ReservedBytes.All.Current-before, one+32*mib)
	for _, g := range []*cuda.CUDAGraph{a, b, c} {
		g.Replay()
		cuda.Synchronize()
		require.NoError(t, g.Close())
	}
	memory.Clear()
	assert.Equal(t, before, memory.Stats(dev).ReservedBytes.All.Current)
}

// Each replay draws new numbers, from the default and from registered generators.
func TestCUDAGraphGenerators(t *testing.T) {
	dev := needCUDA(t)
	own := torch.NewGenerator(dev).ManualSeed(5)
	g := cuda.NewCUDAGraph()
	g.RegisterGeneratorState(own)
	torch.ManualSeed(3)
	before, ownBefore := rngState(dev), own.State().Uint8s()
	cuda.Graph(g, func() {
		torch.Randn(torch.Shape{1000}, dev)
		torch.Randn(torch.Shape{1000}, dev, own)
	})
	assert.Equal(t, before, rngState(dev), "nothing was drawn yet")
	g.Replay()
	once := rngState(dev)
	assert.NotEqual(t, before, once)
	assert.NotEqual(t, ownBefore, own.State().Uint8s())
	g.Replay()
	assert.NotEqual(t, once, rngState(dev))
	require.NoError(t, g.Close())
}

func TestCUDAGraphKept(t *testing.T) {
	dev := needCUDA(t)
	in := pinned(t, torch.Ones(torch.Shape{100}))
	x := torch.Empty(torch.Shape{100}, dev)
	g := cuda.NewCUDAGraph(cuda.KeepGraph(true))
	cuda.Graph(g, func() { x.Copy_(in, torch.NonBlocking(true)) })
	assert.NotZero(t, g.RawCUDAGraph())
	g.Instantiate()
	g.Replay()
	assert.Equal(t, in.Float32s(), x.CPU().Float32s())
	path := t.TempDir() + "/graph.dot"
	require.NoError(t, g.DebugDump(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "digraph"), "%s", text)
	require.ErrorIs(t, g.DebugDump(t.TempDir()+"/no/such/folder"), torch.ErrRuntime)
	g.Replay()
	require.NoError(t, g.Close())
}

// The simulated driver reports unordered work within a graph, and graphs whose memory was
// freed.
func TestCUDAGraphRaceIsFound(t *testing.T) {
	if !needSimulation(t) {
		report := t.TempDir() + "/report"
		child(t, "TestCUDAGraphRaceIsFound", "CUDASIM_REPORT="+report)
		text, err := os.ReadFile(report)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(text), "nothing orders them"), "%s", text)
		assert.Equal(t, 2, strings.Count(string(text), "a graph uses"), "%s", text)
		return
	}
	dev := needCUDA(t)
	in := pinned(t, torch.Ones(torch.Shape{8 * mib}))
	x := torch.Empty(torch.Shape{8 * mib}, dev)
	g, side := cuda.NewCUDAGraph(), cuda.NewStream()
	cuda.Graph(g, func() {
		main := cuda.CurrentStream()
		side.WaitStream(main)
		side.Do(func() { x.Copy_(in, torch.NonBlocking(true)) })
		x.Copy_(in, torch.NonBlocking(true))
		main.WaitStream(side)
	})
	require.NoError(t, x.Close())
	require.NoError(t, in.Close())
	memory.EmptyCache(dev)
	g.Replay()
	require.NoError(t, g.Close())
}
