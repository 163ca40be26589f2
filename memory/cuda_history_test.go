package memory_test

import (
	"os"
	"path/filepath"
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

// Blocks and events of a device carry the Go stack of the operator.
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

// Out of memory on a device leaves its trace, and the snapshot that was asked
// for.
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
	assert.Equal(t, 2, ooms, "the operator was called twice")
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

// On a machine without CUDA, pools and history say so.
func TestNoSuchDeviceHistory(t *testing.T) {
	far := torch.CUDA(99)
	_, err := memory.NewMemPool(far)
	require.ErrorIs(t, err, torch.ErrDevice)
	require.ErrorIs(t, memory.RecordHistory(memory.HistoryOptions{Devices: []torch.Device{far}}), torch.ErrDevice)
	require.ErrorIs(t, torch.Try(func() { memory.Snapshot(far) }), torch.ErrDevice)
}
