package schedule

// A StepLROption is an option of [NewStepLR] and [NewMultiStepLR]: [Gamma],
// [LastEpoch].
//
//gotorch:options LastEpoch Gamma
type StepLROption interface{ stepLROption() }

// An EpochOption is an option of [NewLambdaLR], [NewMultiplicativeLR], their forms
// with a list, and [NewExponentialLR]: [LastEpoch].
//
//gotorch:options LastEpoch
type EpochOption interface{ epochOption() }

// A ConstantLROption is an option of [NewConstantLR]: [Factor], [TotalIters],
// [LastEpoch].
//
//gotorch:options LastEpoch Factor TotalIters
type ConstantLROption interface{ constantLROption() }

// A LinearLROption is an option of [NewLinearLR]: [StartFactor], [EndFactor],
// [TotalIters], [LastEpoch].
//
//gotorch:options LastEpoch TotalIters StartFactor EndFactor
type LinearLROption interface{ linearLROption() }

// A CosineAnnealingOption is an option of [NewCosineAnnealingLR]: [EtaMin],
// [LastEpoch].
//
//gotorch:options LastEpoch EtaMin
type CosineAnnealingOption interface{ cosineAnnealingOption() }

// A WarmRestartsOption is an option of [NewCosineAnnealingWarmRestarts]:
// [TMult], [EtaMin], [LastEpoch].
//
//gotorch:options LastEpoch EtaMin TMult
type WarmRestartsOption interface{ warmRestartsOption() }

// A OneCycleOption is an option of [NewOneCycleLR].
//
//gotorch:options LastEpoch TotalSteps Epochs StepsPerEpoch PctStart AnnealStrategy CycleMomentum
//gotorch:options BaseMomentum MaxMomentum DivFactor FinalDivFactor ThreePhase BaseMomentums
//gotorch:options MaxMomentums
type OneCycleOption interface{ oneCycleOption() }

// A PlateauOption is an option of [NewReduceLROnPlateau].
//
//gotorch:options Factor Mode Patience Threshold ThresholdMode Cooldown MinLR MinLRs Eps
type PlateauOption interface{ plateauOption() }

// A SequentialLROption is an option of [NewSequentialLR]: [LastEpoch].
//
//gotorch:options LastEpoch
type SequentialLROption interface{ sequentialLROption() }

// LastEpoch is the epoch to continue from, for an optimizer whose groups have
// an InitialLR. The default is -1: the scheduler starts at the beginning.
type LastEpoch int64

// Gamma is the factor by which the rates are multiplied. The default is 0.1, and 1
// for [NewCyclicLR].
type Gamma float64

// Factor is the factor by which the rates are multiplied. For [NewConstantLR] it is
// from 0 to 1, by default 1/3. For [NewReduceLROnPlateau] it is below 1, by default
// 0.1.
type Factor float64

// TotalIters is the number of epochs after which the rates reach their final values.
// The default is 5.
type TotalIters int64

// StartFactor is the factor of the rates at the start, above 0 and at most 1. The
// default is 1/3.
type StartFactor float64

// EndFactor is the factor of the rates at the end, from 0 to 1. The default is 1.
type EndFactor float64

// EtaMin is the lowest rate. The default is 0.
type EtaMin float64

// TMult is the ratio between the lengths of successive periods, at least 1. The
// default is 1.
type TMult int64

// TotalSteps is the number of steps in the cycle. The default is [Epochs] times
// [StepsPerEpoch], which must then be given.
type TotalSteps int64

// Epochs is the number of epochs in the cycle. Use it with [StepsPerEpoch].
type Epochs int64

// StepsPerEpoch is the number of steps in an epoch. Use it with [Epochs].
type StepsPerEpoch int64

// PctStart is the fraction of the steps in which the rate rises, from 0 to 1.
// The default is 0.3.
type PctStart float64

// AnnealStrategy selects the curve along which the rates change: half a cosine or a straight line.
// The default is AnnealStrategyCos.
type AnnealStrategy string

// The values of [AnnealStrategy].
const (
	AnnealStrategyCos    AnnealStrategy = "cos"
	AnnealStrategyLinear AnnealStrategy = "linear"
)

// CycleMomentum says whether the momentum, or the first of betas, falls while the
// rate rises. The default is true.
type CycleMomentum bool

// BaseMomentum is the momentum at the highest rate. The default is 0.85, and 0.8
// for [NewCyclicLR].
type BaseMomentum float64

// MaxMomentum is the momentum at the lowest rate. The default is 0.95, and 0.9 for
// [NewCyclicLR].
type MaxMomentum float64

// DivFactor is the ratio of the highest rate to the first. The default is 25.
type DivFactor float64

// FinalDivFactor is the ratio of the first rate to the last. The default is 1e4.
type FinalDivFactor float64

// ThreePhase says whether there is an additional phase, in which the rate returns to its
// initial value as fast as it rose. It then falls to the last rate. The default is false.
type ThreePhase bool

// Mode says whether a lower or a higher metric is better. The default is
// ModeMin.
type Mode string

// The values of [Mode].
const (
	ModeMin Mode = "min"
	ModeMax Mode = "max"
)

// Patience is the number of epochs without improvement to tolerate. The default is
// 10.
type Patience int64

// Threshold is the smallest change that counts as an improvement. The default
// is 1e-4.
type Threshold float64

// ThresholdMode says whether the threshold is a fraction of the best metric or an absolute
// difference. The default is ThresholdModeRel.
type ThresholdMode string

// The values of [ThresholdMode].
const (
	ThresholdModeRel ThresholdMode = "rel"
	ThresholdModeAbs ThresholdMode = "abs"
)

// Cooldown is the number of epochs to wait after a reduction. The default is 0.
type Cooldown int64

// MinLR is a lower limit for the rates. The default is 0.
type MinLR float64

// MinLRs holds a lower limit for the rate of each group.
type MinLRs []float64

// BaseMomentums is [BaseMomentum] for each group.
type BaseMomentums []float64

// MaxMomentums is [MaxMomentum] for each group.
type MaxMomentums []float64

// Eps is the smallest change of a rate that is applied. The default is 1e-8.
type Eps float64
