package cuda_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

func TestCUDAProperties(t *testing.T) {
	dev := needCUDA(t)
	p := cuda.GetDeviceProperties(dev)
	assert.Equal(t, p.Name, cuda.DeviceName(dev))
	major, minor := cuda.DeviceCapability(dev)
	assert.Equal(t, [2]int{p.Major, p.Minor}, [2]int{major, minor})
	assert.Positive(t, p.TotalMemory)
	assert.Positive(t, p.MultiProcessorCount)
	assert.Equal(t, 32, p.WarpSize)
	assert.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, p.UUID)
	assert.Equal(t, p, cuda.GetDeviceProperties(torch.CUDA))
	assert.False(t, cuda.CanDeviceAccessPeer(dev, dev))
	least, greatest := cuda.PriorityRange()
	assert.Zero(t, least)
	assert.Negative(t, greatest)
	assert.NotEmpty(t, cuda.ArchList())
	assert.Equal(t, p.Major >= 8, cuda.IsTF32Supported())
	assert.True(t, cuda.IsBF16Supported(true))
	if !simulated() {
		return
	}
	// These are the results of Python's torch.cuda for the same simulated devices.
	assert.Equal(t, [2]int{0, -3}, [2]int{least, greatest})
	assert.Equal(t, []string{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"}, cuda.ArchList())
	assert.Equal(t, cuda.DeviceProperties{
		Name: "Simulated CUDA device 0", Major: 9, TotalMemory: 1 << 30, MultiProcessorCount: 2,
		MaxThreadsPerMultiProcessor: 2048,
		MaxThreadsPerBlock:          1024, WarpSize: 32, RegsPerMultiprocessor: 65536, SharedMemoryPerBlock: 49152,
		SharedMemoryPerBlockOptin: 232448, SharedMemoryPerMultiprocessor: 233472, L2CacheSize: 52428800,
		ClockRate:       1980000,
		MemoryClockRate: 2619000, MemoryBusWidth: 5120, PCIBusID: 1, UUID: "10101010-1010-1010-1010-101010101010",
	}, p)
	if cuda.DeviceCount() > 1 {
		assert.Equal(t, "_CudaDeviceProperties(name='Simulated CUDA device 1', major=9, minor=0, "+
			"total_memory=1024MB, multi_processor_count=2, uuid=11111111-1111-1111-1111-111111111111, pci_bus_id=2, "+
			"pci_device_id=0, pci_domain_id=0, L2_cache_size=50MB)",
			cuda.GetDeviceProperties(torch.CUDA.At(1)).String())
	}
}

func TestNoSuchProperties(t *testing.T) {
	far := torch.CUDA.At(99)
	for _, f := range []func(){
		func() { cuda.GetDeviceProperties(far) },
		func() { cuda.DeviceName(far) },
		func() { cuda.DeviceCapability(far) },
		func() { cuda.CanDeviceAccessPeer(far, far) },
		func() { cuda.DeviceName(torch.CPU) },
		func() { cuda.RNGState(far) },
		func() { cuda.SetRNGState(torch.RNGState(), far) },
	} {
		require.ErrorIs(t, torch.Try(f), torch.ErrDevice)
	}
	if cuda.IsAvailable() {
		return
	}
	assert.False(t, cuda.IsBF16Supported(true))
	assert.False(t, cuda.IsTF32Supported())
	assert.Empty(t, cuda.ArchList())
	assert.False(t, cuda.IsCurrentStreamCapturing())
	cuda.ManualSeed(1) // without CUDA, these functions do nothing
	cuda.ManualSeedAll(1)
	cuda.Seed()
	cuda.SeedAll()
	for _, f := range []func(){
		func() { cuda.PriorityRange() },
		func() { cuda.InitialSeed() },
		func() { cuda.RNGStateAll() },
		func() { cuda.SetRNGStateAll(nil) },
		func() { cuda.NewCUDAGraph() },
		func() { cuda.GraphPoolHandle() },
		func() { cuda.NewExternalStream(64) },
	} {
		require.ErrorIs(t, torch.Try(f), torch.ErrDevice)
	}
}

// If devices can access each other's memory, copies between them are direct, and the stream on
// the other device waits for them.
func TestCUDAPeers(t *testing.T) {
	if !needSimulation(t) {
		report := t.TempDir() + "/report"
		child(t, "TestCUDAPeers", "CUDASIM_PEERS=1", "CUDASIM_REPORT="+report)
		text, _ := os.ReadFile(report)
		assert.Empty(t, string(text))
		return
	}
	a, b := torch.CUDA.At(0), torch.CUDA.At(1)
	needCUDA(t)
	require.True(t, cuda.CanDeviceAccessPeer(a, b))
	x := torch.Arange(0, 1000, 1, torch.Float32).To(a)
	y := x.To(b, torch.NonBlocking(true))
	assert.Equal(t, x.CPU().Float32s(), y.CPU().Float32s())
}

func TestCUDAStreamHandles(t *testing.T) {
	dev := needCUDA(t)
	s := cuda.NewStream(cuda.Priority(-1))
	assert.Equal(t, -1, s.Priority())
	assert.Zero(t, cuda.DefaultStream().Priority())
	assert.Zero(t, cuda.DefaultStream().Handle())
	h := s.Handle()
	require.NotZero(t, h)

	same := cuda.NewExternalStream(h, cuda.Device(dev))
	assert.Equal(t, h, same.Handle())
	assert.Equal(t, -1, same.Priority())
	pinned := torch.Arange(0, 64, 1, torch.Float32).PinMemory()
	var d *torch.Tensor
	same.Do(func() {
		assert.True(t, cuda.CurrentStream().Equal(same))
		d = pinned.To(dev, torch.NonBlocking(true))
	})
	if simulated() {
		assert.False(t, s.Query(), "the work is the stream's")
	}
	s.Synchronize()
	assert.Equal(t, pinned.Float32s(), d.CPU().Float32s())

	for _, bad := range []uintptr{0, 33} {
		require.ErrorIs(t, torch.Try(func() { cuda.NewExternalStream(bad) }), torch.ErrValue)
	}
}

func TestCUDAEventFlags(t *testing.T) {
	needCUDA(t)
	for _, e := range []*cuda.Event{
		cuda.NewEvent(), cuda.NewEvent(cuda.Blocking(true)), cuda.NewEvent(cuda.Interprocess(true)),
		cuda.NewEvent(cuda.EnableTiming(true), cuda.Blocking(true)),
	} {
		assert.Zero(t, e.Handle())
		e.Record(cuda.CurrentStream())
		assert.NotZero(t, e.Handle())
		e.Synchronize()
		assert.True(t, e.Query())
	}
	err := torch.Try(func() { cuda.NewEvent(cuda.EnableTiming(true), cuda.Interprocess(true)) })
	require.ErrorIs(t, err, torch.ErrValue)
	assert.Contains(t, err.Error(), "Interprocess")
}
