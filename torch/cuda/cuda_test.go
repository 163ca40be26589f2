package cuda_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/again"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

func needCUDA(t *testing.T) torch.Device {
	t.Helper()
	if err := cuda.Init(); err != nil {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return torch.CUDA.At(0)
}

// simulated reports whether the driver is internal/cudasim, which runs work only when something
// waits for it.
func simulated() bool { return os.Getenv("CUDASIM_DEVICES") != "" }

func TestNoSuchThing(t *testing.T) {
	require.ErrorIs(t, torch.Try(func() { cuda.NewStream(cuda.Device(torch.CPU)) }), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { cuda.Synchronize(torch.CUDA.At(99)) }), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { (*cuda.Stream)(nil).Do(func() {}) }), torch.ErrNil)
	require.ErrorIs(t, torch.Try(func() { (*cuda.Event)(nil).Query() }), torch.ErrNil)
	if cuda.IsAvailable() {
		return
	}
	assert.Zero(t, cuda.DeviceCount())
	err := cuda.Init()
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.Contains(t, err.Error(), "device cuda is not available")
	require.ErrorIs(t, torch.Try(func() { cuda.CurrentDevice() }), torch.ErrDevice)
}

func TestCUDADevices(t *testing.T) {
	dev := needCUDA(t)
	assert.True(t, cuda.IsAvailable())
	assert.Positive(t, cuda.DeviceCount())
	assert.Equal(t, dev, cuda.CurrentDevice())
	x := torch.Empty(torch.Shape{2}, torch.CUDA)
	assert.Equal(t, dev, x.Device())
	if cuda.DeviceCount() < 2 {
		return
	}
	cuda.WithDevice(torch.CUDA.At(1), func() {
		assert.Equal(t, torch.CUDA.At(1), cuda.CurrentDevice())
		y := torch.Empty(torch.Shape{mib}, torch.CUDA)
		assert.Equal(t, torch.CUDA.At(1), y.Device())
		assert.EqualValues(t, 4*mib, memory.Allocated(torch.CUDA.At(1)))
		require.NoError(t, y.Close())
	})
	assert.Equal(t, dev, cuda.CurrentDevice())
	cuda.Synchronize(dev, torch.CUDA.At(1))
}

const mib = 1 << 20

// A tensor is copied to the device and back. A copy from page-locked memory has not
// happened yet if nothing has waited for it.
func TestCUDACopies(t *testing.T) {
	dev := needCUDA(t)
	host := torch.Arange(0, 1000, 1, torch.Float32)
	assert.Equal(t, host.Float32s(), host.ToDevice(dev).CPU().Float32s())

	pinned := torch.Empty(torch.Shape{1000}, torch.PinMemory(true))
	assert.True(t, pinned.IsPinned())
	pinned.Copy_(host)
	d := pinned.To(dev, torch.NonBlocking(true))
	s := cuda.CurrentStream(cuda.Device(dev))
	if simulated() {
		assert.False(t, s.Query())
	}
	s.Synchronize()
	assert.True(t, s.Query())
	assert.Equal(t, host.Float32s(), d.CPU().Float32s())
}

