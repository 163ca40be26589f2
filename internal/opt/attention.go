package opt

import "github.com/gotorch/gotorch/torch"

// The families of attention.
type (
	//gotorch:options DropoutP IsCausal Scale EnableGQA AttnMask
	AttentionFunc interface{ attentionFunc() }
	//gotorch:options Training IsCausal NeedWeights AverageAttnWeights UseSeparateProjWeight AttnMask
	//gotorch:options KeyPaddingMask QProjWeight KProjWeight VProjWeight StaticK StaticV
	MultiHeadFunc interface{ multiHeadFunc() } // F.MultiHeadAttentionForward
	//gotorch:options AnyLayer Bias Device DType DropoutP BatchFirst KDim VDim AddBiasKV AddZeroAttn
	AttentionLayer interface{ attentionLayer() } // the constructor of MultiheadAttention
	//gotorch:options IsCausal NeedWeights AverageAttnWeights AttnMask KeyPaddingMask
	AttentionCall interface{ attentionCall() } // its Forward
)

// DropoutP is the probability with which attention drops a weight, and a layer drops an
// element.
type DropoutP float64

// IsCausal hides keys after the position of a query.
type IsCausal bool

// Scale is the factor of the scores.
type Scale float64

// EnableGQA allows fewer heads for keys and values than for queries.
type EnableGQA bool

// NeedWeights requests the attention weights as a second result.
type NeedWeights bool

// AverageAttnWeights averages the attention weights over the heads.
type AverageAttnWeights bool

// UseSeparateProjWeight uses separate weights for queries, keys and values.
type UseSeparateProjWeight bool

// given is an option that holds a tensor.
type given struct{ t *torch.Tensor }

// Tensor returns the tensor in the option.
func (o given) Tensor() *torch.Tensor { return hidden(o.t) }

// Options of attention that hold tensors.
type (
	// AttnMask holds a mask of queries and keys.
	AttnMask struct{ given }
	// KeyPaddingMask holds a mask of keys.
	KeyPaddingMask struct{ given }
	// QProjWeight holds the weight of the queries.
	QProjWeight struct{ given }
	// KProjWeight holds the weight of the keys.
	KProjWeight struct{ given }
	// VProjWeight holds the weight of the values.
	VProjWeight struct{ given }
	// StaticK holds keys to use instead of computed ones.
	StaticK struct{ given }
	// StaticV holds values to use instead of computed ones.
	StaticV struct{ given }
)

// NewAttnMask returns the option for t.
func NewAttnMask(t *torch.Tensor) AttnMask { return AttnMask{given{t}} }

// NewKeyPaddingMask returns the option for t.
func NewKeyPaddingMask(t *torch.Tensor) KeyPaddingMask { return KeyPaddingMask{given{t}} }

// NewQProjWeight returns the option for t.
func NewQProjWeight(t *torch.Tensor) QProjWeight { return QProjWeight{given{t}} }

// NewKProjWeight returns the option for t.
func NewKProjWeight(t *torch.Tensor) KProjWeight { return KProjWeight{given{t}} }

// NewVProjWeight returns the option for t.
func NewVProjWeight(t *torch.Tensor) VProjWeight { return VProjWeight{given{t}} }

// NewStaticK returns the option for t.
func NewStaticK(t *torch.Tensor) StaticK { return StaticK{given{t}} }

// NewStaticV returns the option for t.
func NewStaticV(t *torch.Tensor) StaticV { return StaticV{given{t}} }

// Options that package nn documents.
type (
	BatchFirst  bool
	KDim        int64
	VDim        int64
	AddBiasKV   bool
	AddZeroAttn bool
)
