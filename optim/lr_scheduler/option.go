package lr_scheduler

// A StepLROption is an option of [NewStepLR] and [NewMultiStepLR]: [Gamma],
// [LastEpoch].
type StepLROption interface{ stepLROption() }

// An EpochOption is an option of [NewLambdaLR], [NewLambdaLRList] and
// [NewExponentialLR]: [LastEpoch].
type EpochOption interface{ epochOption() }

// A ConstantLROption is an option of [NewConstantLR]: [Factor], [TotalIters],
// [LastEpoch].
type ConstantLROption interface{ constantLROption() }

// A LinearLROption is an option of [NewLinearLR]: [StartFactor], [EndFactor],
// [TotalIters], [LastEpoch].
type LinearLROption interface{ linearLROption() }

// A CosineAnnealingOption is an option of [NewCosineAnnealingLR]: [EtaMin],
// [LastEpoch].
type CosineAnnealingOption interface{ cosineAnnealingOption() }

// A WarmRestartsOption is an option of [NewCosineAnnealingWarmRestarts]:
// [TMult], [EtaMin], [LastEpoch].
type WarmRestartsOption interface{ warmRestartsOption() }

// A OneCycleOption is an option of [NewOneCycleLR].
type OneCycleOption interface{ oneCycleOption() }

// A PlateauOption is an option of [NewReduceLROnPlateau].
type PlateauOption interface{ plateauOption() }

// LastEpoch is the epoch to go on from, in an optimizer whose groups have an
// InitialLR. Without it -1: the scheduler begins.
type LastEpoch int64

// Gamma is what the rates are multiplied by. Without it 0.1.
type Gamma float64

// Factor is what the rates are multiplied by: of [NewConstantLR] from 0 to 1,
// without it 1/3; of [NewReduceLROnPlateau] below 1, without it 0.1.
type Factor float64

// TotalIters is the number of epochs after which the rates are back, or at
// their end. Without it 5.
type TotalIters int64

// StartFactor is what the rates are multiplied by at first, above 0 and at
// most 1. Without it 1/3.
type StartFactor float64

// EndFactor is what the rates are multiplied by in the end, from 0 to 1.
// Without it 1.
type EndFactor float64

// EtaMin is the lowest rate. Without it 0.
type EtaMin float64

// TMult is how many times as long as the one before each period is, at least
// 1. Without it 1.
type TMult int64

// TotalSteps is the number of steps of the cycle. Without it the product of
// [Epochs] and [StepsPerEpoch], which must be given then.
type TotalSteps int64

// Epochs is the number of epochs of the cycle, with [StepsPerEpoch].
type Epochs int64

// StepsPerEpoch is the number of steps of an epoch, with [Epochs].
type StepsPerEpoch int64

// PctStart is the share of steps in which the rate rises, from 0 to 1. Without
// it 0.3.
type PctStart float64

// AnnealStrategy is the shape of the slopes. Without it AnnealStrategyCos.
type AnnealStrategy string

// The strategies.
const (
	AnnealStrategyCos    AnnealStrategy = "cos"
	AnnealStrategyLinear AnnealStrategy = "linear"
)

// CycleMomentum says whether the momentum, or the first of betas, goes down
// as the rate goes up. Without it true.
type CycleMomentum bool

// BaseMomentum is the momentum at the highest rate. Without it 0.85.
type BaseMomentum float64

// MaxMomentum is the momentum at the lowest rate. Without it 0.95.
type MaxMomentum float64

// DivFactor is what the highest rate is divided by for the first one. Without
// it 25.
type DivFactor float64

// FinalDivFactor is what the first rate is divided by for the last one. Without
// it 1e4.
type FinalDivFactor float64

// ThreePhase has the rate come down to the first one as it rose, and go on from
// there to the last one. Without it false.
type ThreePhase bool

// Mode says which way the metric gets better. Without it ModeMin.
type Mode string

// The modes.
const (
	ModeMin Mode = "min"
	ModeMax Mode = "max"
)

// Patience is how many epochs without progress are put up with. Without it 10.
type Patience int64

// Threshold is what counts as progress. Without it 1e-4.
type Threshold float64

// ThresholdMode says whether the threshold is a share of the best metric or a
// difference. Without it ThresholdModeRel.
type ThresholdMode string

// The modes of the threshold.
const (
	ThresholdModeRel ThresholdMode = "rel"
	ThresholdModeAbs ThresholdMode = "abs"
)

// Cooldown is how many epochs to wait after a reduction. Without it 0.
type Cooldown int64

// MinLR is the rate below which none is lowered. Without it 0.
type MinLR float64

// Eps is the smallest change that is made. Without it 1e-8.
type Eps float64

func (LastEpoch) stepLROption()          {}
func (LastEpoch) epochOption()           {}
func (LastEpoch) constantLROption()      {}
func (LastEpoch) linearLROption()        {}
func (LastEpoch) cosineAnnealingOption() {}
func (LastEpoch) warmRestartsOption()    {}
func (LastEpoch) oneCycleOption()        {}
func (Gamma) stepLROption()              {}
func (Factor) constantLROption()         {}
func (Factor) plateauOption()            {}
func (TotalIters) constantLROption()     {}
func (TotalIters) linearLROption()       {}
func (StartFactor) linearLROption()      {}
func (EndFactor) linearLROption()        {}
func (EtaMin) cosineAnnealingOption()    {}
func (EtaMin) warmRestartsOption()       {}
func (TMult) warmRestartsOption()        {}
func (TotalSteps) oneCycleOption()       {}
func (Epochs) oneCycleOption()           {}
func (StepsPerEpoch) oneCycleOption()    {}
func (PctStart) oneCycleOption()         {}
func (AnnealStrategy) oneCycleOption()   {}
func (CycleMomentum) oneCycleOption()    {}
func (BaseMomentum) oneCycleOption()     {}
func (MaxMomentum) oneCycleOption()      {}
func (DivFactor) oneCycleOption()        {}
func (FinalDivFactor) oneCycleOption()   {}
func (ThreePhase) oneCycleOption()       {}
func (Mode) plateauOption()              {}
func (Patience) plateauOption()          {}
func (Threshold) plateauOption()         {}
func (ThresholdMode) plateauOption()     {}
func (Cooldown) plateauOption()          {}
func (MinLR) plateauOption()             {}
func (Eps) plateauOption()               {}
