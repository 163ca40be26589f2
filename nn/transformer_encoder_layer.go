package nn

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// TransformerEncoderLayer applies self-attention and a feed-forward network, each
// with a residual connection and a normalization.
// Follows torch.nn.TransformerEncoderLayer.
//
// Its parts are of type MultiheadAttention, Linear, LayerNorm and Dropout, as their
// names say, unless SetSubmodule replaced them.
type TransformerEncoderLayer struct {
	Base
	SelfAttn           Attention
	Linear1, Linear2   Layer
	Norm1, Norm2       Layer
	Dropout            Layer // applied after the activation
	Dropout1, Dropout2 Layer

	NormFirst bool

	act activation
}

// NewTransformerEncoderLayer makes a layer for dModel features with nHead heads. It
// panics with ErrValue unless nHead divides dModel, for a dropout that is not a
// probability and for an unknown [Activation]. Follows torch.nn.TransformerEncoderLayer.
func NewTransformerEncoderLayer(dModel, nHead int64, opts ...TransformerLayerOption) *TransformerEncoderLayer {
	const op = "NewTransformerEncoderLayer"
	o := readTransformer(op, opts)
	o.model, o.heads = dModel, nHead
	return newEncoderLayer(op, o)
}

func newEncoderLayer(op string, o transformerOptions) *TransformerEncoderLayer {
	o.mustFit(op)
	l := &TransformerEncoderLayer{act: o.act, NormFirst: o.normFirst}
	l.startLayer(l)
	l.setFlag(flagUser)
	returned := false
	defer o.closeAfterPanic(&l.Base, &returned)
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

// encoderCall holds the parsed options of a call to an encoder or to one of its layers.
type encoderCall struct {
	mask, padding *torch.Tensor
	causal        causalHint
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
			c.causal = newCausalHint(bool(o))
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return c
}

// Forward takes src of shape (S, N, E) or (S, E); with [BatchFirst], (N, S, E). It
// returns a new tensor of src's shape. In evaluation mode and without gradients, a
// layer without hooks runs in one kernel, as in Python, unless a mask is
// floating-point. It panics as [MultiheadAttention.Forward] does.
func (l *TransformerEncoderLayer) Forward(src *torch.Tensor, opts ...EncoderLayerCallOption) *torch.Tensor {
	c := readEncoderCall("TransformerEncoderLayer", opts)
	return callLayerN(l, []*torch.Tensor{src}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{l.run(in[0], c)}
	})[0]
}

const encoderLayerOp = "TransformerEncoderLayer(src)"

func (l *TransformerEncoderLayer) run(x *torch.Tensor, c encoderCall) *torch.Tensor {
	x.HandleFor(encoderLayerOp, 0)
	if x.Dim() == 3 && (!c.causal.value || c.mask != nil) && isBool(c.mask) && isBool(c.padding) {
		if p, ok := l.kernelParts(x); ok && (c.mask != nil || c.padding != nil || !recording.Optimizes()) {
			p.attn.mustFitKernel(x, attentionCall{attn: c.mask, padding: c.padding})
			mask, kind := p.attn.mergeMasks(x, c.mask, c.padding)
			return l.runKernel(p, x, mask, kind)
		}
	}
	y := residual(l.NormFirst, l.Norm1, x, func(x *torch.Tensor) *torch.Tensor {
		return attendTo(l.SelfAttn, l.Dropout1, x, x, c.mask, c.padding, c.causal.value)
	})
	return own.Instead(y, residual(l.NormFirst, l.Norm2, y, func(x *torch.Tensor) *torch.Tensor {
		return feedForward(l.Linear1, l.Linear2, l.Dropout, l.Dropout2, &l.act, x)
	}))
}

// encoderParts are the parts of a layer that libtorch's fused kernel needs.
type encoderParts struct {
	attn         *MultiheadAttention
	out          *Linear
	norm1, norm2 *LayerNorm
	lin1, lin2   *Linear
}

// parts returns the parts that the kernel needs, or false if a part has a different type.
func (l *TransformerEncoderLayer) parts() (p encoderParts, ok bool) {
	if p.attn, ok = l.SelfAttn.(*MultiheadAttention); !ok {
		return p, false
	}
	var are [5]bool
	p.out, are[0] = p.attn.OutProj.(*Linear)
	p.norm1, are[1] = l.Norm1.(*LayerNorm)
	p.norm2, are[2] = l.Norm2.(*LayerNorm)
	p.lin1, are[3] = l.Linear1.(*Linear)
	p.lin2, are[4] = l.Linear2.(*Linear)
	return p, are == [5]bool{true, true, true, true, true}
}

func (p *encoderParts) weights() []*torch.Tensor {
	return []*torch.Tensor{
		p.attn.InProjWeight, p.attn.InProjBias, p.out.Weight, p.out.Bias, p.norm1.Weight, p.norm1.Bias,
		p.norm2.Weight, p.norm2.Bias, p.lin1.Weight, p.lin1.Bias, p.lin2.Weight, p.lin2.Bias,
	}
}

// kernelParts returns the parts of the layer, and whether libtorch's fused kernel can
// run the layer on x, which has three dimensions. PyTorch uses its kernel under the
// same conditions.
func (l *TransformerEncoderLayer) kernelParts(x *torch.Tensor) (encoderParts, bool) {
	l.watchTree()
	p, ok := l.parts()
	if a := p.attn; !ok || l.Training() || !a.BatchFirst || a.NumHeads%2 != 0 || a.InProjBias == nil ||
		a.InProjWeight == nil ||
		l.act.kernelName() == "" || p.norm1.Eps != p.norm2.Eps || p.norm1.Weight == nil || p.norm2.Weight == nil ||
		x.DType() != a.InProjWeight.DType() || !l.isForwardPlain() || !a.isForwardPlain() || !p.out.isForwardPlain() {
		return p, false
	}
	for _, c := range l.children {
		if !c.Module.ModuleBase().isForwardPlain() {
			return p, false
		}
	}
	return p, canUseKernels(append(p.weights(), x)...)
}

// runKernel runs a call for which kernelParts returned true; x may be nested.
func (l *TransformerEncoderLayer) runKernel(p encoderParts, x, mask *torch.Tensor, kind *int64) *torch.Tensor {
	ts := p.weights()
	h, m, ws := x.HandleFor(encoderLayerOp, 0), mask.OptionalHandle(), torch.Handles(encoderLayerOp, ts, false)
	gelu, first, eps, embed, heads := l.act.kernelName() == ActivationGELU, l.NormFirst, p.norm1.Eps, p.attn.EmbedDim,
		p.attn.NumHeads
	r := torch.BeginRaw(encoderLayerOp, x)
	r.Use(mask)
	r.Use(ts...)
	return r.Tensor(aten.UnderTransformerEncoderLayerFwd(r.Ctx, h, embed, heads, ws[0], ws[1], ws[2], ws[3], gelu,
		first, eps,
		ws[4], ws[5], ws[6], ws[7], ws[8], ws[9], ws[10], ws[11], m, kind))
}
