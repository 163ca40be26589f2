package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Decoder is the decoder of a [Transformer], or one of its layers.
type Decoder interface {
	Module
	Forward(tgt, memory *torch.Tensor, opts ...DecoderCallOption) *torch.Tensor
}

// TransformerDecoderLayer applies self-attention, attention to an encoder's output,
// and a feed-forward network. Follows torch.nn.TransformerDecoderLayer.
//
// Its parts are of type MultiheadAttention, Linear, LayerNorm and Dropout, as their
// names say, unless SetSubmodule replaced them.
type TransformerDecoderLayer struct {
	Base
	SelfAttn                     Attention
	MultiheadAttn                Attention // attention to the encoder's output
	Linear1, Linear2             Layer
	Norm1, Norm2, Norm3          Layer
	Dropout                      Layer // applied after the activation
	Dropout1, Dropout2, Dropout3 Layer

	NormFirst bool

	act activation
}

// NewTransformerDecoderLayer makes a layer for dModel features with nHead heads. It
// panics as [NewTransformerEncoderLayer] does. Follows torch.nn.TransformerDecoderLayer.
func NewTransformerDecoderLayer(dModel, nHead int64, opts ...TransformerLayerOption) *TransformerDecoderLayer {
	const op = "NewTransformerDecoderLayer"
	o := readTransformer(op, opts)
	o.model, o.heads = dModel, nHead
	return newDecoderLayer(op, o)
}

func newDecoderLayer(op string, o transformerOptions) *TransformerDecoderLayer {
	o.mustFit(op)
	l := &TransformerDecoderLayer{act: o.act, NormFirst: o.normFirst}
	l.startLayer(l)
	l.setFlag(flagUser)
	returned := false
	defer o.closeAfterPanic(&l.Base, &returned)
	l.SelfAttn = o.attention(l.As("self_attn"))
	l.MultiheadAttn = o.attention(l.As("multihead_attn"))
	l.Linear1 = o.linear(o.model, o.feedforward, l.As("linear1"))
	l.Dropout = o.drop(l.As("dropout"))
	l.Linear2 = o.linear(o.feedforward, o.model, l.As("linear2"))
	l.Norm1, l.Norm2, l.Norm3 = o.norm(l.As("norm1")), o.norm(l.As("norm2")), o.norm(l.As("norm3"))
	l.Dropout1, l.Dropout2, l.Dropout3 = o.drop(l.As("dropout1")), o.drop(l.As("dropout2")), o.drop(l.As("dropout3"))
	if o.act.layer != nil {
		l.Register("activation", o.act.layer)
	}
	o.as.register(l)
	returned = true
	return l
}

// decoderCall holds parsed DecoderCallOptions.
type decoderCall struct {
	mask, memory, padding, memoryPadding *torch.Tensor
	causal                               causalHint
	memoryCausal                         bool
}

func (c *decoderCall) read(op string, o any) {
	switch o := o.(type) {
	case TgtMaskOption:
		c.mask = o.t
	case MemoryMaskOption:
		c.memory = o.t
	case TgtKeyPaddingMaskOption:
		c.padding = o.t
	case MemoryKeyPaddingMaskOption:
		c.memoryPadding = o.t
	case TgtIsCausal:
		c.causal = newCausalHint(bool(o))
	case MemoryIsCausal:
		c.memoryCausal = bool(o)
	default:
		panic(opt.Unknown(op, o))
	}
}

func readDecoderCall(op string, opts []DecoderCallOption) decoderCall {
	var c decoderCall
	for _, o := range opts {
		c.read(op, o)
	}
	return c
}

// options converts c back to DecoderCallOptions, to pass them to a layer.
func (c *decoderCall) options() []DecoderCallOption {
	return []DecoderCallOption{
		TgtMask(c.mask), MemoryMask(c.memory), TgtKeyPaddingMask(c.padding), MemoryKeyPaddingMask(c.memoryPadding),
		TgtIsCausal(c.causal.value), MemoryIsCausal(c.memoryCausal),
	}
}

// Forward takes tgt of shape (T, N, E) or (T, E), and an encoder's output of shape (S, N,
// E) or (S, E). With [BatchFirst], N comes first. It returns a new tensor of tgt's shape.
// It panics as [MultiheadAttention.Forward] does.
func (l *TransformerDecoderLayer) Forward(tgt, memory *torch.Tensor, opts ...DecoderCallOption) *torch.Tensor {
	c := readDecoderCall("TransformerDecoderLayer", opts)
	return callLayerN(l, []*torch.Tensor{tgt, memory}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{l.run(in[0], in[1], c)}
	})[0]
}

