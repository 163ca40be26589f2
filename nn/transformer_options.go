package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of transformers. All take [Base.As].
type (
	// A TransformerLayerOption is an option of a layer of an encoder or decoder:
	// [DimFeedforward], [WithDropout], an [Activation], [ActivationFunc] or
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
type DimFeedforward int64

// LayerNormEps is what the norms of a transformer add to a variance, layer_norm_eps. The
// default is 1e-5.
type LayerNormEps float64

// NormFirst says whether a transformer's layer normalizes what it attends to, and not
// the sum. The default is false.
type NormFirst bool

// Activation is what a transformer's layer applies to its hidden layer. The default is
// [ActivationReLU].
type Activation string

// The words of [Activation].
const (
	ActivationReLU Activation = "relu"
	ActivationGELU Activation = "gelu"
)

// ActivationFunc is an [Activation] of the program's own; its result is a new tensor. For
// example ActivationFunc(F.SiLU).
type ActivationFunc func(x *torch.Tensor) *torch.Tensor

// ActivationLayerOption is what [ActivationLayer] returns.
type ActivationLayerOption struct{ l Layer }

// ActivationLayer is an [Activation] that is a layer, which becomes a child named
// "activation".
func ActivationLayer(l Layer) ActivationLayerOption { return ActivationLayerOption{l} }

// DModel is the number of features of a [Transformer]. The default is 512.
type DModel int64

// NHead is the number of heads of a [Transformer]. The default is 8.
type NHead int64

// NumEncoderLayers is the number of layers of a [Transformer]'s encoder. The default is
// 6.
type NumEncoderLayers int64

// NumDecoderLayers is the number of layers of a [Transformer]'s decoder. The default is
// 6.
type NumDecoderLayers int64

// EnableNestedTensor says whether an encoder in evaluation leaves out padding where it
// can: what is padded is then 0 in its result. The default is true.
type EnableNestedTensor bool

// MaskCheck says whether an encoder looks if the padding is at the end of each sequence
// before it leaves it out. The default is true.
type MaskCheck bool

// CustomEncoderOption is what [CustomEncoder] returns.
type CustomEncoderOption struct{ e Encoder }

// CustomEncoder is the encoder of a [Transformer], which it owns.
func CustomEncoder(e Encoder) CustomEncoderOption { return CustomEncoderOption{e} }

// CustomDecoderOption is what [CustomDecoder] returns.
type CustomDecoderOption struct{ d Decoder }

// CustomDecoder is the decoder of a [Transformer], which it owns.
func CustomDecoder(d Decoder) CustomDecoderOption { return CustomDecoderOption{d} }

// FinalNormOption is what [FinalNorm] returns.
type FinalNormOption struct{ l Layer }

// FinalNorm is what an encoder or decoder applies to its result, norm in Python. It
// becomes a child named "norm". Nil, the default, is nothing.
func FinalNorm(l Layer) FinalNormOption { return FinalNormOption{l} }

func (DimFeedforward) TransformerPart()         {}
func (DimFeedforward) TransformerLayer()        {}
func (LayerNormEps) TransformerPart()           {}
func (LayerNormEps) TransformerLayer()          {}
func (NormFirst) TransformerPart()              {}
func (NormFirst) TransformerLayer()             {}
func (Activation) TransformerPart()             {}
func (Activation) TransformerLayer()            {}
func (ActivationFunc) TransformerPart()         {}
func (ActivationFunc) TransformerLayer()        {}
func (ActivationLayerOption) TransformerPart()  {}
func (ActivationLayerOption) TransformerLayer() {}
func (WithDropout) TransformerPart()            {}
func (WithDropout) TransformerLayer()           {}
func (BatchFirst) TransformerPart()             {}
func (BatchFirst) TransformerLayer()            {}
func (DModel) TransformerLayer()                {}
func (NHead) TransformerLayer()                 {}
func (NumEncoderLayers) TransformerLayer()      {}
func (NumDecoderLayers) TransformerLayer()      {}
func (CustomEncoderOption) TransformerLayer()   {}
func (CustomDecoderOption) TransformerLayer()   {}
func (FinalNormOption) EncoderLayer()           {}
func (FinalNormOption) DecoderLayer()           {}
func (EnableNestedTensor) EncoderLayer()        {}
func (MaskCheck) EncoderLayer()                 {}
