package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

// Running a sequence in two calls, the second with the state of the first, gives the
// same result as one call. This holds with and without a batch dimension. Padding does
// not affect packed sequences.
func TestRecurrentStates(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLSTM(4, 3, nn.NumLayers(2), nn.ProjSize(2), nn.Bidirectional(false))
		defer m.Close()
		x := torch.Randn(torch.Shape{5, 2, 4})
		out, h, c := m.Forward(x, nil, nil)
		first, h1, c1 := m.Forward(x.Narrow(0, 0, 3), nil, nil)
		second, h2, c2 := m.Forward(x.Narrow(0, 3, 2), h1, c1)
		assert.InDeltaSlice(t, out.Float64s(), torch.Cat([]*torch.Tensor{first, second}).Float64s(), 1e-6)
		assert.InDeltaSlice(t, h.Float64s(), h2.Float64s(), 1e-6)
		assert.InDeltaSlice(t, c.Float64s(), c2.Float64s(), 1e-6)

		one, ho, co := m.Forward(x.Select(1, 0), h1.Select(1, 0), c1.Select(1, 0))
		assert.Equal(t, torch.Shape{5, 2}, one.Shape())
		assert.Equal(t, torch.Shape{2, 2}, ho.Shape())
		assert.Equal(t, torch.Shape{2, 3}, co.Shape())

		packed := rnn.PackPaddedSequence(x, []int64{3, 5}, rnn.EnforceSorted(false))
		live := torch.NumLiveTensors()
		p, hp, cp := m.ForwardPacked(packed, h1, c1)
		assert.Equal(t, live+3, torch.NumLiveTensors())
		all, _, _ := m.Forward(x, h1, c1)
		padded, lengths := rnn.PadPackedSequence(p)
		assert.Equal(t, []int64{3, 5}, lengths.Int64s())
		assert.InDeltaSlice(t, all.Select(1, 1).Float64s(), padded.Select(1, 1).Float64s(), 1e-6)
		assert.InDeltaSlice(t, all.Select(1, 0).Narrow(0, 0, 3).Float64s(),
			padded.Select(1, 0).Narrow(0, 0, 3).Float64s(), 1e-6)
		_, hs, cs := m.Forward(x.Select(1, 0).Narrow(0, 0, 3), h1.Select(1, 0), c1.Select(1, 0))
		assert.InDeltaSlice(t, hs.Float64s(), hp.Select(1, 0).Float64s(), 1e-6)
		assert.InDeltaSlice(t, cs.Float64s(), cp.Select(1, 0).Float64s(), 1e-6)
	})
}

// Through the interface Recurrent, a program can choose the kind of layer at run time.
func TestRecurrentChosenAtRunTime(t *testing.T) {
	scoped(t, func() {
		x := torch.Randn(torch.Shape{5, 2, 4})
		lstm, gru, plain := nn.NewLSTM(4, 3), nn.NewGRU(4, 3), nn.NewRNN(4, 3)
		for _, m := range []nn.Recurrent{lstm, gru, plain} {
			defer m.Close()
			whole, end := m.ForwardState(x)
			_, between := m.ForwardState(x.Narrow(0, 0, 3))
			rest, after := m.ForwardState(x.Narrow(0, 3, 2), between...)
			assert.InDeltaSlice(t, whole.Narrow(0, 3, 2).Float64s(), rest.Float64s(), 1e-6)
			require.Len(t, after, len(end))
			for i := range end {
				assert.InDeltaSlice(t, end[i].Float64s(), after[i].Float64s(), 1e-6)
			}
			err := torch.Try(func() { m.ForwardState(x, x, x, x) })
			require.ErrorIs(t, err, torch.ErrValue)
			assert.ErrorContains(t, err, "ForwardState: argument states: expected "+fmt.Sprint(len(end)))
		}
		out, h, c := lstm.Forward(x, nil, nil)
		got, states := lstm.ForwardState(x)
		assert.Equal(t, [][]float32{out.Float32s(), h.Float32s(), c.Float32s()},
			[][]float32{got.Float32s(), states[0].Float32s(), states[1].Float32s()})
		_, one := gru.ForwardState(x)
		assert.Len(t, one, 1)
	})
}

