package amp_test

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/cuda"
)

// filled runs fn while all new device memory is filled with v. The kernels of the simulated
// driver write nothing, so all elements of results are v.
func filled(t *testing.T, v float64, devices []torch.Device, fn func()) {
	defer memory.EmptyCache(devices...)
	for _, dev := range devices {
		p, err := memory.NewMemPool(dev)
		require.NoError(t, err)
		inner := fn
		fn = func() {
			memory.UsePool(p, func() {
				for _, n := range []int64{1 << 18, 5 << 20} { // the sizes of a small and a large block
					torch.Scope(func() { torch.Empty(torch.Shape{n}, dev).Copy_(torch.Full(torch.Shape{n}, v)) })
				}
				inner()
			})
		}
		defer func() { require.NoError(t, p.Close()) }()
	}
	fn()
}

// A step is taken only if no device found an infinity. Unscale_ and Update do not wait for the
// device, but Step does.
func TestCUDAGradScaler(t *testing.T) {
	if !cuda.IsAvailable() {
		t.Skip("no CUDA")
	}
	simulated := os.Getenv("CUDASIM_DEVICES") != ""
	devices := []torch.Device{torch.CUDA.At(0)}
	if cuda.DeviceCount() > 1 {
		devices = append(devices, torch.CUDA.At(1))
	}
	host := torch.Ones(torch.Shape{1 << 16}).PinMemory()
	defer func() { require.NoError(t, host.Close()) }()
	for _, found := range []float64{0, 1} {
		filled(t, found, devices, func() {
			torch.Scope(func() {
				var params []*torch.Tensor
				for _, dev := range devices {
					p := torch.Ones(torch.Shape{4}, dev, torch.RequiresGrad(true))
					grad := torch.Ones(torch.Shape{4})
					if found != 0 {
						grad.Fill_(math.Inf(1))
					}
					p.SetGrad(grad.ToDevice(dev))
					params = append(params, p)
				}
				opt := optim.NewSGD(params, optim.LR(0.1))
				steps := 0
				opt.RegisterStepPostHook(func(optim.Optimizer) { steps++ })
				s := amp.NewGradScaler()
				defer s.Close()
				require.ErrorIs(t, torch.Try(func() { s.Unscale_(opt) }), torch.ErrRuntime)
				buffer := torch.Empty(torch.Shape{1 << 16}, torch.CUDA.At(0))
				s.Scale(torch.Ones(torch.Shape{1}, torch.CUDA.At(0)))
				cuda.Synchronize(devices...)
				buffer.Copy_(host, torch.NonBlocking(true))
				s.Unscale_(opt)
				require.ErrorIs(t, torch.Try(func() { s.Unscale_(opt) }), torch.ErrRuntime)
				if simulated {
					assert.False(t, cuda.CurrentStream().Query(), "Unscale_ does not wait")
				}
				s.Step(opt)
				require.ErrorIs(t, torch.Try(func() { s.Step(opt) }), torch.ErrRuntime)
				assert.Equal(t, found == 0, steps == 1, "found %v", found)
				buffer.Copy_(host, torch.NonBlocking(true))
				s.Update()
				if simulated {
					assert.False(t, cuda.CurrentStream().Query(), "Update does not wait")
				}
				require.ErrorIs(t, torch.Try(func() { s.Update() }), torch.ErrRuntime)
				cuda.Synchronize(devices...)
			})
		})
	}
}

// A fused step itself checks for infinities, and no call waits for the device.
func TestCUDAGradScalerFused(t *testing.T) {
	if !cuda.IsAvailable() {
		t.Skip("no CUDA")
	}
	dev := torch.CUDA.At(0)
	host := torch.Ones(torch.Shape{1 << 16}).PinMemory()
	defer func() { require.NoError(t, host.Close()) }()
	torch.Scope(func() {
		p := torch.Ones(torch.Shape{4}, dev, torch.RequiresGrad(true))
		opt := optim.NewAdamW([]*torch.Tensor{p}, optim.Fused(true))
		s := amp.NewGradScaler(amp.Device(dev))
		defer s.Close()
		buffer := torch.Empty(torch.Shape{1 << 16}, dev)
		p.SetGrad(torch.Ones(torch.Shape{4}, dev))
		s.Scale(torch.Ones(torch.Shape{1}, dev))
		cuda.Synchronize()
		buffer.Copy_(host, torch.NonBlocking(true))
		s.Step(opt)
		s.Update()
		if os.Getenv("CUDASIM_DEVICES") != "" {
			assert.False(t, cuda.CurrentStream().Query(), "it waited")
		}
		require.ErrorIs(t, torch.Try(func() { s.Update() }), torch.ErrRuntime)
		cuda.Synchronize()
	})
}
