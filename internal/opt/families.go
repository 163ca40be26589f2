package opt

// The families of functions in package functional.
type (
	//gotorch:options Stride Strides Padding Paddings PaddingWord Dilation Dilations Groups
	ConvFunc interface{ convFunc() }
	//gotorch:options Stride Strides Padding Paddings Dilation Dilations OutputPadding OutputPaddings
	//gotorch:options Groups
	ConvTransposeFunc interface{ convTransposeFunc() }
	//gotorch:options Stride Strides Padding Paddings Dilation Dilations CeilMode
	MaxPoolFunc interface{ maxPoolFunc() }
	//gotorch:options Stride Strides Padding Paddings CeilMode CountIncludePad DivisorOverride
	AvgPoolFunc interface{ avgPoolFunc() }
	//gotorch:options DType
	SoftmaxFunc interface{ softmaxFunc() } // and LogSoftmax
	//gotorch:options Approximate
	GELUFunc interface{ geluFunc() }
	//gotorch:options MinVal MaxVal
	HardtanhFunc interface{ hardtanhFunc() }
	//gotorch:options Beta Threshold
	SoftplusFunc interface{ softplusFunc() }
	//gotorch:options P Training
	DropoutFunc interface{ dropoutFunc() }
	//gotorch:options Eps
	NormFunc interface{ normFunc() } // LayerNorm, RMSNorm and GroupNorm
	//gotorch:options Training Momentum Eps
	BatchNormFunc interface{ batchNormFunc() }
	//gotorch:options UseInputStats Momentum Eps
	InstanceNormFunc interface{ instanceNormFunc() }
	//gotorch:options Reduction Weight
	LossFunc interface{ lossFunc() } // MSELoss and L1Loss
	//gotorch:options Reduction IgnoreIndex LabelSmoothing Weight
	CrossEntropyFunc interface{ crossEntropyFunc() }
	//gotorch:options Reduction IgnoreIndex Weight
	NLLLossFunc interface{ nllLossFunc() }
	//gotorch:options Reduction Beta
	SmoothL1LossFunc interface{ smoothL1LossFunc() }
	//gotorch:options Reduction Delta Weight
	HuberLossFunc interface{ huberLossFunc() }
	//gotorch:options Reduction Weight
	BCEFunc interface{ bceFunc() }
	//gotorch:options Reduction Weight PosWeight
	BCEWithLogitsFunc interface{ bceWithLogitsFunc() }
	//gotorch:options Reduction LogTarget
	KLDivFunc interface{ klDivFunc() }
	//gotorch:options P Eps Dim
	NormalizeFunc interface{ normalizeFunc() }
	//gotorch:options Eps Dim
	CosineSimilarityFunc interface{ cosineSimilarityFunc() }
	//gotorch:options P Eps KeepDim
	PairwiseDistanceFunc interface{ pairwiseDistanceFunc() }
	//gotorch:options PaddingIdx MaxNorm NormType ScaleGradByFreq Sparse
	EmbeddingFunc interface{ embeddingFunc() }
	//gotorch:options Mode Value
	PadFunc interface{ padFunc() }
	//gotorch:options Mode Size Sizes ScaleFactor ScaleFactors AlignCorners RecomputeScaleFactor Antialias
	InterpolateFunc interface{ interpolateFunc() }
	//gotorch:options Mode AlignCorners PaddingMode
	GridSampleFunc interface{ gridSampleFunc() }
	//gotorch:options AlignCorners
	AffineGridFunc interface{ affineGridFunc() }
)

// The families of layers in package nn.
type (
	//gotorch:options AnyLayer Bias Device DType
	LinearLayer interface{ linearLayer() } // and Bilinear
	//gotorch:options AnyLayer Bias Device DType Stride Strides Padding Paddings PaddingWord Dilation
	//gotorch:options Dilations Groups PaddingMode
	ConvLayer interface{ convLayer() }
	//gotorch:options AnyLayer Stride Strides Padding Paddings Dilation Dilations CeilMode
	MaxPoolLayer interface{ maxPoolLayer() }
	//gotorch:options AnyLayer Stride Strides Padding Paddings CeilMode CountIncludePad DivisorOverride
	AvgPoolLayer interface{ avgPoolLayer() }
	//gotorch:options AnyLayer Approximate
	GELULayer interface{ geluLayer() }
	//gotorch:options AnyLayer StartDim EndDim
	FlattenLayer interface{ flattenLayer() }
	//gotorch:options AnyLayer Device DType Momentum MomentumWord Eps Affine TrackRunningStats
	BatchNormLayer interface{ batchNormLayer() }
	//gotorch:options AnyLayer Bias Device DType Eps ElementwiseAffine
	LayerNormLayer interface{ layerNormLayer() }
	//gotorch:options AnyLayer Device DType Eps ElementwiseAffine
	RMSNormLayer interface{ rmsNormLayer() }
	//gotorch:options AnyLayer Device DType Eps Affine
	GroupNormLayer interface{ groupNormLayer() }
	//gotorch:options AnyLayer Device DType PaddingIdx MaxNorm NormType ScaleGradByFreq Sparse
	EmbeddingLayer interface{ embeddingLayer() }
	//gotorch:options AnyLayer Reduction
	LossLayer interface{ lossLayer() } // losses whose only option is a Reduction
	//gotorch:options AnyLayer Reduction IgnoreIndex LabelSmoothing Weight
	CrossEntropyLayer interface{ crossEntropyLayer() }
	//gotorch:options AnyLayer Reduction IgnoreIndex Weight
	NLLLossLayer interface{ nllLossLayer() }
	//gotorch:options AnyLayer Reduction Beta
	SmoothL1LossLayer interface{ smoothL1LossLayer() }
	//gotorch:options AnyLayer Reduction Delta
	HuberLossLayer interface{ huberLossLayer() }
	//gotorch:options AnyLayer Reduction Weight
	BCELayer interface{ bceLayer() }
	//gotorch:options AnyLayer Reduction Weight PosWeight
	BCEWithLogitsLayer interface{ bceWithLogitsLayer() }
	//gotorch:options AnyLayer Reduction LogTarget
	KLDivLayer interface{ klDivLayer() }
)
