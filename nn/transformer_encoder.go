package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// EncoderLayer is a layer of a [TransformerEncoder].
type EncoderLayer interface {
	Module
	Forward(src *torch.Tensor, opts ...EncoderLayerCallOption) *torch.Tensor
}

// Encoder is the encoder of a [Transformer].
type Encoder interface {
	Module
	Forward(src *torch.Tensor, opts ...EncoderCallOption) *torch.Tensor
}

// TransformerEncoder is a stack of encoder layers.
// Follows torch.nn.TransformerEncoder.
type TransformerEncoder struct {
	Base
	Layers *ModuleList // of EncoderLayers
	Norm   Layer       // or nil

	EnableNestedTensor bool
	MaskCheck          bool
}

// NewTransformerEncoder makes an encoder from copies of a layer. The caller still owns
// the layer and may close it. The encoder takes ownership of [FinalNorm]. It panics with
// ErrNil for a nil layer or option, and with ErrValue for a negative number of layers.
// Follows torch.nn.TransformerEncoder.
func NewTransformerEncoder(layer EncoderLayer, layers int64, opts ...EncoderOption) *TransformerEncoder {
	const op = "NewTransformerEncoder"
	norm, nested, check, as := opt.Read4(op, opts, FinalNormOption{}, EnableNestedTensor(true), MaskCheck(true),
		Registration{})
	copies := cloneLayers(op, layer, layers)
	e := &TransformerEncoder{EnableNestedTensor: bool(nested), MaskCheck: bool(check)}
	e.startLayer(e)
	e.setFlag(flagUser)
	e.Layers = copies.In(e, "layers")
	e.Norm = registerNorm(&e.Base, norm.l)
	if e.EnableNestedTensor {
		if why := whyNotNested(layer); why != "" {
			cgotorch.Warn("enable_nested_tensor is True, but self.use_nested_tensor is False because " +
				"encoder_layer" + why)
			e.EnableNestedTensor = false
		}
	}
	as.register(e)
	return e
}

// cloneLayers returns a list of copies of a layer.
func cloneLayers(op string, layer Module, n int64) *ModuleList {
	mustNotBeNil(op, "layer", layer)
	if n < 0 {
		panic(torch.NewError(op, torch.ErrValue, "layers", fmt.Sprintf("expected 0 or more, got %d", n)))
	}
	list := NewModuleList()
	returned := false
	defer func() {
		if !returned {
			_ = list.Close()
		}
	}()
	for range n {
		list.Append(DeepCopy(layer))
	}
	returned = true
	return list
}

// registerNorm returns norm, or a nil interface if the layer in it is nil.
func registerNorm(b *Base, norm Layer) Layer {
	if opt.IsNil(norm) {
		return nil
	}
	b.Register("norm", norm)
	return norm
}

// whyNotNested explains in PyTorch's words why layers of this kind cannot skip padding.
func whyNotNested(layer EncoderLayer) string {
	l, ok := layer.(*TransformerEncoderLayer)
	if !ok {
		return " was not TransformerEncoderLayer"
	}
	p, ok := l.parts()
	switch {
	case !ok:
		return " has parts that were replaced"
	case l.NormFirst:
		return ".norm_first was True"
	case !p.attn.BatchFirst:
		return ".self_attn.batch_first was not True(use batch_first for better inference performance)"
	case p.attn.InProjWeight == nil:
		return ".self_attn._qkv_same_embed_dim was not True"
	case p.attn.InProjBias == nil:
		return ".self_attn was passed bias=False"
	case l.act.kernelName() == "":
		return ".activation_relu_or_gelu was not True"
	case p.norm1.Eps != p.norm2.Eps:
		return ".norm1.eps was not equal to encoder_layer.norm2.eps"
	case p.attn.NumHeads%2 == 1:
		return ".self_attn.num_heads is odd"
	}
	return ""
}

