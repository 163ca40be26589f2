package opt

import "github.com/gotorch/gotorch/torch"

// What the parameters of a layer are, and the options of tables.

// Bias gives a layer a bias.
type Bias bool

func (Bias) LinearLayer()    {}
func (Bias) ConvLayer()      {}
func (Bias) LayerNormLayer() {}

// Device is where parameters are made.
type Device torch.Device

func (Device) LinearLayer()    {}
func (Device) ConvLayer()      {}
func (Device) BatchNormLayer() {}
func (Device) LayerNormLayer() {}
func (Device) RMSNormLayer()   {}
func (Device) GroupNormLayer() {}
func (Device) EmbeddingLayer() {}

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
