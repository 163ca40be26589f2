package nn_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// lora adds a correction of low rank to a layer of the library and has its Base.
type lora struct {
	*nn.Linear
	a, b *torch.Tensor
}

func (l *lora) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Linear.Forward(x).Add(x.MatMul(l.a).MatMul(l.b))
}

func TestCallFreesWhatAnEmbeddingLayerLeaves(t *testing.T) {
	scoped(t, func() {
		l := &lora{nn.NewLinear(3, 2), torch.Ones(torch.Shape{3, 1}), torch.Ones(torch.Shape{1, 2})}
		defer l.Close()
		x := torch.Ones(torch.Shape{1, 3})
		live := torch.LiveTensors()
		for _, m := range []nn.Layer{l, nn.NewSequential(l), l.Linear} {
			y := nn.Call(m, x)
			assert.Equal(t, live+1, torch.LiveTensors(), nn.TypeName(m))
			require.NoError(t, y.Close())
		}
	})
}

func TestCallOfANilPointer(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{1})
		err := torch.Try(func() { nn.Call((*nn.LayerNorm)(nil), x) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "a nil *nn.LayerNorm")

		// In a Forward the layer around it is named.
		b := &forgetful{}
		err = torch.Try(func() { nn.Call(nn.NewSequential(b), x) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "in layer 0 (forgetful)")
	})
}

// forgetful never makes the layer that it calls.
type forgetful struct {
	nn.Base
	ln    *nn.LayerNorm
	table map[string]int
}

func (f *forgetful) Forward(x *torch.Tensor) *torch.Tensor {
	if x.Dim() == 0 {
		f.table["x"] = 1
	}
	return nn.Call(f.ln, x)
}

// A bug of the program's own stays what it is.
func TestCallPassesRuntimeErrorsOn(t *testing.T) {
	scoped(t, func() {
		x := torch.Ones(torch.Shape{})
		defer func() {
			_, ok := recover().(runtime.Error)
			assert.True(t, ok)
		}()
		nn.Call(&forgetful{}, x)
	})
}
