package opt

// The families of functions in package functional.
type (
	ConvFunc             interface{ ConvFunc() }
	ConvTransposeFunc    interface{ ConvTransposeFunc() }
	MaxPoolFunc          interface{ MaxPoolFunc() }
	AvgPoolFunc          interface{ AvgPoolFunc() }
	SoftmaxFunc          interface{ SoftmaxFunc() } // and LogSoftmax
	LeakyReLUFunc        interface{ LeakyReLUFunc() }
	ELUFunc              interface{ ELUFunc() }
	GELUFunc             interface{ GELUFunc() }
	GLUFunc              interface{ GLUFunc() }
	HardtanhFunc         interface{ HardtanhFunc() }
	SoftplusFunc         interface{ SoftplusFunc() }
	DropoutFunc          interface{ DropoutFunc() }
	NormFunc             interface{ NormFunc() } // LayerNorm, RMSNorm and GroupNorm
	BatchNormFunc        interface{ BatchNormFunc() }
	InstanceNormFunc     interface{ InstanceNormFunc() }
	LossFunc             interface{ LossFunc() } // MSELoss and L1Loss
	CrossEntropyFunc     interface{ CrossEntropyFunc() }
	NLLLossFunc          interface{ NLLLossFunc() }
	SmoothL1LossFunc     interface{ SmoothL1LossFunc() }
	HuberLossFunc        interface{ HuberLossFunc() }
	BCEFunc              interface{ BCEFunc() }
	BCEWithLogitsFunc    interface{ BCEWithLogitsFunc() }
	KLDivFunc            interface{ KLDivFunc() }
	NormalizeFunc        interface{ NormalizeFunc() }
	CosineSimilarityFunc interface{ CosineSimilarityFunc() }
	PairwiseDistanceFunc interface{ PairwiseDistanceFunc() }
	EmbeddingFunc        interface{ EmbeddingFunc() }
	OneHotFunc           interface{ OneHotFunc() }
	PadFunc              interface{ PadFunc() }
	InterpolateFunc      interface{ InterpolateFunc() }
	GridSampleFunc       interface{ GridSampleFunc() }
	AffineGridFunc       interface{ AffineGridFunc() }
)

// The families of layers in package nn.
type (
	LinearLayer        interface{ LinearLayer() } // and Bilinear
	ConvLayer          interface{ ConvLayer() }
	MaxPoolLayer       interface{ MaxPoolLayer() }
	AvgPoolLayer       interface{ AvgPoolLayer() }
	LeakyReLULayer     interface{ LeakyReLULayer() }
	GELULayer          interface{ GELULayer() }
	DropoutLayer       interface{ DropoutLayer() }
	FlattenLayer       interface{ FlattenLayer() }
	BatchNormLayer     interface{ BatchNormLayer() }
	LayerNormLayer     interface{ LayerNormLayer() }
	RMSNormLayer       interface{ RMSNormLayer() }
	GroupNormLayer     interface{ GroupNormLayer() }
	EmbeddingLayer     interface{ EmbeddingLayer() }
	LossLayer          interface{ LossLayer() } // losses that take a Reduction alone
	CrossEntropyLayer  interface{ CrossEntropyLayer() }
	NLLLossLayer       interface{ NLLLossLayer() }
	SmoothL1LossLayer  interface{ SmoothL1LossLayer() }
	HuberLossLayer     interface{ HuberLossLayer() }
	BCELayer           interface{ BCELayer() }
	BCEWithLogitsLayer interface{ BCEWithLogitsLayer() }
	KLDivLayer         interface{ KLDivLayer() }
)
