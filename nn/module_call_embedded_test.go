package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// block is a user's module, residual embeds a block, and scaled embeds a residual. Each
// has its own Forward, which goes through Call.
type block struct {
	nn.Base
	fc *nn.Linear
}

func newBlock() *block {
	b := new(block)
	b.Init(b)
	b.fc = nn.NewLinear(3, 3, b.As("fc"))
	return b
}

func (b *block) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor { return b.fc.Forward(x).ReLU() })
}

type residual struct{ *block }

func newResidual() *residual {
	r := &residual{newBlock()}
	r.Init(r)
	return r
}

func (r *residual) Forward(x *torch.Tensor) *torch.Tensor {
	return r.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{r.block.Forward(in[0]).Add(in[0])}
	})[0]
}

type scaled struct{ *residual }

func newScaled() *scaled {
	s := &scaled{newResidual()}
	s.Init(s)
	return s
}

func (s *scaled) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor { return s.residual.Forward(x).MulScalar(2) })
}

// Calling the embedded module's Forward works like super().forward(x): the hooks run
// once per call and receive the enclosing struct.
func TestHooksOfAnEmbeddedModule(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1, 3})
		for _, m := range []nn.Layer{newBlock(), newResidual(), newScaled()} {
			var seen []nn.Module
			see := func(m nn.Module, _ []*torch.Tensor) []*torch.Tensor {
				seen = append(seen, m)
				return nil
			}
			m.ModuleBase().RegisterForwardPreHook(see)
			m.ModuleBase().RegisterForwardHook(func(m nn.Module, in, _ []*torch.Tensor) []*torch.Tensor {
				return see(m, in)
			})
			for range 2 {
				seen = nil
				live := torch.NumLiveTensors()
				y := m.Forward(x)
				assert.Equal(t, []nn.Module{m, m}, seen)
				assert.Equal(t, live+1, torch.NumLiveTensors(), "temporaries are left")
				require.NoError(t, y.Close())
			}
			// A panic does not affect the next call.
			require.Error(t, torch.Try(func() { m.Forward(torch.Ones(torch.Shape{1, 2})) }))
			seen = nil
			m.Forward(x)
			assert.Len(t, seen, 2)
			require.NoError(t, m.Close())
		}
	})
}

func TestErrorOfAnEmbeddedModule(t *testing.T) {
	scoped(t, func() {
		s := newScaled()
		defer s.Close()
		err := torch.Try(func() { nn.NewSequential(s).Forward(torch.Ones(torch.Shape{1, 2})) })
		var e *torch.Error
		require.ErrorAs(t, err, &e)
		assert.Contains(t, e.Layer, "0.fc (Linear")
		assert.NotContains(t, e.Layer, "0.0")
	})
}
