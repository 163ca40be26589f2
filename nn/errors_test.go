package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// stopper is a layer whose Forward panics with its value, unless the value is nil.
type stopper struct {
	nn.Base
	with any
}

func newStopper(with any) *stopper {
	s := &stopper{with: with}
	s.Init(s)
	return s
}

func (s *stopper) Forward(x *torch.Tensor) *torch.Tensor {
	return s.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if s.with == nil {
			return x.MulScalar(1)
		}
		torch.Zeros(torch.Shape{2})
		panic(s.with)
	})
}

func TestErrorsNameTheLayer(t *testing.T) {
	scoped(t, func() {
		inner := nn.NewSequential(nn.NewReLU(), nn.NewLinear(3, 2))
		s := nn.NewSequential(nn.NewLinear(2, 2)).Add("head", inner)
		defer s.Close()
		err := torch.Try(func() { s.Forward(torch.Zeros(torch.Shape{1, 2})) })
		require.ErrorIs(t, err, torch.ErrShape)
		var te *torch.Error
		require.ErrorAs(t, err, &te)
		assert.Equal(t, "head.1 (Linear, weight (2, 3), bias (2,), input (1, 2))", te.Layer)
		assert.Equal(t, "Linear", te.Op)
		assert.ErrorContains(t, err, "in layer head.1 (Linear, weight (2, 3), bias (2,), input (1, 2))")

		err = torch.Try(func() { nn.NewReLU().Forward(nil) })
		assert.ErrorContains(t, err, "ReLU: argument input is a nil *Tensor in layer ReLU")

		live := torch.NumLiveTensors()
		assert.PanicsWithValue(t, "stop", func() {
			nn.NewSequential(newStopper("stop")).Forward(torch.Zeros(torch.Shape{1}))
		})
		assert.Equal(t, live+1, torch.NumLiveTensors(), "only the test's own tensor stays")
	})
}

func TestBadLayers(t *testing.T) {
	scoped(t, func() {
		leaf := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
		closed := torch.Zeros(torch.Shape{2})
		closed.Close()
		b := new(holder)
		b.Init(b)
		nn.NewReLU(b.As("child"))
		b.RegisterParameter("p", torch.Zeros(torch.Shape{1}))
		b.RegisterBuffer("b", torch.Zeros(torch.Shape{1}))
		defer b.Close()
		bn, mha := nn.NewBatchNorm2d(2), nn.NewMultiheadAttention(8, 2)
		defer bn.Close()
		defer mha.Close()
		cases := []struct {
			name string
			kind error
			fn   func()
		}{
			{"nil module", torch.ErrNil, func() { b.Register("x", nil) }},
			{"nil pointer", torch.ErrNil, func() { b.Register("x", (*nn.Linear)(nil)) }},
			{"empty name", torch.ErrValue, func() { b.Register("", nn.NewReLU()) }},
			{"dotted name", torch.ErrValue, func() { b.Register("a.b", nn.NewReLU()) }},
			{"name of a parameter", torch.ErrValue, func() { b.Register("p", nn.NewReLU()) }},
			{"name of a child", torch.ErrValue, func() { b.RegisterParameter("child", leaf) }},
			{"name of a buffer", torch.ErrValue, func() { b.RegisterParameter("b", leaf) }},
			{"computed parameter", torch.ErrAutograd, func() { b.RegisterParameter("y", leaf.MulScalar(2)) }},
			{"closed parameter", torch.ErrClosed, func() { b.RegisterParameter("y", closed) }},
			{"closed buffer", torch.ErrClosed, func() { b.RegisterBuffer("y", closed) }},
			{"nil in Sequential", torch.ErrNil, func() { nn.NewSequential(nil) }},
			{"taken name", torch.ErrValue, func() { nn.NewSequential(nn.NewReLU()).Add("0", nn.NewReLU()) }},
			{"no such layer", torch.ErrIndex, func() { nn.NewSequential(nn.NewReLU()).At(1) }},
			{"negative size", torch.ErrValue, func() { nn.NewLinear(-1, 2) }},
			{"no kernel", torch.ErrType, func() { nn.NewConv2d(1, 2, nil) }},
			{"groups", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.Groups(2)) }},
			{"padding", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingWord("some")) }},
			{"same and stride", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingSame, nn.Stride(2)) }},
			{"padding mode", torch.ErrValue, func() { nn.NewConv2d(3, 4, 3, nn.PaddingMode("some")) }},
			{"probability", torch.ErrValue, func() { nn.NewDropout(1.5) }},
			{"heads", torch.ErrValue, func() { nn.NewMultiheadAttention(8, 3) }},
			{"group norm", torch.ErrValue, func() { nn.NewGroupNorm(2, 3) }},
			{"padding index", torch.ErrIndex, func() { nn.NewEmbedding(2, 2, nn.PaddingIdx(2)) }},
			{"dimensions", torch.ErrShape, func() { bn.Forward(leaf) }},
			{"attention", torch.ErrShape, func() { mha.Forward(leaf, leaf, leaf) }},
		}
		for _, c := range cases {
			err := torch.Try(c.fn)
			if assert.Error(t, err, c.name) {
				assert.ErrorIs(t, err, c.kind, "%s: %v", c.name, err)
			}
		}
	})
}