func (l *TransformerDecoderLayer) run(x, memory *torch.Tensor, c decoderCall) *torch.Tensor {
	const op = "TransformerDecoderLayer(tgt, memory)"
	x.HandleFor(op, 0)
	memory.HandleFor(op, 1)
	y := residual(l.NormFirst, l.Norm1, x, func(x *torch.Tensor) *torch.Tensor {
		return attendTo(l.SelfAttn, l.Dropout1, x, x, c.mask, c.padding, c.causal.value)
	})
	y = own.Instead(y, residual(l.NormFirst, l.Norm2, y, func(x *torch.Tensor) *torch.Tensor {
		return attendTo(l.MultiheadAttn, l.Dropout2, x, memory, c.memory, c.memoryPadding, c.memoryCausal)
	}))
	return own.Instead(y, residual(l.NormFirst, l.Norm3, y, func(x *torch.Tensor) *torch.Tensor {
		return feedForward(l.Linear1, l.Linear2, l.Dropout, l.Dropout3, &l.act, x)
	}))
}

// TransformerDecoder is a stack of decoder layers.
// Follows torch.nn.TransformerDecoder.
type TransformerDecoder struct {
	Base
	Layers *ModuleList // of Decoders
	Norm   Layer       // or nil
}

// NewTransformerDecoder makes a decoder from copies of a layer. The caller still owns the
// layer and may close it. The decoder takes ownership of [FinalNorm]. It panics with
// ErrNil for a nil layer or option, and with ErrValue for a negative number of layers.
// Follows torch.nn.TransformerDecoder.
func NewTransformerDecoder(layer Decoder, layers int64, opts ...DecoderOption) *TransformerDecoder {
	const op = "NewTransformerDecoder"
	norm, as := opt.Read2(op, opts, FinalNormOption{}, Registration{})
	copies := cloneLayers(op, layer, layers)
	d := new(TransformerDecoder)
	d.startLayer(d)
	d.setFlag(flagUser)
	d.Layers = copies.In(d, "layers")
	d.Norm = registerNorm(&d.Base, norm.l)
	as.register(d)
	return d
}

// Forward passes tgt through the layers, which read memory, the output of an encoder.
// It returns a new tensor of tgt's shape; see [TransformerDecoderLayer.Forward].
// Without [TgtIsCausal], it inspects a [TgtMask] of shape (T, T) to see whether it is
// causal. It panics as [MultiheadAttention.Forward] does.
func (d *TransformerDecoder) Forward(tgt, memory *torch.Tensor, opts ...DecoderCallOption) *torch.Tensor {
	c := readDecoderCall("TransformerDecoder", opts)
	return callLayerN(d, []*torch.Tensor{tgt, memory}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{d.run(in[0], in[1], c)}
	})[0]
}

func (d *TransformerDecoder) run(tgt, memory *torch.Tensor, c decoderCall) *torch.Tensor {
	const op = "TransformerDecoder(tgt, memory)"
	tgt.HandleFor(op, 0)
	memory.HandleFor(op, 1)
	if tgt.Dim() < 2 {
		panic(torch.NewError(op, torch.ErrShape, "tgt",
			fmt.Sprintf("expected 2 or 3 dimensions, got size %v", tgt.Shape())))
	}
	first := false
	if l, ok := d.layerAt(0).(*TransformerDecoderLayer); ok {
		first = isBatchFirst(l.SelfAttn)
	}
	c.causal = newCausalHint(isCausal(c.mask, c.causal, sequenceLength(tgt, first)))
	x, opts := tgt, c.options()
	for i := range d.Layers.children {
		x = own.Instead(x, d.layerAt(i).Forward(x, memory, opts...))
	}
	if d.Norm != nil {
		x = own.Instead(x, d.Norm.Forward(x))
	}
	return x
}

func (d *TransformerDecoder) layerAt(i int) Decoder {
	m := d.Layers.At(i)
	l, ok := m.(Decoder)
	if !ok {
		panic(torch.NewError("TransformerDecoder", torch.ErrType, "layers",
			fmt.Sprintf("layer %d, a %s, is not an nn.Decoder", i, goName(m))))
	}
	return l
}
