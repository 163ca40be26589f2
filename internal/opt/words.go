package opt

// The values of options that are strings in PyTorch.
const (
	PaddingSame  PaddingWord = "same"
	PaddingValid PaddingWord = "valid"

	PaddingModeZeros      PaddingMode = "zeros"
	PaddingModeReflect    PaddingMode = "reflect"    // layers
	PaddingModeReplicate  PaddingMode = "replicate"  // layers
	PaddingModeCircular   PaddingMode = "circular"   // layers
	PaddingModeBorder     PaddingMode = "border"     // GridSample
	PaddingModeReflection PaddingMode = "reflection" // GridSample

	ApproximateNone Approximate = "none"
	ApproximateTanh Approximate = "tanh"

	MomentumNone MomentumWord = "None"

	ReductionMean      Reduction = "mean"
	ReductionSum       Reduction = "sum"
	ReductionNone      Reduction = "none"
	ReductionBatchMean Reduction = "batchmean" // KLDiv

	ModeConstant     Mode = "constant"
	ModeReflect      Mode = "reflect"
	ModeReplicate    Mode = "replicate"
	ModeCircular     Mode = "circular"
	ModeNearest      Mode = "nearest"
	ModeNearestExact Mode = "nearest-exact"
	ModeLinear       Mode = "linear"
	ModeBilinear     Mode = "bilinear"
	ModeBicubic      Mode = "bicubic"
	ModeTrilinear    Mode = "trilinear"
	ModeArea         Mode = "area"
)
