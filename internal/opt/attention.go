package opt

import "github.com/gotorch/gotorch/torch"

// The families of attention.
type (
	AttentionFunc  interface{ AttentionFunc() }
	MultiHeadFunc  interface{ MultiHeadFunc() }  // F.MultiHeadAttentionForward
	AttentionLayer interface{ AttentionLayer() } // the constructor of MultiheadAttention
	AttentionCall  interface{ AttentionCall() }  // its Forward
)

func (AnyLayer) AttentionLayer() {}
func (Bias) AttentionLayer()     {}
func (Device) AttentionLayer()   {}
func (DType) AttentionLayer()    {}

func (Training) MultiHeadFunc() {}

// DropoutP is the probability of dropping a weight of attention.
type DropoutP float64

func (DropoutP) AttentionFunc() {}

// IsCausal hides later keys from a query.
type IsCausal bool

func (IsCausal) AttentionFunc() {}
func (IsCausal) MultiHeadFunc() {}
func (IsCausal) AttentionCall() {}

// Scale is the factor of the scores.
type Scale float64

func (Scale) AttentionFunc() {}

// EnableGQA allows fewer heads of keys and values than of queries.
type EnableGQA bool

func (EnableGQA) AttentionFunc() {}

// NeedWeights has the weights returned.
type NeedWeights bool

func (NeedWeights) MultiHeadFunc() {}
func (NeedWeights) AttentionCall() {}

// AverageAttnWeights has them averaged over the heads.
type AverageAttnWeights bool

func (AverageAttnWeights) MultiHeadFunc() {}
func (AverageAttnWeights) AttentionCall() {}

// UseSeparateProjWeight has three weights in place of one.
type UseSeparateProjWeight bool

func (UseSeparateProjWeight) MultiHeadFunc() {}

// given is an option that is a tensor.
type given struct{ t *torch.Tensor }

// Tensor returns what the option holds.
func (o given) Tensor() *torch.Tensor { return hidden(o.t) }

// Options of attention that are tensors.
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
	// StaticK holds keys in place of those computed.
	StaticK struct{ given }
	// StaticV holds values in place of those computed.
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

func (AttnMask) AttentionFunc()       {}
func (AttnMask) MultiHeadFunc()       {}
func (AttnMask) AttentionCall()       {}
func (KeyPaddingMask) MultiHeadFunc() {}
func (KeyPaddingMask) AttentionCall() {}
func (QProjWeight) MultiHeadFunc()    {}
func (KProjWeight) MultiHeadFunc()    {}
func (VProjWeight) MultiHeadFunc()    {}
func (StaticK) MultiHeadFunc()        {}
func (StaticV) MultiHeadFunc()        {}
