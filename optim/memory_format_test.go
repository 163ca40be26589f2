package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// weights returns the weights of a convolution, with a different gradient for each
// element.
func weights() *torch.Tensor {
	w := torch.Arange(0, 2*3*4*5, 1, torch.Float32).Reshape(2, 3, 4, 5).Detach().RequiresGrad_()
	w.SetGrad(torch.Arange(0, 2*3*4*5, 1, torch.Float32).Reshape(2, 3, 4, 5).Sin())
	return w
}

// If a parameter gets a different memory format, each element keeps its state.
func TestStateFollowsTheMemoryFormat(t *testing.T) {
	for name, fresh := range steppers {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a, b := weights(), weights()
				o, want := fresh([]*torch.Tensor{a}), fresh([]*torch.Tensor{b})
				defer o.Close()
				defer want.Close()
				o.Step()
				want.Step()
				a.SetData(a.To(torch.ChannelsLast))
				for range 2 {
					o.Step()
					want.Step()
				}
				require.True(t, a.IsContiguous(torch.ChannelsLast))
				assert.True(t, a.Equal(b))
				for n, s := range want.State(b) {
					assert.True(t, o.State(a)[n].Equal(s), n)
				}
			})
		})
	}
}

// If the kernels would reject a parameter, the step fails before any parameter changes.
func TestStepIsCheckedFirst(t *testing.T) {
	for name, fresh := range steppers {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				a, b := weights(), weights()
				o := fresh([]*torch.Tensor{a, b})
				defer o.Close()
				o.Step()
				before := a.Clone()
				state := map[string]*torch.Tensor{}
				for n, s := range o.State(a) {
					state[n] = s.Clone()
				}
				for what, mistake := range map[string]func(){
					"scale":    func() { o.StepScaled(torch.Ones(torch.Shape{2}), nil) },
					"foundInf": func() { o.StepScaled(nil, torch.Zeros(torch.Shape{2})) },
				} {
					require.ErrorIs(t, torch.Try(mistake), torch.ErrValue, what)
				}
				require.ErrorIs(t, torch.Try(func() {
					o.StepScaled(nil, torch.Zeros(torch.Shape{}, torch.Float64))
				}), torch.ErrType)
				g := b.Grad().Double()
				b.SetGrad(nil)
				b.SetData(b.Double())
				b.SetGrad(g)
				require.ErrorIs(t, torch.Try(o.Step), torch.ErrType)
				assert.True(t, a.Equal(before))
				for n, s := range state {
					assert.True(t, o.State(a)[n].Equal(s), n)
				}
			})
		})
	}
}
