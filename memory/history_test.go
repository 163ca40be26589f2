package memory_test

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// record turns on a history with the given options until the test ends.
func record(t *testing.T, o memory.HistoryOptions) {
	t.Helper()
	quiet()
	live := memory.Requested(torch.CPU)
	require.NoError(t, memory.RecordHistory(o))
	t.Cleanup(func() {
		memory.StopHistory()
		quiet()
		assert.LessOrEqual(t, memory.Requested(torch.CPU), live, "native memory grew")
	})
}

// cpuTrace returns the events of the CPU, which must be the snapshot's only device.
func cpuTrace(t *testing.T, s *memory.SnapshotData) []memory.TraceEntry {
	t.Helper()
	d := s.DeviceNumber(torch.CPU)
	require.GreaterOrEqual(t, d, 0)
	return s.DeviceTraces[d]
}

// only returns the entry with the given action and size. There must be exactly one.
func only(t *testing.T, trace []memory.TraceEntry, action string, size int64) memory.TraceEntry {
	t.Helper()
	var found []memory.TraceEntry
	for _, e := range trace {
		if e.Action == action && e.Size == size {
			found = append(found, e)
		}
	}
	require.Len(t, found, 1, "%s of %d bytes", action, size)
	return found[0]
}

// calls reports whether a stack contains a call of the named function of this file.
func calls(frames []memory.Frame, function string) bool {
	for _, f := range frames {
		if strings.HasSuffix(f.Name, "."+function) && filepath.Base(f.Filename) == "history_test.go" && f.Line > 0 {
			return true
		}
	}
	return false
}

//go:noinline
func makeThree() *torch.Tensor { return inlined() }

func inlined() *torch.Tensor { return torch.Zeros(torch.Shape{3 * 1001}) }

func TestHistoryHasGoStacks(t *testing.T) {
	record(t, memory.HistoryOptions{})
	x := makeThree()
	const size = 3 * 1001 * 4
	s := memory.Snapshot()
	e := only(t, cpuTrace(t, s), memory.ActionAlloc, size)
	assert.True(t, calls(e.Frames, "makeThree"), "%v", e.Frames)
	assert.True(t, calls(e.Frames, "inlined"), "an inlined call is a frame of its own")
	assert.True(t, calls(e.Frames, "TestHistoryHasGoStacks"))
	assert.Empty(t, e.ForwardFrames)

	var blocks []memory.Block
	for _, b := range s.Live() {
		if b.Address == e.Addr {
			blocks = append(blocks, b)
		}
	}
	require.Len(t, blocks, 1)
	assert.EqualValues(t, size, blocks[0].RequestedSize)
	assert.Equal(t, e.Frames, blocks[0].Frames)
	assert.Equal(t, e.TimeUs, blocks[0].TimeUs)

	require.NoError(t, x.Close())
	trace := cpuTrace(t, memory.Snapshot())
	requested := only(t, trace, memory.ActionFreeRequested, size)
	completed := only(t, trace, memory.ActionFreeCompleted, size)
	assert.Equal(t, e.Addr, requested.Addr)
	assert.Equal(t, e.Addr, completed.Addr)
	assert.GreaterOrEqual(t, completed.TimeUs, e.TimeUs)
}

//go:noinline
func forwardPass(x *torch.Tensor) *torch.Tensor { return x.Mul(x) }

//go:noinline
func backwardPass(y *torch.Tensor) { y.Sum().Backward() }

//go:noinline
func sliceView(x *torch.Tensor) *torch.Tensor { return x.Narrow(0, 1, 2000) }

func TestBackwardNamesTheForwardLine(t *testing.T) {
	record(t, memory.HistoryOptions{})
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{3333}).RequiresGrad_()
		y := forwardPass(x)
		z := sliceView(y).Exp()
		before := len(cpuTrace(t, memory.Snapshot()))
		backwardPass(z)
		trace := cpuTrace(t, memory.Snapshot())[before:]
		var mul, view bool
		for _, e := range trace {
			if e.Action != memory.ActionAlloc || e.Size != 3333*4 {
				continue
			}
			assert.True(t, calls(e.Frames, "backwardPass"), "%v", e.Frames)
			mul = mul || calls(e.ForwardFrames, "forwardPass")
			view = view || calls(e.ForwardFrames, "sliceView")
		}
		assert.True(t, mul, "the gradient of x*x")
		assert.True(t, view, "the gradient of a view, which allocated nothing going forward")
	})
}

func TestSnapshotIsTheHeap(t *testing.T) {
	record(t, memory.HistoryOptions{Enabled: memory.HistoryState})
	var keep []*torch.Tensor
	for i := range 50 {
		keep = append(keep, torch.Zeros(torch.Shape{int64(1 + i*i*97)}))
	}
	defer func() {
		for _, x := range keep {
			assert.NoError(t, x.Close())
		}
	}()
	s := memory.Snapshot()
	stats := memory.Stats(torch.CPU)
	assert.Empty(t, cpuTrace(t, s), "no events in this mode")
	var total, allocated, requested, blocks, named int64
	for _, seg := range s.Segments {
		total += seg.TotalSize
		allocated += seg.AllocatedSize
		requested += seg.RequestedSize
		at, sum := seg.Address, int64(0)
		for _, b := range seg.Blocks {
			assert.Equal(t, at, b.Address, "blocks follow each other")
			at += uint64(b.Size)
			if b.State == memory.BlockAllocated {
				blocks++
				sum += b.Size
			}
			if calls(b.Frames, "TestSnapshotIsTheHeap") {
				named++
			}
		}
		assert.Equal(t, seg.TotalSize, int64(at-seg.Address))
		assert.Equal(t, seg.AllocatedSize, sum)
		assert.Contains(t, []string{memory.SegmentSmall, memory.SegmentLarge}, seg.SegmentType)
	}
	if memory.Backend(torch.CPU) == "caching" {
		assert.Equal(t, stats.ReservedBytes.All.Current, total)
		assert.Equal(t, stats.AllocatedBytes.All.Current, allocated)
		assert.Equal(t, stats.Allocation.All.Current, blocks)
		assert.Equal(t, stats.RequestedBytes.All.Current, requested)
	}
	assert.EqualValues(t, len(keep), named)
}

