package opt

// NumOutputChannels is 1 or 3.
type NumOutputChannels int64

func (NumOutputChannels) GrayscaleFamily() {}

// Inplace changes the image itself.
type Inplace bool

func (Inplace) InplaceFamily() {}
func (Inplace) ErasingFamily() {}

// Gain is the factor of a gamma correction.
type Gain float64

func (Gain) GammaFamily() {}

// Sigma is a standard deviation.
type Sigma float64

func (Sigma) BlurFamily()          {}
func (Sigma) BlurTransformFamily() {}
func (Sigma) NoiseFamily()         {}
func (Sigma) ElasticFamily()       {}

// Sigmas is a standard deviation across and one along.
type Sigmas []float64

func (Sigmas) BlurFamily()    {}
func (Sigmas) ElasticFamily() {}

// SigmaRange is where standard deviations are drawn from.
type SigmaRange [2]float64

func (SigmaRange) BlurTransformFamily() {}

// WithScale maps the range of one dtype to that of the other.
type WithScale bool

func (WithScale) ToDTypeFamily() {}

// Clip keeps values within their range.
type Clip bool

func (Clip) NoiseFamily() {}

// Mean is the mean of noise.
type Mean float64

func (Mean) NoiseFamily() {}

// P is a probability.
type P float64

func (P) PFamily()                 {}
func (P) RandomPerspectiveFamily() {}
func (P) ErasingFamily()           {}

// Ps are probabilities, one for each transform.
type Ps []float64

func (Ps) ChoiceFamily() {}

// Brightness is how far factors are from 1.
type Brightness float64

func (Brightness) ColorJitterFamily() {}

// BrightnessRange is where factors are drawn from.
type BrightnessRange [2]float64

func (BrightnessRange) ColorJitterFamily() {}

// Contrast is how far factors are from 1.
type Contrast float64

func (Contrast) ColorJitterFamily() {}

// ContrastRange is where factors are drawn from.
type ContrastRange [2]float64

func (ContrastRange) ColorJitterFamily() {}

// Saturation is how far factors are from 1.
type Saturation float64

func (Saturation) ColorJitterFamily() {}

// SaturationRange is where factors are drawn from.
type SaturationRange [2]float64

func (SaturationRange) ColorJitterFamily() {}

// Hue is how far shifts are from 0.
type Hue float64

func (Hue) ColorJitterFamily() {}

// HueRange is where shifts are drawn from.
type HueRange [2]float64

func (HueRange) ColorJitterFamily() {}

// Alpha is a size of displacements, or a parameter of a distribution.
type Alpha float64

func (Alpha) ElasticFamily() {}
func (Alpha) AugMixFamily()  {}
func (Alpha) MixFamily()     {}

// Alphas is a size of displacements across and one along.
type Alphas []float64

func (Alphas) ElasticFamily() {}

// Value is what erased pixels hold.
type Value float64

func (Value) ErasingFamily() {}

// Values is what erased pixels hold in each channel.
type Values []float64

func (Values) ErasingFamily() {}

// ValueWord is a word for what erased pixels hold.
type ValueWord string

func (ValueWord) ErasingFamily() {}

// Policy is a list of augmentations that was found for a dataset.
type Policy string

func (Policy) AutoAugmentFamily() {}

// NumOps is the number of augmentations.
type NumOps int64

func (NumOps) RandAugmentFamily() {}

// Magnitude is the strength of augmentations.
type Magnitude int64

func (Magnitude) RandAugmentFamily() {}

// NumMagnitudeBins is the number of strengths.
type NumMagnitudeBins int64

func (NumMagnitudeBins) RandAugmentFamily()    {}
func (NumMagnitudeBins) TrivialAugmentFamily() {}

// Severity is the largest strength.
type Severity int64

func (Severity) AugMixFamily() {}

// MixtureWidth is the number of chains.
type MixtureWidth int64

func (MixtureWidth) AugMixFamily() {}

// ChainDepth is the length of a chain.
type ChainDepth int64

func (ChainDepth) AugMixFamily() {}

// AllOps takes all augmentations.
type AllOps bool

func (AllOps) AugMixFamily() {}

// NumClasses is the number of classes.
type NumClasses int64

func (NumClasses) MixFamily() {}
