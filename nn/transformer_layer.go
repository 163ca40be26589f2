package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// transformerOptions holds the parsed options of transformers and their layers.
type transformerOptions struct {
	paramMaker
	model, heads, encoders, decoders int64
	feedforward                      int64
	dropout, eps                     float64
	act                              activation
	batchFirst, normFirst, bias      bool
	encoder                          Encoder
	decoder                          Decoder
}

func readTransformer[O any](op string, opts []O) transformerOptions {
	t := transformerOptions{
		model: 512, heads: 8, encoders: 6, decoders: 6, feedforward: 2048, dropout: 0.1, eps: defaultEps,
		act: activation{word: ActivationReLU}, bias: true,
	}
	for _, o := range opts {
		switch o := any(o).(type) {
		case DModel:
			t.model = int64(o)
		case NHead:
			t.heads = int64(o)
		case NumEncoderLayers:
			t.encoders = int64(o)
		case NumDecoderLayers:
			t.decoders = int64(o)
		case DimFeedforward:
			t.feedforward = int64(o)
		case DropoutP:
			t.dropout = float64(o)
		case LayerNormEps:
			t.eps = float64(o)
		case Activation:
			t.act = activation{word: o}
		case ActivationFunc:
			t.act = activation{fn: o}
		case ActivationLayerOption:
			t.act = activation{layer: o.l}
		case BatchFirst:
			t.batchFirst = bool(o)
		case NormFirst:
			t.normFirst = bool(o)
		case Bias:
			t.bias = bool(o)
		case CustomEncoderOption:
			t.encoder = o.e
		case CustomDecoderOption:
			t.decoder = o.d
		default:
			t.read(op, o)
		}
	}
	t.act.mustBeKnown(op)
	return t
}

// activation is the activation of the hidden layer; one of the three fields is set.
type activation struct {
	word  Activation
	fn    ActivationFunc
	layer Layer
}

func (a *activation) mustBeKnown(op string) {
	switch {
	case a.word != "" && a.word != ActivationReLU && a.word != ActivationGELU:
		panic(torch.NewError(op, torch.ErrValue, "Activation",
			fmt.Sprintf(`expected "relu" or "gelu", got %q`, string(a.word))))
	case a.word == "" && a.fn == nil && opt.IsNil(a.layer):
		panic(torch.NewError(op, torch.ErrNil, "Activation",
			"expected a function, a layer, relu or gelu, got nil or an empty word"))
	}
}

// kernelName returns the name of the activation, or "" if the kernels do not support it.
func (a *activation) kernelName() Activation {
	switch a.layer.(type) {
	case *ReLU:
		return ActivationReLU
	case *GELU:
		return ActivationGELU
	}
	return a.word
}

func (a *activation) run(x *torch.Tensor) *torch.Tensor {
	switch {
	case a.layer != nil:
		return a.layer.Forward(x)
	case a.fn != nil:
		return a.fn(x)
	case a.word == ActivationGELU:
		return F.GELU(x)
	}
	return F.ReLU(x)
}

func (t *transformerOptions) attention(as Registration) *MultiheadAttention {
	return NewMultiheadAttention(t.model, t.heads, DropoutP(t.dropout), Bias(t.bias), BatchFirst(t.batchFirst),
		Device(t.device), DType(t.dtype), as)
}

func (t *transformerOptions) linear(in, out int64, as Registration) *Linear {
	return NewLinear(in, out, Bias(t.bias), Device(t.device), DType(t.dtype), as)
}

func (t *transformerOptions) norm(as ...LayerNormOption) *LayerNorm {
	return NewLayerNorm(torch.Shape{t.model}, append(as, Eps(t.eps), Bias(t.bias), Device(t.device), DType(t.dtype))...)
}

func (t *transformerOptions) drop(as Registration) *Dropout { return NewDropout(t.dropout, as) }

// mustFit checks the options that the children do not check, or would report under
// other names.
func (t *transformerOptions) mustFit(op string) {
	t.setSizes(op, size{"dModel", t.model}, size{"nHead", t.heads}, size{"DimFeedforward", t.feedforward})
	if t.heads <= 0 || t.model <= 0 || t.model%t.heads != 0 {
		panic(torch.NewError(op, torch.ErrValue, "nHead",
			fmt.Sprintf("expected a divisor of the size %[2]d, got %[1]d", t.heads, t.model)))
	}
	mustBeProbability(op, "DropoutP", t.dropout)
}

func attendTo(attn Attention, drop Layer, x, memory, mask, padding *torch.Tensor, causal bool) *torch.Tensor {
	var y *torch.Tensor
	if a, ok := attn.(*MultiheadAttention); ok {
		y, _ = a.attend(x, memory, memory, attentionCall{causal: causal, attn: mask, padding: padding})
	} else {
		y, _ = attn.Forward(x, memory, memory, AttnMask(mask), KeyPaddingMask(padding), IsCausal(causal),
			NeedWeights(false))
	}
	return own.Instead(y, drop.Forward(y))
}

// isBatchFirst reports whether attn is a MultiheadAttention that takes the batch first.
// For other types it returns false.
func isBatchFirst(attn Attention) bool {
	a, ok := attn.(*MultiheadAttention)
	return ok && a.BatchFirst
}

// feedForward applies the feed-forward network to each vector.
func feedForward(l1, l2, inner, outer Layer, act *activation, x *torch.Tensor) *torch.Tensor {
	y := l1.Forward(x)
	y = own.Instead(y, act.run(y))
	y = own.Instead(y, inner.Forward(y))
	y = own.Instead(y, l2.Forward(y))
	return own.Instead(y, outer.Forward(y))
}

// residual returns x plus the result of part, normalized by norm. If first is true,
// norm applies to the input of part, otherwise to the sum.
func residual(first bool, norm Layer, x *torch.Tensor, part func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	if first {
		y := norm.Forward(x)
		y = own.Instead(y, part(y))
		return own.Instead(y, x.Add(y))
	}
	y := part(x)
	y = own.Instead(y, x.Add(y))
	return own.Instead(y, norm.Forward(y))
}