func TestHistoryModes(t *testing.T) {
	record(t, memory.HistoryOptions{MaxEntries: 10})
	for range 30 {
		require.NoError(t, torch.Zeros(torch.Shape{77}).Close())
	}
	events := 0
	for _, e := range cpuTrace(t, memory.Snapshot()) {
		if e.Action != memory.ActionFreeCompleted { // belongs to the same event as ActionFreeRequested
			events++
		}
	}
	assert.Equal(t, 10, events)

	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Context: memory.ContextNone, Clear: true}))
	x := makeThree()
	e := only(t, cpuTrace(t, memory.Snapshot()), memory.ActionAlloc, 3*1001*4)
	assert.Empty(t, e.Frames)
	require.NoError(t, x.Close())

	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Stacks: memory.StacksProgram, Clear: true}))
	x = makeThree()
	e = only(t, cpuTrace(t, memory.Snapshot()), memory.ActionAlloc, 3*1001*4)
	require.NotEmpty(t, e.Frames)
	assert.True(t, calls(e.Frames[:1], "inlined"), "the innermost call is the program's: %v", e.Frames[0])
	require.NoError(t, x.Close())

	require.NoError(t, memory.RecordHistory(memory.HistoryOptions{Enabled: memory.HistoryOff}))
	require.NoError(t, torch.Zeros(torch.Shape{77}).Close())
	assert.Empty(t, cpuTrace(t, memory.Snapshot()))
}

func TestHistoryOptionsAreChecked(t *testing.T) {
	for _, o := range []memory.HistoryOptions{
		{Enabled: "yes"}, {Context: "some"}, {Stacks: "c++"}, {MaxEntries: -1},
	} {
		require.ErrorIs(t, memory.RecordHistory(o), torch.ErrValue, "%+v", o)
	}
	require.ErrorIs(t, memory.RecordHistory(memory.HistoryOptions{Devices: []torch.Device{torch.CUDA.At(7)}}),
		torch.ErrDevice)
	assert.ErrorIs(t, torch.Try(func() { memory.Snapshot(torch.Meta) }), torch.ErrDevice)
	require.ErrorIs(t, memory.DumpSnapshot(filepath.Join(t.TempDir(), "x"), torch.CUDA.At(7)), torch.ErrDevice)
}

func TestAnnotations(t *testing.T) {
	memory.Annotate("unseen", func() {})
	record(t, memory.HistoryOptions{})
	memory.Annotate("epoch 1", func() {
		require.NoError(t, makeThree().Close())
	})
	s := memory.Snapshot()
	require.Len(t, s.ExternalAnnotations, 2)
	a, b := s.ExternalAnnotations[0], s.ExternalAnnotations[1]
	assert.Equal(t, "epoch 1", a.Name)
	assert.Equal(t, memory.StageStart, a.Stage)
	assert.Equal(t, memory.StageEnd, b.Stage)
	e := only(t, cpuTrace(t, s), memory.ActionAlloc, 3*1001*4)
	assert.LessOrEqual(t, a.TimeUs, e.TimeUs)
	assert.LessOrEqual(t, e.TimeUs, b.TimeUs)
}

// The events of each address alternate between allocation and free, even if they occur on
// different goroutines.
func TestHistoryFromManyGoroutines(t *testing.T) {
	record(t, memory.HistoryOptions{})
	ch := make(chan *torch.Tensor, 16)
	var makers, closers sync.WaitGroup
	for g := range 4 {
		makers.Go(func() {
			for i := range 300 {
				ch <- torch.Zeros(torch.Shape{int64(1 + (i*13+g)%9000)})
				if i%50 == 0 {
					memory.Snapshot()
				}
			}
		})
		closers.Go(func() {
			for x := range ch {
				assert.NoError(t, x.Close())
			}
		})
	}
	makers.Wait()
	close(ch)
	closers.Wait()
	live := map[uint64]int64{}
	allocs := 0
	for _, e := range cpuTrace(t, memory.Snapshot()) {
		switch e.Action {
		case memory.ActionAlloc:
			allocs++
			assert.NotContains(t, live, e.Addr)
			live[e.Addr] = e.Size
		case memory.ActionFreeCompleted:
			if size, ok := live[e.Addr]; ok {
				assert.Equal(t, size, e.Size)
				delete(live, e.Addr)
			}
		}
	}
	assert.GreaterOrEqual(t, allocs, 1200)
	assert.Empty(t, live)
}

// Allocations during the replay of a captured graph are attributed to the line that
// captured it.
func TestHistoryOfReplays(t *testing.T) {
	x := torch.Ones(torch.Shape{1 << 20})
	defer x.Close()
	g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{inReplay(x).Sum()} })
	defer g.Close()
	record(t, memory.HistoryOptions{})
	g.Replay()
	trace := cpuTrace(t, memory.Snapshot())
	e := only(t, trace, memory.ActionAlloc, 4<<20)
	assert.True(t, calls(e.Frames, "inReplay"), "%v", e.Frames)
}

func inReplay(x *torch.Tensor) *torch.Tensor { return x.Exp() }
