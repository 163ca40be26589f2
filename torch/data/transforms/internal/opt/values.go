package opt

// NumOutputChannels is the number of channels of the gray image that a function returns:
// 1 or 3.
type NumOutputChannels int64

// Inplace (true) makes a function change the image itself.
type Inplace bool

// Gain is the number by which a gamma correction multiplies its result.
type Gain float64

// Sigma is a standard deviation, of a blur or of noise.
type Sigma float64

// Sigmas are the standard deviations of a blur for x and y.
type Sigmas []float64

// SigmaRange is the range of a blur's standard deviation.
type SigmaRange [2]float64

// WithScale maps the range of the image's dtype to the range of the new dtype.
type WithScale bool

// Clip (true) limits values to the range of the dtype.
type Clip bool

// Mean is the mean of noise, where 1 stands for the whole range of values.
type Mean float64

// P is a probability.
type P float64

// Ps are probabilities, one for each transform.
type Ps []float64

// Brightness is the largest distance of the brightness factor from 1.
type Brightness float64

// BrightnessRange is the range of the brightness factor.
type BrightnessRange [2]float64

// Contrast is the largest distance of the contrast factor from 1.
type Contrast float64

// ContrastRange is the range of the contrast factor.
type ContrastRange [2]float64

// Saturation is the largest distance of the saturation factor from 1.
type Saturation float64

// SaturationRange is the range of the saturation factor.
type SaturationRange [2]float64

// Hue is the largest shift of the hue.
type Hue float64

// HueRange is the range of the hue shift.
type HueRange [2]float64

// Alpha is the size of displacements in ElasticTransform, or the parameter of the beta
// distribution of mixture weights.
type Alpha float64

// Alphas are the sizes of displacements for x and y.
type Alphas []float64

// Value is the value of erased pixels.
type Value float64

// Values is the value of erased pixels in each channel.
type Values []float64

// ValueWord is a string that says what erased pixels become.
type ValueWord string

// Policy is a list of augmentations that was learned on a dataset.
type Policy string

// NumOps is the number of augmentations that RandAugment applies to an image.
type NumOps int64

// Magnitude is the strength of RandAugment's augmentations, as the index of a bin.
type Magnitude int64

// NumMagnitudeBins is the number of bins into which strengths are divided.
type NumMagnitudeBins int64

// Severity is the largest strength of AugMix's augmentations.
type Severity int64

// MixtureWidth is the number of augmentation chains that AugMix mixes.
type MixtureWidth int64

// ChainDepth is the number of augmentations in a chain of AugMix.
type ChainDepth int64

// AllOps (true) lets AugMix use all augmentations.
type AllOps bool

// NumClasses is the number of label classes.
type NumClasses int64
