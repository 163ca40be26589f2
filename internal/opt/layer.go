package opt

import "github.com/gotorch/gotorch/torch"

// What the parameters of a layer are, and the options of tables and attention.

// Bias gives a layer a bias.
type Bias bool

func (Bias) LinearLayer()    {}
func (Bias) ConvLayer()      {}
func (Bias) LayerNormLayer() {}
func (Bias) AttentionLayer() {}

// Device is where parameters are made.
type Device torch.Device

func (Device) LinearLayer()    {}
func (Device) ConvLayer()      {}
func (Device) BatchNormLayer() {}
func (Device) LayerNormLayer() {}
func (Device) RMSNormLayer()   {}
func (Device) GroupNormLayer() {}
func (Device) EmbeddingLayer() {}
func (Device) AttentionLayer() {}

// DType is the type of parameters, or what an input is converted to.
type DType torch.DType

func (DType) SoftmaxFunc()    {}
func (DType) LinearLayer()    {}
func (DType) ConvLayer()      {}
func (DType) BatchNormLayer() {}
func (DType) LayerNormLayer() {}
func (DType) RMSNormLayer()   {}
func (DType) GroupNormLayer() {}
func (DType) EmbeddingLayer() {}
func (DType) AttentionLayer() {}

// PaddingIdx is the row that is not trained.
type PaddingIdx int64

func (PaddingIdx) EmbeddingFunc()  {}
func (PaddingIdx) EmbeddingLayer() {}

// MaxNorm is the largest norm of a row.
type MaxNorm float64

func (MaxNorm) EmbeddingFunc()  {}
func (MaxNorm) EmbeddingLayer() {}

// NormType is the exponent of the norm that MaxNorm limits.
type NormType float64

func (NormType) EmbeddingFunc()  {}
func (NormType) EmbeddingLayer() {}

// ScaleGradByFreq divides the gradient of a row by how often it occurs.
type ScaleGradByFreq bool

func (ScaleGradByFreq) EmbeddingFunc()  {}
func (ScaleGradByFreq) EmbeddingLayer() {}

// Sparse makes the gradient sparse.
type Sparse bool

func (Sparse) EmbeddingFunc()  {}
func (Sparse) EmbeddingLayer() {}

// NumClasses is the number of classes.
type NumClasses int64

func (NumClasses) OneHotFunc() {}

// DropoutP is the probability of dropping a weight of attention.
type DropoutP float64

func (DropoutP) AttentionFunc() {}

// IsCausal hides later keys from a query.
type IsCausal bool

func (IsCausal) AttentionFunc() {}
func (IsCausal) AttentionCall() {}

// Scale is the factor of the scores.
type Scale float64

func (Scale) AttentionFunc() {}

// EnableGQA allows fewer heads of keys and values than of queries.
type EnableGQA bool

func (EnableGQA) AttentionFunc() {}
