package memory_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

//go:noinline
func allocateOnDevice(dev torch.Device, n int64) *torch.Tensor {
	return torch.Empty(torch.Shape{n}, torch.Uint8, dev)
}

// Blocks and events of a device contain the Go stack of the operator that caused them.
func TestCUDAHistory(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Clear: true}))
	defer memory.StopHistory()

	x := allocateOnDevice(dev, 3*mib)
	y := allocateOnDevice(dev, 5*mib)
	require.NoError(t, y.Close())
	s := memory.Snapshot()
	assert.Equal(t, "cuda:0", s.Devices[0])
	assert.Equal(t, "cpu", s.Devices[len(s.Devices)-1], "the CPU comes last")

	here := func(frames []memory.Frame) bool {
		for _, f := range frames {
			if strings.HasSuffix(f.Name, ".allocateOnDevice") && filepath.Base(f.Filename) == "cuda_history_test.go" {
				return true
			}
		}
		return false
	}
	alloc := only(t, s.DeviceTraces[0], memory.ActionAlloc, 3*mib)
	assert.True(t, here(alloc.Frames), "%v", alloc.Frames)
	only(t, s.DeviceTraces[0], memory.ActionFreeRequested, 5*mib)
	only(t, s.DeviceTraces[0], memory.ActionFreeCompleted, 5*mib)
	var found int
	for _, b := range s.Live() {
		if b.RequestedSize == 3*mib {
			found++
			assert.True(t, here(b.Frames))
			assert.Equal(t, alloc.Addr, b.Address)
		}
	}
	assert.Equal(t, 1, found)
	assert.EqualValues(t, -1, s.AllocatorSettings["max_split_size"])
	expandable := strings.Contains(os.Getenv("PYTORCH_CUDA_ALLOC_CONF"), "expandable_segments:True")
	assert.Equal(t, expandable, s.AllocatorSettings["expandable_segments"])
	for _, g := range s.Segments {
		if g.Device == 0 {
			assert.Equal(t, expandable, g.IsExpandable)
		}
	}
	if expandable {
		only(t, s.DeviceTraces[0], memory.ActionSegmentMap, 20*mib)
	}

	path := filepath.Join(t.TempDir(), "snapshot.pickle")
	require.NoError(t, memory.DumpSnapshot(path))
	again, err := memory.LoadSnapshot(path)
	require.NoError(t, err)
	assert.Equal(t, s.Devices, again.Devices)
	assert.Len(t, again.Segments, len(memory.Snapshot().Segments))
	require.NoError(t, x.Close())
}

// sizes returns the sizes of the allocations in a trace.
func sizes(trace []memory.TraceEntry) []int64 {
	var list []int64
	for _, e := range trace {
		if e.Action == memory.ActionAlloc {
			list = append(list, e.Size)
		}
	}
	return list
}

// allocateSizes creates and closes n tensors of 1 to n times size bytes.
func allocateSizes(t *testing.T, dev torch.Device, size int64, n int) {
	t.Helper()
	for i := range n {
		require.NoError(t, allocateOnDevice(dev, int64(i+1)*size).Close())
	}
}

// In the mode HistoryState only the newest event is kept, as in Python, even if more events
// were recorded before.
func TestCUDAHistoryState(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	defer memory.StopHistory()
	for _, before := range []memory.HistoryMode{memory.HistoryOff, memory.HistoryAll} {
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: before, MaxEntries: 10}))
		allocateSizes(t, dev, 1024, 21)
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryState}))
		allocateSizes(t, dev, 1024, 30)
		x := allocateOnDevice(dev, 3*mib)
		s := memory.Snapshot(dev)
		assert.Len(t, s.DeviceTraces[0], 1)
		assert.Equal(t, []int64{3 * mib}, sizes(s.DeviceTraces[0]), "the newest")
		var named int
		for _, b := range s.Live() {
			if b.RequestedSize == 3*mib && len(b.Frames) > 0 {
				named++
			}
		}
		assert.Equal(t, 1, named)
		require.NoError(t, x.Close())
	}
}