// A cell computes one step of the layer with the same parameters.
func TestCells(t *testing.T) {
	scoped(t, func() {
		x, h, c := torch.Randn(torch.Shape{2, 4}), torch.Randn(torch.Shape{2, 3}), torch.Randn(torch.Shape{2, 3})
		given := func(cell, layer nn.Module) {
			sd := nn.StateDict{}
			for _, n := range cell.StateDict() {
				sd = append(sd, nn.NamedTensor{Name: n.Name + "_l0", Tensor: n.Tensor})
			}
			require.NoError(t, layer.LoadStateDict(sd))
		}
		same := func(want, got *torch.Tensor) {
			t.Helper()
			assert.InDeltaSlice(t, want.Float64s(), got.Float64s(), 1e-6)
		}
		cell, layer := nn.NewLSTMCell(4, 3), nn.NewLSTM(4, 3)
		given(cell, layer)
		ch, cc := cell.Forward(x, h, c)
		_, lh, lc := layer.Forward(x.Unsqueeze(0), h.Unsqueeze(0), c.Unsqueeze(0))
		same(lh, ch)
		same(lc, cc)
		one, _ := cell.Forward(x.Select(0, 0), h.Select(0, 0), c.Select(0, 0))
		same(ch.Select(0, 0), one)

		gc, gl := nn.NewGRUCell(4, 3), nn.NewGRU(4, 3)
		given(gc, gl)
		_, gh := gl.Forward(x.Unsqueeze(0), h.Unsqueeze(0))
		same(gh, gc.Forward(x, h))
		rc, rl := nn.NewRNNCell(4, 3, nn.NonlinearityReLU), nn.NewRNN(4, 3, nn.NonlinearityReLU)
		given(rc, rl)
		_, rh := rl.Forward(x.Unsqueeze(0), h.Unsqueeze(0))
		same(rh, rc.Forward(x, h))
		for _, m := range []nn.Module{cell, layer, gc, gl, rc, rl} {
			require.NoError(t, m.Close())
		}
	})
}

// The layer uses a parameter that the program registers, and a copy of the layer has its
// own parameters.
func TestRecurrentParameters(t *testing.T) {
	scoped(t, func() {
		m := nn.NewGRU(4, 3, nn.NumLayers(2), nn.Bidirectional(true))
		defer m.Close()
		all := m.AllWeights()
		require.Len(t, all, 4)
		assert.Len(t, all[3], 4)
		assert.Same(t, m.StateDict().Get("weight_hh_l1_reverse"), all[3][1])
		x := torch.Randn(torch.Shape{5, 2, 4})
		before, _ := m.Forward(x, nil)
		twin := nn.DeepCopy(m).(*nn.GRU)
		defer twin.Close()
		for _, list := range all {
			for _, w := range list {
				defer w.Close()
			}
		}
		for _, n := range m.NamedParameters() {
			m.RegisterParameter(n.Name, torch.Zeros(n.Tensor.Shape()))
		}
		m.FlattenParameters()
		y, _ := m.Forward(x, nil)
		assert.Zero(t, y.Abs().Sum().Item())
		same, _ := twin.Forward(x, nil)
		assert.Equal(t, before.Float64s(), same.Float64s())
		removed := m.StateDict().Get("bias_hh_l0")
		defer removed.Close()
		m.RegisterParameter("bias_hh_l0", nil)
		err := torch.Try(func() { m.Forward(x, nil) })
		require.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "bias_hh_l0")
	})
}

func TestBadRecurrentCalls(t *testing.T) {
	scoped(t, func() {
		f32 := func(shape ...int64) *torch.Tensor { return torch.Zeros(torch.Shape(shape)) }
		layer, net, cell, rc := nn.NewLSTM(4, 3), nn.NewGRU(4, 3), nn.NewLSTMCell(4, 3), nn.NewRNNCell(4, 3)
		x, h := f32(5, 2, 4), f32(1, 2, 3)
		packed := rnn.PackPaddedSequence(x, []int64{5, 3})
		for name, c := range map[string]struct {
			kind  error
			where string
			call  func()
		}{
			"sizes":        {torch.ErrValue, "NewLSTM: argument hiddenSize", func() { nn.NewLSTM(4, 0) }},
			"layers":       {torch.ErrValue, "NumLayers", func() { nn.NewRNN(4, 3, nn.NumLayers(0)) }},
			"projection":   {torch.ErrValue, "ProjSize", func() { nn.NewLSTM(4, 3, nn.ProjSize(3)) }},
			"dropout":      {torch.ErrValue, "DropoutP", func() { nn.NewGRU(4, 3, nn.DropoutP(1.5)) }},
			"nonlinearity": {torch.ErrValue, "Nonlinearity", func() { nn.NewRNN(4, 3, nn.Nonlinearity("gelu")) }},
			"cell":         {torch.ErrValue, "NewGRUCell: argument inputSize", func() { nn.NewGRUCell(-1, 3) }},
			"dimensions":   {torch.ErrShape, "input", func() { layer.Forward(f32(4), nil, nil) }},
			"features":     {torch.ErrShape, "input", func() { layer.Forward(f32(5, 2, 3), nil, nil) }},
			"dtype": {torch.ErrDType, "float64", func() {
				layer.Forward(torch.Zeros(torch.Shape{5, 2, 4}, torch.Float64), nil, nil)
			}},
			"h0":               {torch.ErrShape, "h0", func() { layer.Forward(x, f32(1, 1, 3), h) }},
			"c0":               {torch.ErrShape, "c0", func() { layer.Forward(x, h, f32(2, 3)) }},
			"half a state":     {torch.ErrNil, "h0, c0", func() { layer.Forward(x, h, nil) }},
			"closed state":     {torch.ErrClosed, "h0", func() { net.Forward(x, closed()) }},
			"unbatched state":  {torch.ErrShape, "h0", func() { net.Forward(f32(5, 4), h) }},
			"nothing packed":   {torch.ErrNil, "input", func() { net.ForwardPacked(nil, nil) }},
			"packed state":     {torch.ErrShape, "h0", func() { net.ForwardPacked(packed, f32(1, 3, 3)) }},
			"cell's input":     {torch.ErrShape, "input", func() { cell.Forward(f32(2, 3), nil, nil) }},
			"cell's state":     {torch.ErrShape, "(2, 3)", func() { rc.Forward(f32(2, 4), f32(3)) }},
			"half of a cell's": {torch.ErrNil, "h0, c0", func() { cell.Forward(f32(2, 4), nil, f32(2, 3)) }},
		} {
			live := torch.NumLiveTensors()
			var err error
			torch.Scope(func() { err = torch.Try(c.call) })
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, c.where, name)
			assert.Equal(t, live, torch.NumLiveTensors(), name)
		}
		for _, m := range []nn.Module{layer, net, cell, rc} {
			require.NoError(t, m.Close())
		}
	})
}

