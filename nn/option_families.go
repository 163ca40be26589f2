package nn

import "github.com/gotorch/gotorch/internal/opt"

// The option types of layers. Constructors with the same options share a type. Every
// type includes [Base.As].
type (
	// A LinearOption is [Bias], [Device], [DType] or [Base.As].
	LinearOption interface{ opt.LinearLayer }
	// A ConvOption is [Stride], [Strides], [Padding], [Paddings], a [PaddingWord],
	// [Dilation], [Dilations], [PaddingMode], [Groups], [Bias], [Device], [DType] or
	// [Base.As].
	ConvOption interface{ opt.ConvLayer }
	// A MaxPoolOption is [Stride], [Strides], [Padding], [Paddings], [Dilation],
	// [Dilations], [CeilMode] or [Base.As].
	MaxPoolOption interface{ opt.MaxPoolLayer }
	// An AvgPoolOption is [Stride], [Strides], [Padding], [Paddings], [CeilMode],
	// [CountIncludePad], [DivisorOverride] or [Base.As].
	AvgPoolOption interface{ opt.AvgPoolLayer }
	// A FlattenOption is [StartDim], [EndDim] or [Base.As].
	FlattenOption interface{ opt.FlattenLayer }
	// A BatchNormOption is [Eps], [Momentum], [MomentumNone], [Affine],
	// [TrackRunningStats], [Device], [DType] or [Base.As].
	BatchNormOption interface{ opt.BatchNormLayer }
	// A LayerNormOption is [Eps], [ElementwiseAffine], [Bias], [Device], [DType] or
	// [Base.As].
	LayerNormOption interface{ opt.LayerNormLayer }
	// An RMSNormOption is [Eps], [ElementwiseAffine], [Device], [DType] or [Base.As].
	RMSNormOption interface{ opt.RMSNormLayer }
	// A GroupNormOption is [Eps], [Affine], [Device], [DType] or [Base.As].
	GroupNormOption interface{ opt.GroupNormLayer }
	// A LossOption is [Reduction] or [Base.As].
	LossOption interface{ opt.LossLayer }
	// A CrossEntropyLossOption is [Weight], [IgnoreIndex], [LabelSmoothing],
	// [Reduction] or [Base.As].
	CrossEntropyLossOption interface{ opt.CrossEntropyLayer }
	// An NLLLossOption is [Weight], [IgnoreIndex], [Reduction] or [Base.As].
	NLLLossOption interface{ opt.NLLLossLayer }
	// A SmoothL1LossOption is [Beta], [Reduction] or [Base.As].
	SmoothL1LossOption interface{ opt.SmoothL1LossLayer }
	// A HuberLossOption is [Delta], [Reduction] or [Base.As].
	HuberLossOption interface{ opt.HuberLossLayer }
	// A BCELossOption is [Weight], [Reduction] or [Base.As].
	BCELossOption interface{ opt.BCELayer }
	// A BCEWithLogitsLossOption is [Weight], [PosWeight], [Reduction] or [Base.As].
	BCEWithLogitsLossOption interface{ opt.BCEWithLogitsLayer }
	// A KLDivLossOption is [LogTarget], [Reduction] or [Base.As].
	KLDivLossOption interface{ opt.KLDivLayer }
)
