package nn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Transformer is an encoder and a decoder. Follows torch.nn.Transformer.
type Transformer struct {
	Base
	Encoder Encoder
	Decoder Decoder

	DModel     int64
	NHead      int64
	BatchFirst bool
}

// NewTransformer makes a Transformer. It panics as [NewTransformerEncoderLayer] does, and with
// ErrValue for an option that has no effect beside [CustomEncoder] or [CustomDecoder], which
// Python ignores. Follows torch.nn.Transformer.
func NewTransformer(opts ...TransformerOption) *Transformer {
	const op = "NewTransformer"
	o := readTransformer(op, opts)
	o.mustApply(op, opts)
	o.mustFit(op)
	t := &Transformer{Encoder: o.encoder, Decoder: o.decoder, DModel: o.model, NHead: o.heads, BatchFirst: o.batchFirst}
	t.startLayer(t)
	t.setFlag(flagUser)
	returned := false
	defer o.closeAfterPanic(&t.Base, &returned)
	as := o.as
	o.as = Registration{} // the registration is for t, not for the layers
	if opt.IsNil(t.Encoder) {
		layer := newEncoderLayer(op, o.ownActivation())
		defer func() { _ = layer.Close() }()
		e := NewTransformerEncoder(layer, o.encoders, t.As("encoder"))
		e.Norm = registerNorm(&e.Base, o.norm())
		t.Encoder = e
	} else {
		t.Register("encoder", t.Encoder)
	}
	if opt.IsNil(t.Decoder) {
		layer := newDecoderLayer(op, o.ownActivation())
		defer func() { _ = layer.Close() }()
		d := NewTransformerDecoder(layer, o.decoders, t.As("decoder"))
		d.Norm = registerNorm(&d.Base, o.norm())
		t.Decoder = d
	} else {
		t.Register("decoder", t.Decoder)
	}
	t.ResetParameters()
	as.register(t)
	returned = true
	return t
}

// mustApply panics for an option that a custom encoder or decoder leaves without effect.
func (t *transformerOptions) mustApply(op string, opts []TransformerOption) {
	encoder, decoder := !opt.IsNil(t.encoder), !opt.IsNil(t.decoder)
	for _, o := range opts {
		unused := encoder && decoder
		by := "CustomEncoder and CustomDecoder"
		switch o.(type) {
		case NumEncoderLayers:
			unused, by = encoder, "CustomEncoder"
		case NumDecoderLayers:
			unused, by = decoder, "CustomDecoder"
		case DModel, NHead, BatchFirst, CustomEncoderOption, CustomDecoderOption, Registration:
			unused = false
		}
		if unused {
			name := strings.TrimSuffix(reflect.TypeOf(o).Name(), "Option")
			panic(torch.NewError(op, torch.ErrValue, name, "has no effect with "+by))
		}
	}
}

// ownActivation returns t with a copy of its activation layer. The layer made from the
// options is only a template: after cloning, the layer and its activation are closed.
func (t transformerOptions) ownActivation() transformerOptions {
	if t.act.layer != nil {
		t.act.layer = DeepCopy(t.act.layer).(Layer)
	}
	return t
}

// ResetParameters draws new values for the parameters with more than one dimension,
// as Python's _reset_parameters does.
func (t *Transformer) ResetParameters() {
	mustBeMade("Transformer.ResetParameters", t)
	for _, p := range t.Parameters() {
		if p.Dim() > 1 {
			nninit.XavierUniform_(p)
		}
	}
}

// Forward passes src of shape (S, N, E) or (S, E) through the encoder, and tgt of
// shape (T, N, E) or (T, E) through the decoder, which reads the encoder's output.
// With [BatchFirst], N comes first. It returns a new tensor of tgt's shape. It panics
// with ErrShape for sizes that do not fit, and otherwise as
// [MultiheadAttention.Forward] does.
func (t *Transformer) Forward(src, tgt *torch.Tensor, opts ...TransformerCallOption) *torch.Tensor {
	const op = "Transformer(src, tgt)"
	var e encoderCall
	var d decoderCall
	for _, o := range opts {
		switch o := o.(type) {
		case SrcMaskOption:
			e.mask = o.t
		case SrcKeyPaddingMaskOption:
			e.padding = o.t
		case SrcIsCausal:
			e.causal = newCausalHint(bool(o))
		default:
			d.read(op, o)
		}
	}
	return callLayerN(t, []*torch.Tensor{src, tgt}, func(in []*torch.Tensor) []*torch.Tensor {
		src, tgt := in[0], in[1]
		src.HandleFor(op, 0)
		tgt.HandleFor(op, 1)
		t.mustFit(op, src, tgt)
		coding := []EncoderCallOption{Mask(e.mask), SrcKeyPaddingMask(e.padding)}
		if e.causal.isGiven {
			coding = append(coding, IsCausal(e.causal.value))
		}
		decoding := d.options()
		// Leave out TgtIsCausal if it was not given: without it, the decoder inspects
		// the mask.
		if !d.causal.isGiven {
			decoding = []DecoderCallOption{decoding[0], decoding[1], decoding[2], decoding[3], decoding[5]}
		}
		memory := t.Encoder.Forward(src, coding...)
		return []*torch.Tensor{own.Instead(memory, t.Decoder.Forward(tgt, memory, decoding...))}
	})[0]
}

func (t *Transformer) mustFit(op string, src, tgt *torch.Tensor) {
	for i, x := range []*torch.Tensor{src, tgt} {
		if d := x.Dim(); d != src.Dim() || d != 2 && d != 3 || x.Size(-1) != t.DModel {
			panic(torch.NewError(op, torch.ErrShape, []string{"src", "tgt"}[i],
				fmt.Sprintf("expected 2 or 3 dimensions, the last of size %d, got size %v", t.DModel, x.Shape())))
		}
	}
	batch := int64(1)
	if t.BatchFirst {
		batch = 0
	}
	if src.Dim() == 3 && src.Size(batch) != tgt.Size(batch) {
		panic(torch.NewError(op, torch.ErrShape, "tgt",
			fmt.Sprintf("expected %d sequences as in src, got size %v", src.Size(batch), tgt.Shape())))
	}
}
