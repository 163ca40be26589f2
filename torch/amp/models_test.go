package amp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torchtest"
)

// recurrent is a recurrent layer followed by a linear layer.
type recurrent struct {
	nn.Base
	run func(x *torch.Tensor) *torch.Tensor
	out *nn.Linear
}

func newRecurrent(layer nn.Module, run func(x *torch.Tensor) *torch.Tensor) *recurrent {
	r := &recurrent{run: run}
	r.Init(r)
	r.Register("rnn", layer)
	r.out = nn.NewLinear(6, 3, r.As("out"))
	return r
}

func (r *recurrent) Forward(x *torch.Tensor) *torch.Tensor {
	return r.Call(x, func(x *torch.Tensor) *torch.Tensor { return r.out.Forward(r.run(x)) })
}

// attention is a self-attention layer.
type attention struct {
	nn.Base
	attn *nn.MultiheadAttention
}

func (a *attention) Forward(x *torch.Tensor) *torch.Tensor {
	return a.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y, _ := a.attn.Forward(x, x, x, nn.NeedWeights(false))
		return y
	})
}

type model interface {
	nn.Module
	Forward(x *torch.Tensor) *torch.Tensor
}

// encoder is a TransformerEncoderLayer whose Forward takes no options.
type encoder struct{ *nn.TransformerEncoderLayer }

//torchvet:ignore modulecall the layer that it calls is the module
func (e encoder) Forward(x *torch.Tensor) *torch.Tensor { return e.TransformerEncoderLayer.Forward(x) }

func newModel(name string) model {
	switch name {
	case "mlp":
		return nn.NewSequential(nn.NewLinear(5, 7), nn.NewReLU(), nn.NewLayerNorm([]int64{7}), nn.NewLinear(7, 3))
	case "cnn":
		return nn.NewSequential(nn.NewConv2d(2, 4, 3, nn.Padding(1)), nn.NewBatchNorm2d(4), nn.NewReLU(),
			nn.NewMaxPool2d(2), nn.NewFlatten(), nn.NewLinear(36, 3))
	case "lstm":
		l := nn.NewLSTM(4, 6, nn.BatchFirst(true))
		return newRecurrent(l, func(x *torch.Tensor) *torch.Tensor { y, _, _ := l.Forward(x, nil, nil); return y })
	case "gru":
		l := nn.NewGRU(4, 6, nn.BatchFirst(true))
		return newRecurrent(l, func(x *torch.Tensor) *torch.Tensor { y, _ := l.Forward(x, nil); return y })
	case "rnn":
		l := nn.NewRNN(4, 6, nn.BatchFirst(true))
		return newRecurrent(l, func(x *torch.Tensor) *torch.Tensor { y, _ := l.Forward(x, nil); return y })
	case "attention":
		a := &attention{}
		a.Init(a)
		a.attn = nn.NewMultiheadAttention(8, 2, nn.BatchFirst(true), a.As("attn"))
		return a
	case "encoder":
		return encoder{nn.NewTransformerEncoderLayer(8, 2, nn.DimFeedforward(16), nn.DropoutP(0), nn.BatchFirst(true))}
	}
	return nn.NewSequential(nn.NewLinear(5, 6), nn.NewGELU(), nn.NewGroupNorm(2, 6), nn.NewSoftmax(1))
}

func lossOf(name string, out *torch.Tensor) *torch.Tensor {
	if name == "mlp" || name == "cnn" {
		return F.CrossEntropy(out, torch.Arange(out.Size(0)).RemainderScalar(3))
	}
	return F.MSELoss(out, torch.Full(out.Shape(), 0.25, out.DType()))
}

type modelCase struct {
	Model         string
	DType         string
	Shape         torch.Shape
	Out, Loss     torchtest.Value
	Grads         map[string]torchtest.Value
	NoGrad        torchtest.Value `json:"no_grad"`
	InferenceMode torchtest.Value `json:"inference_mode"`
	EnableGrad    torchtest.Value `json:"enable_grad"`
}

// near compares a tensor with Python's result, with a tolerance of a few rounding errors
// in autocast's dtype.
func near(t *testing.T, want torchtest.Value, got *torch.Tensor, low torch.DType, what string) {
	t.Helper()
	w, err := want.Tensor()
	require.NoError(t, err)
	tol := torchtest.Rounding(64, low)
	tol.RTol, tol.ATol = 4*tol.RTol, 4*tol.ATol // several intermediate results are rounded
	assert.Equal(t, w.DType(), got.DType(), what)
	assert.Empty(t, torchtest.Difference(w, got, tol), what)
}

