package opt

import "github.com/gotorch/gotorch/torch"

// The option families of attention functions and layers.
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

// DropoutP is the probability that attention sets a weight to zero, or that a layer sets
// an element to zero.
type DropoutP float64

// IsCausal says whether the keys that come after a query are hidden from it.
type IsCausal bool

// Scale is the factor by which the attention scores are multiplied.
type Scale float64

// EnableGQA says whether keys and values may have fewer heads than queries.
type EnableGQA bool

// NeedWeights says whether attention also returns the attention weights.
type NeedWeights bool

// AverageAttnWeights says whether the attention weights are averaged over the heads.
type AverageAttnWeights bool

// UseSeparateProjWeight says whether attention uses separate projection weights for
// queries, keys and values.
type UseSeparateProjWeight bool

// given is an option that holds a tensor.
type given struct{ t *torch.Tensor }

// Tensor returns the tensor in the option.
func (o given) Tensor() *torch.Tensor { return hidden(o.t) }

// Options of attention that hold tensors.
type (
	// AttnMask holds a mask that hides keys from individual queries.
	AttnMask struct{ given }
	// KeyPaddingMask holds a mask that hides keys from all queries.
	KeyPaddingMask struct{ given }
	// QProjWeight holds the projection weight of the queries.
	QProjWeight struct{ given }
	// KProjWeight holds the projection weight of the keys.
	KProjWeight struct{ given }
	// VProjWeight holds the projection weight of the values.
	VProjWeight struct{ given }
	// StaticK holds keys that replace the computed ones.
	StaticK struct{ given }
	// StaticV holds values that replace the computed ones.
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