// Forward passes src of shape (S, N, E) or (S, E), with [BatchFirst] (N, S, E),
// through the layers. It returns a new tensor of src's shape. Without [IsCausal], it
// inspects a [Mask] of shape (S, S) to see whether it is causal.
//
// With [EnableNestedTensor], an encoder in evaluation mode and without gradients
// skips padding. This needs a [SrcKeyPaddingMask] that hides the ends of sequences
// and no other mask. The padded positions are 0 before [FinalNorm]. Forward panics as
// [MultiheadAttention.Forward] does.
func (e *TransformerEncoder) Forward(src *torch.Tensor, opts ...EncoderCallOption) *torch.Tensor {
	c := readEncoderCall("TransformerEncoder", opts)
	return callLayerN(e, []*torch.Tensor{src}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{e.run(in[0], c)}
	})[0]
}

func (e *TransformerEncoder) run(src *torch.Tensor, c encoderCall) *torch.Tensor {
	const op = "TransformerEncoder(src)"
	src.HandleFor(op, 0)
	first := false
	if l, ok := e.layerAt(0).(*TransformerEncoderLayer); ok {
		first = isBatchFirst(l.SelfAttn)
	}
	if src.Dim() < 2 {
		panic(torch.NewError(op, torch.ErrShape, "src",
			fmt.Sprintf("expected 2 or 3 dimensions, got size %v", src.Shape())))
	}
	x := e.withoutPadding(src, c)
	if x == nil {
		causal := isCausal(c.mask, c.causal, sequenceLength(src, first))
		x = src
		for i := range e.Layers.children {
			y := e.layerAt(i).Forward(x, SrcMask(c.mask), SrcKeyPaddingMask(c.padding), IsCausal(causal))
			x = own.Instead(x, y)
		}
	}
	if e.Norm != nil {
		x = own.Instead(x, e.Norm.Forward(x))
	}
	return x
}

// layerAt returns layer i, which the program may have replaced.
func (e *TransformerEncoder) layerAt(i int) EncoderLayer {
	m := e.Layers.At(i)
	l, ok := m.(EncoderLayer)
	if !ok {
		panic(torch.NewError("TransformerEncoder", torch.ErrType, "layers",
			fmt.Sprintf("layer %d, a %s, is not an nn.EncoderLayer", i, goName(m))))
	}
	return l
}

// withoutPadding runs the layers over nested tensors without padding. It returns nil
// if PyTorch's conditions for this are not met.
func (e *TransformerEncoder) withoutPadding(src *torch.Tensor, c encoderCall) *torch.Tensor {
	if !e.EnableNestedTensor || c.padding == nil || c.mask != nil || src.Dim() != 3 {
		return nil
	}
	layers := make([]*TransformerEncoderLayer, len(e.Layers.children))
	parts := make([]encoderParts, len(layers))
	for i := range layers {
		l, ok := e.layerAt(i).(*TransformerEncoderLayer)
		if !ok {
			return nil
		}
		if parts[i], ok = l.kernelParts(src); !ok {
			return nil
		}
		parts[i].attn.mustFitKernel(src, attentionCall{padding: c.padding})
		layers[i] = l
	}
	kept := c.padding.LogicalNot()
	defer own.ReleaseAll(kept)
	if e.MaskCheck && !isLeftAligned(src, kept) {
		return nil
	}
	x := nestRows(src, kept)
	for i, l := range layers {
		x = own.Instead(x, l.runKernel(parts[i], x, nil, nil))
	}
	return own.Instead(x, padNested(x, src.Shape()))
}

func isLeftAligned(x, mask *torch.Tensor) bool {
	const op = "TransformerEncoder(src, src_key_padding_mask)"
	h, m := x.HandleFor(op, 0), mask.HandleFor(op, 1)
	r := torch.BeginRaw(op, x, mask)
	is, st := aten.UnderNestedTensorFromMaskLeftAligned(r.Ctx, h, m)
	r.Status(st)
	return is
}

func nestRows(x, mask *torch.Tensor) *torch.Tensor {
	const op = "TransformerEncoder(src, src_key_padding_mask)"
	h, m := x.HandleFor(op, 0), mask.HandleFor(op, 1)
	r := torch.BeginRaw(op, x, mask)
	return r.Tensor(aten.UnderNestedTensorFromMask(r.Ctx, h, m, false))
}

func padNested(x *torch.Tensor, shape torch.Shape) *torch.Tensor {
	const op = "TransformerEncoder(nested)"
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	return r.Tensor(aten.ToPaddedTensor(r.Ctx, h, 0, shape))
}
