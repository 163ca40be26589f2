package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// If a step drops its gradients at the end and then fails in a metric, the next call must
// start without gradients, with Capture and with CaptureByShape.
func TestFailedReplayLeavesNoGradient(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		made := func() (*torch.Tensor, func(in []*torch.Tensor) []*torch.Tensor) {
			w, table := torch.Ones(torch.Shape{4}).RequiresGrad_(), torch.Ones(torch.Shape{4})
			opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.1))
			return w, func(in []*torch.Tensor) []*torch.Tensor {
				l := w.Mul(in[0]).Square().Sum()
				l.Backward()
				opt.Step()
				opt.ZeroGrad()
				return []*torch.Tensor{l.Detach(), table.IndexSelect(0, in[1])}
			}
		}
		w0, eager := made()
		w1, fn := made()
		byShape := torch.CaptureByShape(fn)
		defer byShape.Close()
		w2, fn := made()
		captured := 0
		x, at := torch.Ones(torch.Shape{4}), torch.FromSlice([]int64{1})
		g := torch.Capture(func() []*torch.Tensor { captured++; return fn([]*torch.Tensor{x, at}) },
			torch.Inputs{x, at})
		defer g.Close()
		for i := range captured { // the runs during the capture changed w2
			eager([]*torch.Tensor{x, at})
			byShape.Call(x, at)
			require.True(t, w0.Equal(w1), "step %d of those captured", i)
		}
		for i := range 9 {
			x, at := torch.Full(torch.Shape{4}, 0.5+float64(i%3)), torch.FromSlice([]int64{1})
			if i == 3 {
				at = torch.FromSlice([]int64{200})
			}
			for k, call := range []func(){func() { eager([]*torch.Tensor{x, at}) }, func() {
				byShape.Call(x, at)
			}, func() { g.Call(x, at) }} {
				err := torch.Try(call)
				assert.Equal(t, i == 3, err != nil, "call %d, %d: %v", i, k, err)
			}
			for k, w := range []*torch.Tensor{w1, w2} {
				require.True(t, w0.Equal(w), "call %d: %v, with a graph (%d) %v", i, w0, k, w)
				require.Nil(t, w.Grad(), "call %d, %d", i, k)
			}
		}
	})
}
