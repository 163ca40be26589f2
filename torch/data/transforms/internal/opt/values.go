package opt

// NumOutputChannels is 1 or 3.
type NumOutputChannels int64

// Inplace changes the image itself.
type Inplace bool

// Gain is the factor of a gamma correction.
type Gain float64

// Sigma is a standard deviation.
type Sigma float64

// Sigmas is a standard deviation across and one along.
type Sigmas []float64

// SigmaRange is where standard deviations are drawn from.
type SigmaRange [2]float64

// WithScale maps the range of one dtype to that of the other.
type WithScale bool

// Clip keeps values within their range.
type Clip bool

// Mean is the mean of noise.
type Mean float64

// P is a probability.
type P float64

// Ps are probabilities, one for each transform.
type Ps []float64

// Brightness is how far factors are from 1.
type Brightness float64

// BrightnessRange is where factors are drawn from.
type BrightnessRange [2]float64

// Contrast is how far factors are from 1.
type Contrast float64

// ContrastRange is where factors are drawn from.
type ContrastRange [2]float64

// Saturation is how far factors are from 1.
type Saturation float64

// SaturationRange is where factors are drawn from.
type SaturationRange [2]float64

// Hue is how far shifts are from 0.
type Hue float64

// HueRange is where shifts are drawn from.
type HueRange [2]float64

// Alpha is a size of displacements, or a parameter of a distribution.
type Alpha float64

// Alphas is a size of displacements across and one along.
type Alphas []float64

// Value is what erased pixels hold.
type Value float64

// Values is what erased pixels hold in each channel.
type Values []float64

// ValueWord is a word for what erased pixels hold.
type ValueWord string

// Policy is a list of augmentations that was found for a dataset.
type Policy string

// NumOps is the number of augmentations.
type NumOps int64

// Magnitude is the strength of augmentations.
type Magnitude int64

// NumMagnitudeBins is the number of strengths.
type NumMagnitudeBins int64

// Severity is the largest strength.
type Severity int64

// MixtureWidth is the number of chains.
type MixtureWidth int64

// ChainDepth is the length of a chain.
type ChainDepth int64

// AllOps takes all augmentations.
type AllOps bool

// NumClasses is the number of classes.
type NumClasses int64