// With MaxEntries only the newest events are kept, in order. MaxEntries can be changed.
func TestCUDAHistoryMaxEntries(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	defer memory.StopHistory()
	warm := allocateOnDevice(dev, 64*1024) // allocates the segment before the history begins
	defer warm.Close()
	for _, most := range []int{10, 3, 7, 0, 5} {
		require.NoError(t, memory.RecordHistory(memory.HistoryOptions{MaxEntries: most}))
		allocateSizes(t, dev, 1024, 20)
		trace := memory.Snapshot(dev).DeviceTraces[0]
		if most > 0 {
			assert.Len(t, trace, most)
		} else {
			assert.Len(t, trace, 60, "allocation, request to free, free")
		}
		assert.True(t, slices.IsSortedFunc(trace, func(a, b memory.TraceEntry) int {
			return cmp.Compare(a.TimeUs, b.TimeUs)
		}))
		assert.EqualValues(t, 20*1024, trace[len(trace)-1].Size, "the newest")
		assert.IsIncreasing(t, append([]int64{0}, sizes(trace)...))
	}
}

// Changing the history settings of CUDA devices does not affect the CPU's history, and vice
// versa.
func TestCUDAHistoryIsItsOwn(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	memory.StopHistory()
	defer memory.StopHistory()
	ask := func(dev torch.Device, o memory.HistoryOptions) {
		t.Helper()
		o.Devices = []torch.Device{dev}
		require.NoError(t, memory.RecordHistory(o))
	}
	off := memory.HistoryOptions{Enabled: memory.HistoryOff}

	ask(torch.CPU, memory.HistoryOptions{Stacks: memory.StacksProgram})
	memory.Annotate("before", func() {})
	ask(dev, memory.HistoryOptions{Context: memory.ContextNone})
	ask(dev, off)
	memory.Annotate("after", func() { require.NoError(t, makeThree().Close()) })
	s := memory.Snapshot()
	e := only(t, cpuTrace(t, s), memory.ActionAlloc, 3*1001*4)
	require.NotEmpty(t, e.Frames, "stacks go on")
	assert.True(t, calls(e.Frames[:1], "inlined"), "as they were asked for: %v", e.Frames[0])
	require.Len(t, s.ExternalAnnotations, 4)
	assert.Equal(t, "before", s.ExternalAnnotations[0].Name)
	assert.Equal(t, "after", s.ExternalAnnotations[3].Name)
	assert.Equal(t, s.DeviceNumber(torch.CPU), s.ExternalAnnotations[0].Device)
	assert.Empty(t, s.DeviceTraces[0])

	ask(dev, memory.HistoryOptions{})
	memory.Annotate("both", func() {})
	ask(torch.CPU, off)
	x := allocateOnDevice(dev, 3*mib)
	defer x.Close()
	s = memory.Snapshot()
	e = only(t, s.DeviceTraces[0], memory.ActionAlloc, 3*mib)
	assert.NotEmpty(t, e.Frames)
	assert.Len(t, e.Frames, len(only(t, memory.Snapshot(dev).DeviceTraces[0], memory.ActionAlloc, 3*mib).Frames))
	assert.Empty(t, cpuTrace(t, s))
	require.Len(t, s.ExternalAnnotations, 2*len(s.Devices[:len(s.Devices)-1]))
	assert.Equal(t, "both", s.ExternalAnnotations[0].Name)

	ask(dev, off)
	y := allocateOnDevice(dev, 5*mib)
	defer y.Close()
	for _, b := range memory.Snapshot(dev).Live() {
		if b.RequestedSize == 5*mib {
			assert.Empty(t, b.Frames, "nobody wants stacks")
		}
	}
}

// Each device has the annotations in its own timeline.
func TestCUDAAnnotations(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Clear: true}))
	defer memory.StopHistory()
	memory.Annotate("epoch 1", func() { require.NoError(t, allocateOnDevice(dev, mib).Close()) })
	memory.Annotate("epoch 2", func() {})

	s := memory.Snapshot()
	require.Greater(t, len(s.Devices), 1)
	path := filepath.Join(t.TempDir(), "snapshot.pickle")
	require.NoError(t, s.Save(path))
	back, err := memory.LoadSnapshot(path)
	require.NoError(t, err)
	for _, s := range []*memory.SnapshotData{s, back, memory.Snapshot(dev)} {
		of := make([][]string, len(s.Devices))
		for i, a := range s.ExternalAnnotations {
			of[a.Device] = append(of[a.Device], a.Name+" "+a.Stage)
			assert.LessOrEqual(t, s.ExternalAnnotations[max(i-1, 0)].TimeUs, a.TimeUs, "in the order of time")
		}
		for d, marks := range of {
			assert.Equal(t, []string{"epoch 1 START", "epoch 1 END", "epoch 2 START", "epoch 2 END"}, marks,
				s.Devices[d])
		}
	}
}

