package opt

import "github.com/gotorch/gotorch/torch"

// The families of transformers.
type (
	//gotorch:options AnyLayer Bias Device DType DimFeedforward LayerNormEps NormFirst Activation
	//gotorch:options ActivationFunc ActivationLayer DropoutP BatchFirst
	TransformerPart interface{ transformerPart() } // the layers of the encoder and the decoder
	//gotorch:options AnyLayer Bias Device DType DimFeedforward LayerNormEps NormFirst Activation
	//gotorch:options ActivationFunc ActivationLayer DropoutP BatchFirst DModel NHead NumEncoderLayers
	//gotorch:options NumDecoderLayers CustomEncoder CustomDecoder
	TransformerLayer interface{ transformerLayer() }
	//gotorch:options AnyLayer FinalNorm EnableNestedTensor MaskCheck
	EncoderLayer interface{ encoderLayer() }
	//gotorch:options AnyLayer FinalNorm
	DecoderLayer interface{ decoderLayer() }
	//gotorch:options IsCausal SrcMask SrcKeyPaddingMask
	EncoderPartCall interface{ encoderPartCall() } // a layer's Forward
	//gotorch:options IsCausal Mask SrcKeyPaddingMask
	EncoderCall interface{ encoderCall() }
	//gotorch:options TgtMask MemoryMask TgtKeyPaddingMask MemoryKeyPaddingMask TgtIsCausal MemoryIsCausal
	DecoderCall interface{ decoderCall() }
	//gotorch:options SrcMask SrcKeyPaddingMask TgtMask MemoryMask TgtKeyPaddingMask MemoryKeyPaddingMask
	//gotorch:options SrcIsCausal TgtIsCausal MemoryIsCausal
	TransformerCall interface{ transformerCall() }
	//gotorch:options Device DType
	SquareMask interface{ squareMask() }
)

// Options that package nn documents.
type (
	DimFeedforward     int64
	LayerNormEps       float64
	NormFirst          bool
	Activation         string
	ActivationFunc     func(x *torch.Tensor) *torch.Tensor
	DModel             int64
	NHead              int64
	NumEncoderLayers   int64
	NumDecoderLayers   int64
	EnableNestedTensor bool
	MaskCheck          bool
)

// Options that package nn documents.
type (
	SrcIsCausal    bool
	TgtIsCausal    bool
	MemoryIsCausal bool
)

// Options of package nn that hold tensors or layers embed these types.
type (
	Mask                 struct{}
	SrcMask              struct{}
	SrcKeyPaddingMask    struct{}
	TgtMask              struct{}
	MemoryMask           struct{}
	TgtKeyPaddingMask    struct{}
	MemoryKeyPaddingMask struct{}
	ActivationLayer      struct{}
	CustomEncoder        struct{}
	CustomDecoder        struct{}
	FinalNorm            struct{}
)
