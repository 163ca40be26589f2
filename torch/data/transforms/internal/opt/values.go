package opt

// NumOutputChannels is the number of channels of a gray image that a function returns: 1 or
// 3.
type NumOutputChannels int64

// Inplace (true) makes a function change the image itself.
type Inplace bool

// Gain is the number by which a gamma correction multiplies its result.
type Gain float64

// Sigma is a standard deviation.
type Sigma float64

// Sigmas are the standard deviations for x and y.
type Sigmas []float64

// SigmaRange is the range of standard deviations.
type SigmaRange [2]float64

// WithScale maps the range of the image's dtype to the range of the new dtype.
type WithScale bool

// Clip limits values to the range of the dtype.
type Clip bool

// Mean is the mean of noise.
type Mean float64

// P is a probability.
type P float64

// Ps are probabilities, one for each transform.
type Ps []float64

// Brightness is the largest distance of factors from 1.
type Brightness float64

// BrightnessRange is the range of factors.
type BrightnessRange [2]float64

// Contrast is the largest distance of factors from 1.
type Contrast float64

// ContrastRange is the range of factors.
type ContrastRange [2]float64

// Saturation is the largest distance of factors from 1.
type Saturation float64

// SaturationRange is the range of factors.
type SaturationRange [2]float64

// Hue is the largest shift of the hue.
type Hue float64

// HueRange is the range of shifts.
type HueRange [2]float64

// Alpha is a size of displacements, or a parameter of a distribution.
type Alpha float64

// Alphas are the sizes of displacements for x and y.
type Alphas []float64

// Value is the value of erased pixels.
type Value float64

// Values is the value of erased pixels in each channel.
type Values []float64

// ValueWord is a word for the content of erased pixels.
type ValueWord string

// Policy is a list of augmentations that was learned on a dataset.
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

// AllOps enables all augmentations.
type AllOps bool

// NumClasses is the number of classes.
type NumClasses int64
