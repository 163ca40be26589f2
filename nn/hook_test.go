package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func TestHooks(t *testing.T) {
	scoped(t, func() {
		l := nn.NewReLU()
		s := nn.NewSequential(nn.NewIdentity(), l)
		x := torch.FromSlice([]float32{-1, 2})
		var seen []string
		pre := l.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "pre "+m.ModuleBase().TypeName())
			return []*torch.Tensor{in[0].AddScalar(3)}
		})
		post := l.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			seen = append(seen, "post")
			assert.Equal(t, []float32{2, 5}, in[0].Float32s())
			return []*torch.Tensor{out[0].MulScalar(10)}
		})
		live := torch.LiveTensors()
		assert.Equal(t, []float32{20, 50}, s.Forward(x).Float32s())
		assert.Equal(t, live+1, torch.LiveTensors())
		pre.Remove()
		post.Remove()
		post.Remove()
		assert.Equal(t, []float32{0, 2}, s.Forward(x).Float32s())
		assert.Equal(t, []string{"pre ReLU", "post"}, seen)
	})
}