// Whole models compute the same as in Python: results, losses and gradients in training
// mode, and results in evaluation mode, where layers use different code.
func TestModelsUnderAutocast(t *testing.T) {
	g := torchtest.LoadGoldens(t, "testdata/models.json")
	var cases []modelCase
	g.Decode("cases", &cases)
	for _, c := range cases {
		t.Run(c.Model+" "+c.DType, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				low := dtypes[c.DType]
				torch.ManualSeed(3)
				m := newModel(c.Model)
				defer m.Close()
				x := torch.Randn(c.Shape)
				var out, loss *torch.Tensor
				err := torch.Try(func() {
					amp.Autocast(torch.CPU, low, func() {
						out = m.Forward(x)
						loss = lossOf(c.Model, out)
					})
				})
				if err != nil && c.Model == "lstm" && strings.Contains(err.Error(), "primitive") {
					t.Skip("oneDNN has no kernel for this processor: ", err)
				}
				require.NoError(t, err)
				near(t, c.Out, out, low, "result")
				near(t, c.Loss, loss, low, "loss")
				loss.Backward()
				seen := 0
				for _, p := range m.NamedParameters() {
					near(t, c.Grads[p.Name], p.Tensor.Grad(), low, p.Name)
					seen++
				}
				assert.Equal(t, len(c.Grads), seen)
				m.Eval()
				evaluate := func(mode func(func()), want torchtest.Value, what string) {
					mode(func() {
						amp.Autocast(torch.CPU, low, func() { near(t, want, m.Forward(x), low, what) })
					})
				}
				evaluate(torch.NoGrad, c.NoGrad, "without gradients")
				evaluate(torch.InferenceMode, c.InferenceMode, "inference mode")
				evaluate(torch.EnableGrad, c.EnableGrad, "evaluation")
			})
		})
	}
}

// On the CPU, autocast runs an LSTM with oneDNN, which supports float16 only on some
// processors. On other processors the LSTM panics with an error that says so, as in
// Python.
func TestLSTMInHalf(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewLSTM(4, 6)
		defer l.Close()
		x := torch.Randn(torch.Shape{5, 2, 4})
		var dtype torch.DType
		err := torch.Try(func() {
			amp.Autocast(torch.CPU, torch.Float16, func() {
				y, _, _ := l.Forward(x, nil, nil)
				dtype = y.DType()
			})
		})
		if err != nil {
			assert.ErrorIs(t, err, torch.ErrRuntime)
			assert.Contains(t, strings.ToLower(err.Error()), "primitive")
			return
		}
		assert.Equal(t, torch.Float16, dtype)
	})
}

// Under autocast a recurrent layer accepts an input of a different dtype, as in Python.
func TestRecurrentInputUnderAutocast(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		l := nn.NewGRU(4, 6)
		defer l.Close()
		x := torch.Randn(torch.Shape{5, 2, 4}).To(torch.BFloat16)
		assert.ErrorIs(t, torch.Try(func() { l.Forward(x, nil) }), torch.ErrDType)
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			y, _ := l.Forward(x, nil)
			assert.Equal(t, torch.BFloat16, y.DType())
		})
	})
}

func newOptimizer(name string, ps []*torch.Tensor) optim.Optimizer {
	switch name {
	case "SGD":
		return optim.NewSGD(ps, optim.LR(0.1), optim.Momentum(0.9), optim.WeightDecay(0.01))
	case "AdamW":
		return optim.NewAdamW(ps, optim.LR(0.1))
	case "Adagrad":
		return optim.NewAdagrad(ps, optim.LR(0.1))
	case "RMSprop":
		return optim.NewRMSprop(ps, optim.LR(0.1), optim.Momentum(0.9), optim.Centered(true))
	}
	return optim.NewMuon(ps[:1], optim.LR(0.1))
}

// The forward pass, the backward pass and the optimizer's step all run within Autocast.
func TestOptimizersUnderAutocast(t *testing.T) {
	g := torchtest.LoadGoldens(t, "testdata/models.json")
	var steps []struct {
		Optimizer string
		Params    []torchtest.Value
	}
	g.Decode("steps", &steps)
	for _, c := range steps {
		t.Run(c.Optimizer, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() {
				torch.ManualSeed(4)
				m := nn.NewLinear(3, 4)
				defer m.Close()
				opt := newOptimizer(c.Optimizer, m.Parameters())
				defer opt.Close()
				x := torch.Randn(torch.Shape{5, 3})
				amp.Autocast(torch.CPU, torch.BFloat16, func() {
					for range 2 {
						opt.ZeroGrad()
						F.MSELoss(m.Forward(x), torch.Zeros(torch.Shape{5, 4})).Backward()
						opt.Step()
					}
				})
				for i, p := range m.Parameters() {
					near(t, c.Params[i], p, torch.BFloat16, "parameter")
				}
			})
		})
	}
}
