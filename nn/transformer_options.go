package nn

import "github.com/gotorch/gotorch/internal/opt"

// The option types of transformers. All constructors accept [Base.As].
type (
	// A TransformerLayerOption is an option of an encoder layer or decoder layer:
	// [DimFeedforward], [DropoutP], an [Activation], [ActivationFunc] or
	// [ActivationLayer], [LayerNormEps], [BatchFirst], [NormFirst], [Bias], [Device],
	// [DType] or [Base.As].
	TransformerLayerOption interface{ opt.TransformerPart }
	// A TransformerOption is a [TransformerLayerOption], [DModel], [NHead],
	// [NumEncoderLayers], [NumDecoderLayers], [CustomEncoder] or [CustomDecoder].
	TransformerOption interface{ opt.TransformerLayer }
	// An EncoderOption is [FinalNorm], [EnableNestedTensor], [MaskCheck] or [Base.As].
	EncoderOption interface{ opt.EncoderLayer }
	// A DecoderOption is [FinalNorm] or [Base.As].
	DecoderOption interface{ opt.DecoderLayer }
)

// DimFeedforward is the size of the hidden layer in a transformer layer's
// feed-forward network. The default is 2048.
type DimFeedforward = opt.DimFeedforward

// LayerNormEps is the number that a transformer's normalizations add to the variance,
// layer_norm_eps in Python. The default is 1e-5.
type LayerNormEps = opt.LayerNormEps

// NormFirst says whether a transformer layer normalizes before its attention and before
// its feed-forward network, instead of after each of them. The default is false.
type NormFirst = opt.NormFirst

// Activation is the activation of a transformer layer's feed-forward network. The
// default is [ActivationReLU].
type Activation = opt.Activation

// The values of [Activation].
const (
	ActivationReLU Activation = "relu"
	ActivationGELU Activation = "gelu"
)

// ActivationFunc is a custom [Activation], a function that returns a new tensor. For
// example ActivationFunc(F.SiLU).
type ActivationFunc = opt.ActivationFunc

// ActivationLayerOption is the result type of [ActivationLayer].
type ActivationLayerOption struct {
	opt.ActivationLayer
	l Layer
}

// ActivationLayer is a layer used as [Activation]. It becomes a child named
// "activation".
func ActivationLayer(l Layer) ActivationLayerOption { return ActivationLayerOption{l: l} }

// DModel is the number of features of a [Transformer]. The default is 512.
type DModel = opt.DModel

// NHead is the number of heads of a [Transformer]. The default is 8.
type NHead = opt.NHead

// NumEncoderLayers is the number of layers of a [Transformer]'s encoder. The default is
// 6.
type NumEncoderLayers = opt.NumEncoderLayers

// NumDecoderLayers is the number of layers of a [Transformer]'s decoder. The default is
// 6.
type NumDecoderLayers = opt.NumDecoderLayers

// EnableNestedTensor says whether an encoder in evaluation mode skips padding where
// it can. Padded positions are then 0 in its result. The default is true.
type EnableNestedTensor = opt.EnableNestedTensor

// MaskCheck says whether an encoder checks that padding is only at the ends of
// sequences before it skips the padding. The default is true.
type MaskCheck = opt.MaskCheck

// CustomEncoderOption is the result type of [CustomEncoder].
type CustomEncoderOption struct {
	opt.CustomEncoder
	e Encoder
}

// CustomEncoder sets the encoder of a [Transformer], which takes ownership of it. Together with
// [NumEncoderLayers] it causes ErrValue.
func CustomEncoder(e Encoder) CustomEncoderOption { return CustomEncoderOption{e: e} }

// CustomDecoderOption is the result type of [CustomDecoder].
type CustomDecoderOption struct {
	opt.CustomDecoder
	d Decoder
}

// CustomDecoder sets the decoder of a [Transformer], which takes ownership of it. Together with
// [NumDecoderLayers] it causes ErrValue.
func CustomDecoder(d Decoder) CustomDecoderOption { return CustomDecoderOption{d: d} }

// FinalNormOption is the result type of [FinalNorm].
type FinalNormOption struct {
	opt.FinalNorm
	l Layer
}

// FinalNorm is a normalization that an encoder or decoder applies to its result, norm
// in Python. It becomes a child named "norm". By default, or if l is nil, the result is
// not normalized.
func FinalNorm(l Layer) FinalNormOption { return FinalNormOption{l: l} }
