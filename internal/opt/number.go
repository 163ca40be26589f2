package opt

// Numbers and switches of activations, normalizations and distances.

// NegativeSlope is the slope where x is negative.
type NegativeSlope float64

func (NegativeSlope) LeakyReLUFunc()  {}
func (NegativeSlope) LeakyReLULayer() {}

// Alpha is the scale of the exponential.
type Alpha float64

func (Alpha) ELUFunc() {}

// MinVal is the lower limit.
type MinVal float64

func (MinVal) HardtanhFunc() {}

// MaxVal is the upper limit.
type MaxVal float64

func (MaxVal) HardtanhFunc() {}

// Beta is the sharpness of Softplus, and where the parabola of SmoothL1Loss ends.
type Beta float64

func (Beta) SoftplusFunc()      {}
func (Beta) SmoothL1LossFunc()  {}
func (Beta) SmoothL1LossLayer() {}

// Threshold is where Softplus becomes linear.
type Threshold float64

func (Threshold) SoftplusFunc() {}

// Approximate is how GELU is computed.
type Approximate string

func (Approximate) GELUFunc()  {}
func (Approximate) GELULayer() {}

// P is the probability of a dropout, or the exponent of a norm.
type P float64

func (P) DropoutFunc()          {}
func (P) NormalizeFunc()        {}
func (P) PairwiseDistanceFunc() {}
func (P) DropoutLayer()         {}

// Training says that the model is being trained.
type Training bool

func (Training) DropoutFunc()   {}
func (Training) BatchNormFunc() {}

// UseInputStats normalizes with the statistics of the input.
type UseInputStats bool

func (UseInputStats) InstanceNormFunc() {}

// Momentum is how much a batch moves the running statistics.
type Momentum float64

func (Momentum) BatchNormFunc()    {}
func (Momentum) InstanceNormFunc() {}
func (Momentum) BatchNormLayer()   {}

// MomentumWord is a momentum that PyTorch says by a word.
type MomentumWord string

func (MomentumWord) BatchNormLayer() {}

// Eps is a small number that keeps a divisor away from 0.
type Eps float64

func (Eps) NormFunc()             {}
func (Eps) BatchNormFunc()        {}
func (Eps) InstanceNormFunc()     {}
func (Eps) NormalizeFunc()        {}
func (Eps) CosineSimilarityFunc() {}
func (Eps) PairwiseDistanceFunc() {}
func (Eps) BatchNormLayer()       {}
func (Eps) LayerNormLayer()       {}
func (Eps) RMSNormLayer()         {}
func (Eps) GroupNormLayer()       {}

// Affine gives a layer a weight and a bias.
type Affine bool

func (Affine) BatchNormLayer() {}
func (Affine) GroupNormLayer() {}

// ElementwiseAffine gives a layer a weight and a bias.
type ElementwiseAffine bool

func (ElementwiseAffine) LayerNormLayer() {}
func (ElementwiseAffine) RMSNormLayer()   {}

// TrackRunningStats makes a layer keep running statistics.
type TrackRunningStats bool

func (TrackRunningStats) BatchNormLayer() {}

// Dim is a dimension; a negative one counts from the end.
type Dim int64

func (Dim) GLUFunc()              {}
func (Dim) NormalizeFunc()        {}
func (Dim) CosineSimilarityFunc() {}

// KeepDimFlag keeps the dimension as one of size 1.
type KeepDimFlag bool

func (KeepDimFlag) PairwiseDistanceFunc() {}

// StartDim is the first dimension to join.
type StartDim int64

func (StartDim) FlattenLayer() {}

// EndDim is the last dimension to join.
type EndDim int64

func (EndDim) FlattenLayer() {}
