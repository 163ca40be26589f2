package nn

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// TransformerEncoderLayer is attention of a sequence to itself and a network for each
// of its vectors, both added to what they take and normalized.
// Follows torch.nn.TransformerEncoderLayer.
type TransformerEncoderLayer struct {
	Base
	SelfAttn *MultiheadAttention
	Linear1  *Linear
	Dropout  *Dropout
	Linear2  *Linear
	Norm1    *LayerNorm
	Norm2    *LayerNorm
	Dropout1 *Dropout
	Dropout2 *Dropout

	NormFirst bool

	act activation
}

// NewTransformerEncoderLayer makes a layer over dModel features with nHead heads. It
// panics with ErrValue unless nHead divides dModel, for a dropout that is no probability
// and for an unknown [Activation], with ErrOutOfMemory, and with ErrNil for a nil option.
// Follows torch.nn.TransformerEncoderLayer.
func NewTransformerEncoderLayer(dModel, nHead int64, opts ...TransformerLayerOption) *TransformerEncoderLayer {
	const op = "NewTransformerEncoderLayer"
	o := readTransformer(op, opts)
	o.model, o.heads = dModel, nHead
	return newEncoderLayer(op, o)
}

func newEncoderLayer(op string, o transformerOptions) *TransformerEncoderLayer {
	o.check(op)
	l := &TransformerEncoderLayer{act: o.act, NormFirst: o.normFirst}
	l.start(l)
	l.set(flagUser)
	returned := false
	defer o.undo(&l.Base, &returned)
	l.SelfAttn = o.attention(l.As("self_attn"))
	l.Linear1 = o.linear(o.model, o.feedforward, l.As("linear1"))
	l.Dropout = o.drop(l.As("dropout"))
	l.Linear2 = o.linear(o.feedforward, o.model, l.As("linear2"))
	l.Norm1, l.Norm2 = o.norm(l.As("norm1")), o.norm(l.As("norm2"))
	l.Dropout1, l.Dropout2 = o.drop(l.As("dropout1")), o.drop(l.As("dropout2"))
	if o.act.layer != nil {
		l.Register("activation", o.act.layer)
	}
	o.as.register(l)
	returned = true
	return l
}

// encoderCall are the options of a call, read.
type encoderCall struct {
	mask, padding *torch.Tensor
	causal        hint
}

func readEncoderCall[O any](op string, opts []O) encoderCall {
	var c encoderCall
	for _, o := range opts {
		switch o := any(o).(type) {
		case MaskOption:
			c.mask = o.t
		case SrcMaskOption:
			c.mask = o.t
		case SrcKeyPaddingMaskOption:
			c.padding = o.t
		case IsCausal:
			c.causal = hinted(bool(o))
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return c
}

// Forward takes src of shape (S, N, E), or (S, E); with [BatchFirst], (N, S, E). It
// returns a new tensor of src's shape. In evaluation mode and without gradients a layer
// that no hook looks at runs in one kernel, as in Python, unless a mask is
// floating-point. It panics as [MultiheadAttention.Forward] does.
func (l *TransformerEncoderLayer) Forward(src *torch.Tensor, opts ...EncoderLayerCallOption) *torch.Tensor {
	c := readEncoderCall("TransformerEncoderLayer", opts)
	return callN(l, []*torch.Tensor{src}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{l.run(in[0], c)}
	})[0]
}

const encoderLayerOp = "TransformerEncoderLayer(src)"

func (l *TransformerEncoderLayer) run(x *torch.Tensor, c encoderCall) *torch.Tensor {
	x.HandleFor(encoderLayerOp, 0)
	if x.Dim() == 3 && (!c.causal.is || c.mask != nil) && isBool(c.mask) && isBool(c.padding) && l.fast(x) {
		l.SelfAttn.checkNative(x, attentionCall{attn: c.mask, padding: c.padding})
		mask, kind := l.SelfAttn.merged(x, c.mask, c.padding)
		return l.native(x, mask, kind)
	}
	y := residual(l.NormFirst, l.Norm1, x, func(x *torch.Tensor) *torch.Tensor {
		return attendTo(l.SelfAttn, l.Dropout1, x, x, c.mask, c.padding, c.causal.is)
	})
	return own.Instead(y, residual(l.NormFirst, l.Norm2, y, func(x *torch.Tensor) *torch.Tensor {
		return feedForward(l.Linear1, l.Linear2, l.Dropout, l.Dropout2, &l.act, x)
	}))
}

// fast reports whether libtorch's kernel for a whole layer can take x, of three
// dimensions: the conditions are PyTorch's.
func (l *TransformerEncoderLayer) fast(x *torch.Tensor) bool {
	l.watchedBelow()
	a := l.SelfAttn
	if l.IsTraining() || !a.BatchFirst || a.NumHeads%2 != 0 || a.InProjBias == nil || a.InProjWeight == nil ||
		l.act.known() == "" || l.Norm1.Eps != l.Norm2.Eps || l.Norm1.Weight == nil || l.Norm2.Weight == nil {
		return false
	}
	if x.DType() != a.InProjWeight.DType() || !l.quiet() || !a.quiet() || !a.OutProj.quiet() {
		return false
	}
	for _, c := range l.children {
		if !c.Module.ModuleBase().quiet() {
			return false
		}
	}
	return kernelsTake(x, a.InProjWeight, a.InProjBias, a.OutProj.Weight, a.OutProj.Bias, l.Norm1.Weight, l.Norm1.Bias,
		l.Norm2.Weight, l.Norm2.Bias, l.Linear1.Weight, l.Linear1.Bias, l.Linear2.Weight, l.Linear2.Bias)
}

// native runs a call that fast allows; x may be nested.
func (l *TransformerEncoderLayer) native(x, mask *torch.Tensor, kind *int64) *torch.Tensor {
	a := l.SelfAttn
	ts := []*torch.Tensor{
		a.InProjWeight, a.InProjBias, a.OutProj.Weight, a.OutProj.Bias, l.Norm1.Weight, l.Norm1.Bias,
		l.Norm2.Weight, l.Norm2.Bias, l.Linear1.Weight, l.Linear1.Bias, l.Linear2.Weight, l.Linear2.Bias,
	}
	h, m, ws := x.HandleFor(encoderLayerOp, 0), mask.OptionalHandle(), torch.Handles(encoderLayerOp, ts, false)
	gelu, first, eps, embed, heads := l.act.known() == ActivationGELU, l.NormFirst, l.Norm1.Eps, a.EmbedDim, a.NumHeads
	r := torch.BeginRaw(encoderLayerOp, x)
	r.Use(mask)
	r.Use(ts...)
	return r.Tensor(aten.UnderTransformerEncoderLayerFwd(r.Ctx, h, embed, heads, ws[0], ws[1], ws[2], ws[3], gelu, first, eps,
		ws[4], ws[5], ws[6], ws[7], ws[8], ws[9], ws[10], ws[11], m, kind))
}