func closed() *torch.Tensor {
	c := torch.Zeros(torch.Shape{1, 2, 3})
	_ = c.Close()
	return c
}

// Hooks receive the data of packed sequences, and may replace it.
func TestRecurrentHooks(t *testing.T) {
	scoped(t, func() {
		m := nn.NewRNN(4, 3)
		defer m.Close()
		m.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			assert.Len(t, in, 2)
			assert.Nil(t, in[1])
			return []*torch.Tensor{out[0].MulScalar(0), out[1]}
		})
		packed := rnn.PackSequence([]*torch.Tensor{torch.Randn(torch.Shape{3, 4}), torch.Randn(torch.Shape{2, 4})})
		out, h := m.ForwardPacked(packed, nil)
		assert.Zero(t, out.Data.Abs().Sum().Item())
		assert.NotZero(t, h.Abs().Sum().Item())
	})
}

// Settings are fields. A layer uses or rejects the values assigned to them, and rejects
// parameters of the wrong sizes, which the kernels do not check.
func TestRecurrentSettings(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLSTM(4, 3, nn.NumLayers(2), nn.DropoutP(0.5))
		defer m.Close()
		x := torch.Randn(torch.Shape{5, 2, 4})
		before, _, _ := m.Forward(x, nil, nil)
		m.BatchFirst, m.Dropout = true, 0
		assert.Equal(t, "LSTM(4, 3, num_layers=2, batch_first=True)", m.String())
		after, h, _ := m.Forward(x.Transpose(0, 1), nil, nil)
		assert.Equal(t, torch.Shape{2, 5, 3}, after.Shape())
		assert.Equal(t, torch.Shape{2, 2, 3}, h.Shape())
		assert.NotEqual(t, before.Float32s(), after.Float32s())
		for name, change := range map[string]func(l *nn.LSTM){
			"NumLayers":    func(l *nn.LSTM) { l.NumLayers = 3 },
			"Bias":         func(l *nn.LSTM) { l.Bias = false },
			"weight_ih_l0": func(l *nn.LSTM) { l.HiddenSize = 5 },
			"weight_hh_l1": func(l *nn.LSTM) { l.RegisterParameter("weight_hh_l1", torch.Zeros(torch.Shape{12, 4})) },
			"bias_ih_l0": func(l *nn.LSTM) {
				l.RegisterParameter("bias_ih_l0", torch.Zeros(torch.Shape{12}, torch.Float64))
			},
		} {
			twin := nn.DeepCopy(m).(*nn.LSTM)
			old := twin.Parameters()
			change(twin)
			err := torch.Try(func() { twin.Forward(x.Transpose(0, 1), nil, nil) })
			require.Error(t, err, name)
			assert.ErrorContains(t, err, name)
			require.NoError(t, twin.Close())
			for _, p := range old {
				_ = p.Close()
			}
		}
		a := nn.NewMultiheadAttention(4, 2)
		defer a.Close()
		a.NumHeads = 3
		assert.ErrorIs(t, torch.Try(func() { a.Forward(x, x, x) }), torch.ErrValue)
	})
}