func TestCUDAStreams(t *testing.T) {
	dev := needCUDA(t)
	main := cuda.DefaultStream(cuda.Device(dev))
	assert.True(t, main.Equal(cuda.CurrentStream(cuda.Device(dev))))
	require.Equal(t, cuda.CurrentStream(cuda.Device(dev)).String(), cuda.CurrentStream().String())
	require.Equal(t, cuda.DefaultStream(cuda.Device(dev)).String(), cuda.DefaultStream().String())
	cuda.NewStream().Do(func() { require.NotEqual(t, cuda.DefaultStream().String(), cuda.CurrentStream().String()) })
	cuda.NewStream(cuda.Priority(-1)).Synchronize()
	side := cuda.NewStream(cuda.Device(dev))
	assert.False(t, side.Equal(main))
	assert.Equal(t, dev, side.Device())
	require.ErrorIs(t, torch.Try(func() { cuda.NewStream(cuda.Device(dev), cuda.Priority(1)) }), torch.ErrValue)

	pinned := torch.Arange(0, 64, 1, torch.Float32).PinMemory()
	start, end := cuda.NewEvent(cuda.EnableTiming(true)), cuda.NewEvent(cuda.EnableTiming(true))
	assert.True(t, start.Query(), "the event was never recorded")
	require.ErrorIs(t, torch.Try(func() { start.ElapsedTime(end) }), torch.ErrValue)

	var d *torch.Tensor
	side.Do(func() {
		assert.True(t, side.Equal(cuda.CurrentStream(cuda.Device(dev))))
		start.Record(side)
		d = pinned.To(dev, torch.NonBlocking(true))
		end.Record(side)
	})
	assert.True(t, main.Equal(cuda.CurrentStream(cuda.Device(dev))), "Do restores the stream")
	if simulated() {
		assert.False(t, end.Query())
	}
	main.WaitStream(side) // without this, the next copy would be a race
	side.RecordStream(d)
	assert.Equal(t, pinned.Float32s(), d.CPU().Float32s())
	assert.True(t, end.Query(), "the copy waited for it")
	assert.GreaterOrEqual(t, start.ElapsedTime(end).Nanoseconds(), int64(0))

	require.Panics(t, func() { side.Do(func() { panic("inside") }) })
	assert.True(t, main.Equal(cuda.CurrentStream(cuda.Device(dev))), "also after a panic")
}

// Memory that another stream still uses is not reused.
func TestCUDARecordStream(t *testing.T) {
	dev := needCUDA(t)
	side := cuda.NewStream(cuda.Device(dev))
	pinned := torch.Ones(torch.Shape{mib}).PinMemory()
	x := torch.Empty(torch.Shape{mib}, dev)
	side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
	side.Do(func() { x.Copy_(pinned, torch.NonBlocking(true)) })
	side.RecordStream(x)
	s := memory.Stats(dev)
	require.NoError(t, x.Close())
	after := memory.Stats(dev)
	assert.EqualValues(t, 4*mib, s.AllocatedBytes.All.Current-after.AllocatedBytes.All.Current)
	if simulated() {
		assert.Equal(t, s.ActiveBytes.All.Current, after.ActiveBytes.All.Current, "freed, but in use")
	}
	side.Synchronize()
	memory.EmptyCache(dev)
	after = memory.Stats(dev)
	assert.Equal(t, after.AllocatedBytes.All.Current, after.ActiveBytes.All.Current)
}

// Page-locked memory with a recorded stream is not reused until the stream's current work is
// finished, even if the tensor is closed.
func TestCUDARecordStreamOfPageLockedMemory(t *testing.T) {
	dev := needCUDA(t)
	side := cuda.NewStream(cuda.Device(dev))
	other, x := pinned(t, torch.Ones(torch.Shape{mib})), torch.Empty(torch.Shape{mib}, dev)
	side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
	locked := func() *torch.Tensor { return torch.Empty(torch.Shape{77 * 1024}, torch.PinMemory(true)) }
	for _, recorded := range []bool{false, true} {
		side.Do(func() { x.Copy_(other, torch.NonBlocking(true)) }) // pending work of side
		a := locked()
		where := a.DataPtr()
		if recorded {
			side.RecordStream(a)
		}
		require.NoError(t, a.Close())
		b := locked()
		if simulated() { // a real device may have finished already
			assert.Equal(t, recorded, b.DataPtr() != where, "recorded: %v", recorded)
		}
		side.Synchronize()
		c := locked()
		if recorded && simulated() {
			assert.Equal(t, where, c.DataPtr(), "the work is done")
		}
		require.NoError(t, b.Close())
		require.NoError(t, c.Close())
	}
	require.ErrorIs(t, torch.Try(func() { side.RecordStream(torch.Ones(torch.Shape{1})) }), torch.ErrDevice)
	require.NoError(t, x.Close())
}

