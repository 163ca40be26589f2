package profiler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torch/profiler"
)

func needCUDA(t *testing.T) {
	t.Helper()
	if err := cuda.Init(); err != nil {
		if os.Getenv("GOTORCH_NEED_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

// refused reports whether the driver is internal/cudasim without the simulated CUPTI. The
// real CUPTI does not work with this driver.
func refused() bool { return os.Getenv("CUDASIM_DEVICES") != "" && os.Getenv("CUDASIM_CUPTI") == "" }

// onGPU runs some operators on a device and returns their profile.
func onGPU(t *testing.T, opts ...profiler.Option) *profiler.Profile {
	t.Helper()
	x := torch.Ones(torch.Shape{256, 256}, torch.CUDA.At(0))
	defer func() { _ = x.Close() }()
	work := func() {
		torch.Scope(func() {
			profiler.RecordFunction("products", func() {
				y := x.Mul(x)
				y.ReLU_()
				_ = y.CPU()
			})
		})
	}
	work()
	p, err := profiler.Run(func(*profiler.Profile) { work() }, opts...)
	require.NoError(t, err)
	return p
}

// Operators show the device memory that they allocate, whether or not kernels are recorded.
func TestCUDAMemory(t *testing.T) {
	needCUDA(t)
	p := onGPU(t, profiler.Activities{profiler.CPU, profiler.CUDA}, profiler.ProfileMemory(true))
	var allocated int64
	for _, e := range p.Events().Events {
		if e.Name == "aten::mul" {
			allocated = e.DeviceMemoryUsage
		}
	}
	assert.EqualValues(t, 4*256*256, allocated)
	assert.Contains(t, p.KeyAverages().Table(), "CUDA Mem")
}

// If CUPTI cannot record, a profile of CUDA alone is an error. A profile of CUDA and the
// CPU warns and continues.
func TestCUDAThatCannotBeRecorded(t *testing.T) {
	needCUDA(t)
	if !refused() {
		t.Skip("CUPTI records the kernels of this device")
	}
	before := torch.NumLiveTensors()
	_, err := profiler.Run(func(*profiler.Profile) { t.Error("nothing is recorded") },
		profiler.Activities{profiler.CUDA})
	kind(t, err, torch.ErrDevice, "CUPTI does not record here")
	assert.Equal(t, before, torch.NumLiveTensors())
	for range 2 { // the error leaves nothing behind
		p := onGPU(t, profiler.Activities{profiler.CPU, profiler.CUDA})
		assert.Positive(t, count(p, "aten::mul"))
		assert.NotContains(t, p.KeyAverages().Table(), "Self CUDA %", "no column without kernels")
	}
}

// If CUPTI records, kernels are rows of the table, operators have the time of the
// kernels that they launched, and traces have arrows.
func TestCUDAKernels(t *testing.T) {
	needCUDA(t)
	if refused() {
		t.Skip("CUPTI refuses the simulated driver")
	}
	p := onGPU(t, profiler.Activities{profiler.CPU, profiler.CUDA}, profiler.WithStack(true))
	kernels, copies := 0, 0
	for _, e := range p.Events().Events {
		switch {
		case e.Name == "aten::mul":
			require.Len(t, e.Kernels, 1)
			assert.Positive(t, e.SelfDeviceTimeTotal(), e.Name)
			assert.NotEmpty(t, e.CPUChildren, "%s has its call of CUDA", e.Name)
		case e.Name == "products" && e.Device.IsCPU():
			assert.Positive(t, e.DeviceTimeTotal())
		case e.Device == torch.CUDA.At(0) && strings.HasPrefix(e.Name, "Memcpy"):
			copies++
		case e.Device == torch.CUDA.At(0) && !e.IsUserAnnotation:
			kernels++
			assert.Positive(t, e.End-e.Start)
			assert.Positive(t, e.Start)
		}
	}
	assert.GreaterOrEqual(t, kernels, 2)
	assert.Equal(t, 1, copies)
	assert.Contains(t, p.KeyAverages().Table(profiler.SortBySelfDeviceTimeTotal), "Self CUDA time total")

	path := filepath.Join(t.TempDir(), "trace.json")
	require.NoError(t, p.ExportChromeTrace(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var got trace
	require.NoError(t, json.Unmarshal(text, &got))
	arrows, categories := map[int][]traceEvent{}, map[string]int{}
	for _, e := range got.TraceEvents {
		categories[e.Cat]++
		if e.Cat == "ac2g" {
			arrows[e.ID] = append(arrows[e.ID], e)
		}
	}
	for _, c := range []string{"kernel", "gpu_memcpy", "cuda_runtime", "gpu_user_annotation"} {
		assert.Positive(t, categories[c], c)
	}
	require.NotEmpty(t, arrows)
	for _, a := range arrows {
		require.Len(t, a, 2)
		assert.Less(t, a[0].TS, a[1].TS)
	}

	alone := onGPU(t, profiler.Activities{profiler.CUDA})
	require.NotEmpty(t, alone.Events().Events)
	for _, e := range alone.Events().Events {
		assert.Equal(t, torch.CUDA.At(0), e.Device)
	}
}
