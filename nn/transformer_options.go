package nn

import "github.com/gotorch/gotorch/internal/opt"

// The options of transformers. All take [Base.As].
type (
	// A TransformerLayerOption is an option of a layer of an encoder or decoder:
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

// DimFeedforward is the size of the hidden layer of a transformer's layer. The default is
// 2048.
type DimFeedforward = opt.DimFeedforward

// LayerNormEps is what the norms of a transformer add to a variance, layer_norm_eps. The
// default is 1e-5.
type LayerNormEps = opt.LayerNormEps

// NormFirst says whether a transformer's layer normalizes what it attends to, and not
// the sum. The default is false.
type NormFirst = opt.NormFirst

// Activation is what a transformer's layer applies to its hidden layer. The default is
// [ActivationReLU].
type Activation = opt.Activation

// The words of [Activation].
const (
	ActivationReLU Activation = "relu"
	ActivationGELU Activation = "gelu"
)

// ActivationFunc is an [Activation] of the program's own; its result is a new tensor. For
// example ActivationFunc(F.SiLU).
type ActivationFunc = opt.ActivationFunc

// ActivationLayerOption is what [ActivationLayer] returns.
type ActivationLayerOption struct {
	opt.ActivationLayer
	l Layer
}

// ActivationLayer is an [Activation] that is a layer, which becomes a child named
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

// EnableNestedTensor says whether an encoder in evaluation leaves out padding where it
// can: what is padded is then 0 in its result. The default is true.
type EnableNestedTensor = opt.EnableNestedTensor

// MaskCheck says whether an encoder looks if the padding is at the end of each sequence
// before it leaves it out. The default is true.
type MaskCheck = opt.MaskCheck

// CustomEncoderOption is what [CustomEncoder] returns.
type CustomEncoderOption struct {
	opt.CustomEncoder
	e Encoder
}

// CustomEncoder is the encoder of a [Transformer], which it owns.
func CustomEncoder(e Encoder) CustomEncoderOption { return CustomEncoderOption{e: e} }

// CustomDecoderOption is what [CustomDecoder] returns.
type CustomDecoderOption struct {
	opt.CustomDecoder
	d Decoder
}

// CustomDecoder is the decoder of a [Transformer], which it owns.
func CustomDecoder(d Decoder) CustomDecoderOption { return CustomDecoderOption{d: d} }

// FinalNormOption is what [FinalNorm] returns.
type FinalNormOption struct {
	opt.FinalNorm
	l Layer
}

// FinalNorm is what an encoder or decoder applies to its result, norm in Python. It
// becomes a child named "norm". Nil, the default, is nothing.
func FinalNorm(l Layer) FinalNormOption { return FinalNormOption{l: l} }