// A tensor in page-locked memory is closed while a stream copies from it. Later
// allocations get different memory, so writing to them does not change the copied values.
func TestCUDAPageLockedMemoryIsClosedEarly(t *testing.T) {
	dev := needCUDA(t)
	side := cuda.NewStream(cuda.Device(dev))
	x := torch.Empty(torch.Shape{mib}, dev)
	side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
	for i := range 3 {
		a := torch.Empty(torch.Shape{mib}, torch.PinMemory(true))
		a.Fill_(i)
		side.Do(func() { x.Copy_(a, torch.NonBlocking(true)) })
		side.RecordStream(a)
		require.NoError(t, a.Close())
		b := torch.Empty(torch.Shape{mib}, torch.PinMemory(true))
		b.Fill_(-1)
		side.Synchronize()
		cuda.CurrentStream().WaitStream(side)
		assert.EqualValues(t, i, x.CPU().Float32s()[mib-1])
		side.WaitStream(cuda.CurrentStream())
		require.NoError(t, b.Close())
	}
	require.NoError(t, x.Close())
}

// By default, Record records an event on the goroutine's current stream, and Wait makes
// that stream wait.
func TestCUDAEventsOfTheCurrentStream(t *testing.T) {
	dev := needCUDA(t)
	side := cuda.NewStream(cuda.Device(dev))
	host, x := pinned(t, torch.Ones(torch.Shape{mib})), torch.Empty(torch.Shape{mib}, dev)
	side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
	e := cuda.NewEvent()
	side.Do(func() {
		x.Copy_(host, torch.NonBlocking(true))
		e.Record()
	})
	if simulated() {
		assert.False(t, e.Query(), "the work of side is before it")
	}
	e.Wait() // without this, the next copy would be a race
	assert.EqualValues(t, 1, x.CPU().Float32s()[mib-1])
	assert.True(t, e.Query())
	for _, f := range []func(...*cuda.Stream){e.Record, e.Wait} {
		require.ErrorIs(t, torch.Try(func() { f(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { f(side, side) }), torch.ErrValue)
	}
	require.NoError(t, x.Close())
}

// child runs one test of this package in a child process with additional environment variables.
func child(t *testing.T, name string, env ...string) string {
	t.Helper()
	cmd := again.Command("-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "GOTORCH_CHILD=1"), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+name)
	return string(out)
}

func needSimulation(t *testing.T) bool {
	t.Helper()
	if !simulated() {
		t.Skip("needs the simulated driver")
	}
	return os.Getenv("GOTORCH_CHILD") != ""
}

// If the driver rejects the second cudaMalloc although there is enough memory, libtorch empties
// its cache and calls cudaMalloc again.
func TestCUDARefusedMalloc(t *testing.T) {
	if !needSimulation(t) {
		child(t, "TestCUDARefusedMalloc", "CUDASIM_OOM_AT=2")
		return
	}
	dev := needCUDA(t)
	torch.Empty(torch.Shape{mib}, dev)
	torch.Empty(torch.Shape{8 * mib}, dev)
	s := memory.Stats(dev)
	assert.EqualValues(t, 1, s.NumAllocRetries)
	assert.Zero(t, s.NumOOMs)
}

// If the driver rejects more calls than libtorch retries, gotorch calls the operator
// again. It succeeds, and the program sees no error.
func TestCUDARefusedTwice(t *testing.T) {
	if !needSimulation(t) {
		child(t, "TestCUDARefusedTwice", "CUDASIM_OOM_AT=2,3")
		return
	}
	dev := needCUDA(t)
	torch.Empty(torch.Shape{mib}, dev)
	torch.Empty(torch.Shape{8 * mib}, dev)
	assert.Zero(t, memory.Stats(dev).NumOOMs)
	gc := memory.GC()
	assert.EqualValues(t, 1, gc.Retries)
	assert.Zero(t, gc.Failed)
}

func TestCUDARefusedForEver(t *testing.T) {
	if !needSimulation(t) {
		child(t, "TestCUDARefusedForEver", "CUDASIM_OOM_AT=2-")
		return
	}
	dev := needCUDA(t)
	keep := torch.Empty(torch.Shape{mib}, dev)
	err := torch.Try(func() { torch.Empty(torch.Shape{8 * mib}, dev) })
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	assert.EqualValues(t, 1, memory.GC().Failed)
	assert.EqualValues(t, 1, memory.Stats(dev).NumOOMs)
	require.NoError(t, keep.Close())
}

// After a device is lost, every operator on it returns an error; the process does not crash.
func TestCUDALostDevice(t *testing.T) {
	if !needSimulation(t) {
		child(t, "TestCUDALostDevice", "CUDASIM_LOST_AT=12")
		return
	}
	dev := needCUDA(t)
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = torch.Try(func() {
			torch.Zeros(torch.Shape{1000}, dev).Close()
			cuda.Synchronize(dev)
		})
	}
	require.ErrorIs(t, err, torch.ErrRuntime)
	assert.Contains(t, err.Error(),
		"CUDA error: unspecified launch failure (cudaErrorLaunchFailure): the device is lost to this process")
	// The process continues, and all functions that use the device return that error.
	for _, f := range []func(){
		func() { torch.Ones(torch.Shape{10}).ToDevice(dev) },
		func() { torch.Empty(torch.Shape{8 * mib}, dev) },
		func() { cuda.Synchronize(dev) },
		func() { cuda.CurrentStream().Synchronize() },
		func() { cuda.Graph(cuda.NewCUDAGraph(), func() {}) },
	} {
		err := torch.Try(f)
		require.ErrorIs(t, err, torch.ErrRuntime)
		assert.Contains(t, err.Error(), "the device is lost")
	}
	assert.Equal(t, []float32{2, 2}, torch.Ones(torch.Shape{2}).MulScalar(2).Float32s(), "the CPU computes")
}

// The simulated driver reports unordered work on the same memory.
func TestCUDARaceIsFound(t *testing.T) {
	if !needSimulation(t) {
		report := t.TempDir() + "/report"
		child(t, "TestCUDARaceIsFound", "CUDASIM_REPORT="+report)
		text, err := os.ReadFile(report)
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(text), "nothing orders them"), "%s", text)
		return
	}
	dev := needCUDA(t)
	pinned := torch.Ones(torch.Shape{100}).PinMemory()
	d := pinned.To(dev, torch.NonBlocking(true))
	side := cuda.NewStream(cuda.Device(dev))
	side.Do(func() { d.Copy_(pinned, torch.NonBlocking(true)) })
	cuda.Synchronize()
	side.WaitStream(cuda.CurrentStream(cuda.Device(dev)))
	side.Do(func() { d.Copy_(pinned, torch.NonBlocking(true)) })
	cuda.Synchronize()
}

