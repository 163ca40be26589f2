package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A replay needs no more peak memory than the step without a graph. Some of the sizes are
// so small that the allocator rounds them up, and others are not. The memory that
// rounding wastes is counted too.
func TestReplaysNeedNoMoreMemory(t *testing.T) {
	for _, width := range []int64{3, 20, 64, 100, 300} {
		torch.Scope(func() {
			net := nn.NewSequential(nn.NewLinear(32, width), nn.NewReLU(), nn.NewLinear(width, width), nn.NewReLU(),
				nn.NewLinear(width, 10))
			defer net.Close()
			opt := optim.NewAdamW(net.Parameters(), optim.Fused(true))
			defer opt.Close()
			x, y := torch.Randn(torch.Shape{16, 32}), torch.RandInt(0, 10, torch.Shape{16})
			step := func() []*torch.Tensor {
				opt.ZeroGrad()
				loss := F.CrossEntropy(net.Forward(x), y)
				loss.Backward()
				opt.Step()
				return []*torch.Tensor{loss}
			}
			once := func() { torch.Scope(func() { step() }) }
			once()
			opt.ZeroGrad()
			memory.Collect() // free the tensors of earlier tests now and not during the measurement
			before := memory.Allocated(torch.CPU)
			peak := func(fn func()) int64 {
				memory.ResetPeak(torch.CPU)
				fn()
				return memory.MaxAllocated(torch.CPU) - before
			}
			eager := peak(once)
			opt.ZeroGrad()
			g := torch.Capture(step)
			defer g.Close()
			g.Replay() // the first replay is checked: it also runs the step without the graph
			replayed := peak(func() { g.Replay() })
			// The 64 bytes are for a constant in the step, here a number, which stays in memory. See
			// lay_out in cgotorch/capture/layout.cpp for the 4096.
			assert.LessOrEqual(t, replayed, eager+64+eager/4096, "width %d", width)
			assert.Positive(t, replayed)
		})
	}
}