// A leak check reads the lines in the CPU's history, and does not affect the history of the
// CUDA devices.
func TestCUDAHistoryOutlivesLeakChecks(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	memory.StopHistory()
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Devices: []torch.Device{dev}}))
	defer memory.StopHistory()
	require.NoError(t, allocateOnDevice(dev, 3*mib).Close())
	check := memory.StartLeakCheck()
	require.NoError(t, allocateOnDevice(dev, 5*mib).Close())
	check.Stop()
	require.NoError(t, allocateOnDevice(dev, 7*mib).Close())
	trace := memory.Snapshot(dev).DeviceTraces[0]
	for _, size := range []int64{3 * mib, 5 * mib, 7 * mib} {
		e := only(t, trace, memory.ActionAlloc, size)
		assert.NotEmpty(t, e.Frames)
	}
}

// If an operator runs out of memory on a device, the device's trace gets an event, and
// SnapshotOnOOM writes its snapshot.
func TestCUDAOutOfMemorySnapshot(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Clear: true}))
	defer memory.StopHistory()
	path := filepath.Join(t.TempDir(), "oom.pickle")
	memory.SnapshotOnOOM(path)
	defer memory.SnapshotOnOOM("")
	require.NoError(t, memory.SetLimit(dev, 32*mib))
	defer func() { require.NoError(t, memory.SetLimit(dev, 0)) }()

	require.ErrorIs(t, torch.Try(func() { allocateOnDevice(dev, 64*mib) }), torch.ErrOutOfMemory)
	s, err := memory.LoadSnapshot(path)
	require.NoError(t, err)
	var ooms int
	for _, e := range s.DeviceTraces[0] {
		if e.Action == memory.ActionOOM {
			ooms++
			assert.EqualValues(t, 64*mib, e.Size)
			assert.Positive(t, e.DeviceFree)
		}
	}
	assert.Equal(t, 1, ooms, "the operator was called twice, and the program saw one error")

	// An operator that succeeds when it is called again adds no event.
	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Clear: true}))
	for range 4 {
		torch.Zeros(torch.Shape{4 * mib / 2}, dev) // 8 MiB of garbage
	}
	before := memory.GC().Recovered
	require.NoError(t, torch.Try(func() { allocateOnDevice(dev, 20*mib) }))
	assert.Equal(t, before+1, memory.GC().Recovered)
	for _, e := range memory.Snapshot(dev).DeviceTraces[0] {
		assert.NotEqual(t, memory.ActionOOM, e.Action)
	}
}

func TestCUDAPools(t *testing.T) {
	dev := needCUDA(t)
	memory.Clear()
	_, err := memory.NewMemPool(torch.CPU)
	require.ErrorIs(t, err, torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.UsePool(nil, func() {}) }), torch.ErrNil)

	p, err := memory.NewMemPool(dev)
	require.NoError(t, err)
	assert.Equal(t, dev, p.Device())
	var inside *torch.Tensor
	memory.UsePool(p, func() { inside = allocateOnDevice(dev, 3*mib) })
	outside := allocateOnDevice(dev, 3*mib)
	var pooled, others int64
	for _, g := range memory.Snapshot(dev).Segments {
		if g.SegmentPoolID == p.ID() {
			pooled += g.AllocatedSize
		} else {
			others += g.AllocatedSize
		}
	}
	assert.EqualValues(t, 3*mib, pooled)
	assert.GreaterOrEqual(t, others, int64(3*mib))

	reserved := memory.Reserved(dev)
	require.NoError(t, inside.Close())
	memory.EmptyCache(dev)
	assert.Equal(t, reserved, memory.Reserved(dev), "a pool keeps what it has")
	require.NoError(t, p.Close())
	assert.Less(t, memory.Reserved(dev), reserved)
	require.NoError(t, p.Close())
	require.ErrorIs(t, torch.Try(func() { memory.UsePool(p, func() {}) }), torch.ErrClosed)
	require.NoError(t, outside.Close())
	memory.EmptyCache(dev)
}

// Without CUDA, functions for pools and for the history of CUDA devices return errors.
func TestNoSuchDeviceHistory(t *testing.T) {
	far := torch.CUDA.At(99)
	_, err := memory.NewMemPool(far)
	require.ErrorIs(t, err, torch.ErrDevice)
	require.ErrorIs(t, memory.RecordHistory(memory.HistoryOptions{Devices: []torch.Device{far}}), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.Snapshot(far) }), torch.ErrDevice)
}