// libtorch remembers whether CUDA is available. Queries before the CUDA library is loaded do not
// make it remember "no".
func TestCUDAAfterQuestions(t *testing.T) {
	if os.Getenv("GOTORCH_CHILD") == "" {
		needCUDA(t)
		child(t, "TestCUDAAfterQuestions")
		return
	}
	torch.ManualSeed(1)
	assert.False(t, torch.Ones(torch.Shape{1}).IsPinned())
	dev := needCUDA(t)
	assert.True(t, torch.Ones(torch.Shape{1}, torch.PinMemory(true)).IsPinned())
	assert.Equal(t, dev, torch.Randn(torch.Shape{3}, dev).Device())
	torch.ManualSeed(2)
	torch.NewGenerator(dev)
}

func TestCUDANoDevice(t *testing.T) {
	if !needSimulation(t) {
		child(t, "TestCUDANoDevice", "CUDASIM_DEVICES=0")
		return
	}
	err := cuda.Init()
	require.ErrorIs(t, err, torch.ErrDevice)
	assert.False(t, cuda.IsAvailable())
	assert.Contains(t, err.Error(), "CUDA")
}

func TestEventsPrint(t *testing.T) {
	var none *cuda.Event
	assert.Equal(t, "no event", none.String())
	assert.Equal(t, "event, not recorded", cuda.NewEvent().String())
}
