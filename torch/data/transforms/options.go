package transforms

import "github.com/gotorch/gotorch/torch/data/transforms/internal/opt"

// These are the options of geometric transforms.
type (
	// Interpolation is how new pixels are computed from the image's pixels, for example
	// InterpolationBicubic. Each transform documents its default. A string that is not
	// one of the constants causes ErrValue. The name in Python is interpolation.
	Interpolation = opt.Interpolation
	// Antialias controls whether images are smoothed when they shrink. The default is
	// true. It only affects InterpolationBilinear and InterpolationBicubic.
	Antialias = opt.Antialias
	// MaxSize is the largest length of the longer side in pixels; max_size in Python. It
	// applies if the size is a single number or nil. By default, and with 0, there is no
	// limit.
	MaxSize = opt.MaxSize
	// Fill is the value of pixels outside the image. The default is 0. For AutoAugment
	// and similar transforms the default is None, which blends the image with 0 at its
	// edges.
	Fill = opt.Fill
	// Fills is Fill with one value for each channel, or one value for all channels. An
	// empty list is None in Python, which blends the image with 0 at its edges. For
	// example Fills{124, 116, 104}.
	Fills = opt.Fills
	// Padding is the number of pixels added at each side before cropping. The default is
	// 0. For example Padding(4).
	Padding = opt.Padding
	// Paddings is Padding for {left and right, top and bottom} or {left, top, right,
	// bottom}. A single number applies to all sides; an empty list is no padding. For
	// example Paddings{4, 2}.
	Paddings = opt.Paddings
	// PadIfNeeded (true) pads images that are smaller than the crop. The default is false.
	// It is pad_if_needed in Python.
	PadIfNeeded = opt.PadIfNeeded
	// PaddingMode is how the values of new border pixels are determined; padding_mode in
	// Python. The default is PaddingModeConstant.
	PaddingMode = opt.PaddingMode
	// Expand (true) makes the result large enough for the whole rotated image. The default
	// is false.
	Expand = opt.Expand
	// CenterOption is the type of [Center].
	CenterOption = opt.Center
	// ScaleOption is the type of [Scale].
	ScaleOption = opt.Scale
	// RatioOption is the type of [Ratio].
	RatioOption = opt.Ratio
	// TranslateOption is the type of [Translate].
	TranslateOption = opt.Translate
	// Shear is the largest angle by which images are sheared along x in either direction,
	// in degrees. By default images are not sheared. For example Shear(10).
	Shear = opt.Shear
	// Shears is the range of shear angles along x, in degrees, optionally followed by the
	// range along y. With an empty list images are not sheared. For example Shears{-5, 5,
	// 0, 10}.
	Shears = opt.Shears
	// DistortionScale is how far corners may move, from 0 to 1, where 1 is the distance to
	// the center; distortion_scale in Python. The default is 0.5.
	DistortionScale = opt.DistortionScale
	// VerticalFlip (true) flips images upside down instead of left to right. The default is
	// false. It is vertical_flip in Python.
	VerticalFlip = opt.VerticalFlip
)

// Center is the center of rotation, in pixels from the upper left corner. The default is
// the center of the image.
func Center(x, y float64) CenterOption { return CenterOption{X: x, Y: y} }

// Scale is a range of sizes. For RandomResizedCrop and RandomErasing it is the area of the
// random part, as a fraction of the image's area. The default is 0.08 to 1 for
// RandomResizedCrop, and 0.02 to 0.33 for RandomErasing. For RandomAffine, Scale is the
// range of the scale factor; by default images are not scaled.
func Scale(lo, hi float64) ScaleOption { return ScaleOption{Min: lo, Max: hi} }

// Ratio is the range of the random part's aspect ratio. For RandomResizedCrop the ratio
// is width divided by height, by default 3/4 to 4/3. For RandomErasing it is height
// divided by width, by default 0.3 to 3.3.
func Ratio(lo, hi float64) RatioOption { return RatioOption{Min: lo, Max: hi} }

// Translate is the largest translation in x and y, in both directions, as a fraction of
// the image's size from 0 to 1. The default is no translation.
func Translate(x, y float64) TranslateOption { return TranslateOption{X: x, Y: y} }

// These constants select how new pixels are computed.
const (
	InterpolationNearest = opt.InterpolationNearest // the nearest pixel
	// takes the nearest pixel, by Pillow's rule; only for resizing
	InterpolationNearestExact = opt.InterpolationNearestExact
	InterpolationBilinear     = opt.InterpolationBilinear // computes a pixel from two pixels per axis
	// computes a pixel from four pixels per axis; only for resizing
	InterpolationBicubic = opt.InterpolationBicubic
)

// These are the ways in which the values of new border pixels are determined.
const (
	PaddingModeConstant  = opt.PaddingModeConstant  // a number, Fill
	PaddingModeEdge      = opt.PaddingModeEdge      // the last pixel
	PaddingModeReflect   = opt.PaddingModeReflect   // mirrors the image, but does not repeat the border pixel
	PaddingModeSymmetric = opt.PaddingModeSymmetric // mirrors the image and repeats the border pixel
)

// The other options.
type (
	// P is the probability that an image is transformed, from 0 to 1. The default is 0.1
	// for RandomGrayscale, and 0.5 for other transforms.
	P = opt.P
	// Ps are the probabilities of the transforms, p in Python. They must not be negative,
	// and are divided by their sum. By default all transforms are equally likely.
	Ps = opt.Ps
	// NumOutputChannels is the number of channels of the result, 1 or 3;
	// num_output_channels in Python. The default is 1.
	NumOutputChannels = opt.NumOutputChannels
	// Inplace changes the image itself and returns it. The default is false.
	Inplace = opt.Inplace
	// WithScale maps the range of the image's dtype to the range of the new dtype; scale in
	// Python. The default is false.
	WithScale = opt.WithScale
	// Value is the value of erased pixels. The default is 0.
	Value = opt.Value
	// Values is Value with one number for each channel, or one number for all channels.
	Values = opt.Values
	// ValueWord is a string that says what erased pixels become: ValueRandom. Any other
	// string causes ErrValue.
	ValueWord = opt.ValueWord
	// Sigma is a standard deviation. For GaussianBlur it is the fixed deviation of the blur
	// in pixels, instead of a SigmaRange. For ElasticTransform it is the smoothness of the
	// displacements, by default 5. For GaussianNoise it is the deviation of the noise, by
	// default 0.1.
	Sigma = opt.Sigma
	// Sigmas is Sigma for x and y. A single number applies to both.
	Sigmas = opt.Sigmas
	// SigmaRange is the range of a blur's standard deviation; sigma in Python. The
	// default is SigmaRange{0.1, 2}.
	SigmaRange = opt.SigmaRange
	// Alpha is the size of ElasticTransform's displacements, by default 50. For AugMix,
	// MixUp and CutMix it is the parameter of the beta distribution, by default 1.
	Alpha = opt.Alpha
	// Alphas is Alpha for x and y. A single number applies to both.
	Alphas = opt.Alphas
	// Mean is the mean of noise, where 1 stands for the whole range of values. The default
	// is 0.
	Mean = opt.Mean
	// Clip limits values to the range of the dtype. The default is true.
	Clip = opt.Clip
)

// ValueRandom fills the erased part with noise.
const ValueRandom = opt.ValueRandom

// These are the options of ColorJitter. A single number is the largest distance of the
// factor from 1, or of the hue's shift from 0, in both directions. A range has the smallest
// and the largest factor or shift. By default nothing changes.
type (
	// Brightness is the largest distance of the brightness factor from 1. For example
	// Brightness(0.4).
	Brightness = opt.Brightness
	// BrightnessRange is the range of the brightness factor. For example
	// BrightnessRange{0.5, 2}.
	BrightnessRange = opt.BrightnessRange
	// Contrast is the largest distance of the contrast factor from 1.
	Contrast = opt.Contrast
	// ContrastRange is the range of the contrast factor.
	ContrastRange = opt.ContrastRange
	// Saturation is the largest distance of the saturation factor from 1.
	Saturation = opt.Saturation
	// SaturationRange is the range of the saturation factor.
	SaturationRange = opt.SaturationRange
	// Hue is the largest shift of the hue, at most 0.5.
	Hue = opt.Hue
	// HueRange is the range of the hue shift, within -0.5 to 0.5.
	HueRange = opt.HueRange
)

// These are the options of AutoAugment and similar transforms.
type (
	// Policy names the dataset on which AutoAugment's list of augmentations was learned;
	// policy in Python. The default is PolicyImageNet. Any other string causes ErrValue.
	Policy = opt.Policy
	// NumOps is the number of augmentations that RandAugment applies to an image; num_ops
	// in Python. The default is 2.
	NumOps = opt.NumOps
	// Magnitude is the strength of RandAugment's augmentations, from 0 to NumMagnitudeBins
	// - 1. The default is 9.
	Magnitude = opt.Magnitude
	// NumMagnitudeBins is the number of bins into which strengths are divided, at least 2;
	// num_magnitude_bins in Python. The default is 31.
	NumMagnitudeBins = opt.NumMagnitudeBins
	// Severity is the largest strength of AugMix's augmentations, from 1 to 10. The default
	// is 3.
	Severity = opt.Severity
	// MixtureWidth is the number of augmentation chains that AugMix mixes; mixture_width
	// in Python. The default is 3.
	MixtureWidth = opt.MixtureWidth
	// ChainDepth is the number of augmentations in a chain of AugMix; chain_depth in
	// Python. With -1, the default, AugMix draws a number from 1 to 3 for each chain.
	ChainDepth = opt.ChainDepth
	// AllOps (true) lets AugMix also change brightness, color, contrast and sharpness;
	// all_ops in Python. The default is true.
	AllOps = opt.AllOps
	// NumClasses is the number of label classes for MixUp and CutMix; num_classes in
	// Python. It is required for labels that are indices. By default, and with 0, it is
	// unknown.
	NumClasses = opt.NumClasses
)

// These are the policies of AutoAugment, named after the datasets on which they were
// learned.
const (
	PolicyImageNet = opt.PolicyImageNet
	PolicyCIFAR10  = opt.PolicyCIFAR10
	PolicySVHN     = opt.PolicySVHN
)

// The families of options.
type (
	// A ResizeOption is an option of [NewResize]: [Interpolation], [MaxSize] or
	// [Antialias].
	ResizeOption interface{ opt.ResizeFamily }
	// A RandomResizedCropOption is [Scale], [Ratio], [Interpolation] or [Antialias].
	RandomResizedCropOption interface{ opt.RandomResizedCropFamily }
	// A RandomCropOption is [Padding] or [Paddings], [PadIfNeeded], [Fill] or [Fills], or
	// [PaddingMode].
	RandomCropOption interface{ opt.RandomCropFamily }
	// A PadOption is [Fill] or [Fills], or [PaddingMode].
	PadOption interface{ opt.PadFamily }
	// A TenCropOption is [VerticalFlip].
	TenCropOption interface{ opt.TenCropFamily }
	// A RotationOption is [Interpolation], [Expand], [Center], [Fill] or [Fills].
	RotationOption interface{ opt.RotateFamily }
	// An AffineOption is [Translate], [Scale], [Shear] or [Shears], [Interpolation], [Fill]
	// or [Fills], or [Center].
	AffineOption interface{ opt.RandomAffineFamily }
	// A PerspectiveOption is [DistortionScale], [P], [Interpolation], [Fill] or [Fills].
	PerspectiveOption interface{ opt.RandomPerspectiveFamily }
	// An ElasticOption is [Alpha] or [Alphas], [Sigma] or [Sigmas], [Interpolation], [Fill]
	// or [Fills].
	ElasticOption interface{ opt.ElasticFamily }
	// A ProbabilityOption is an option of transforms that happen with a probability: [P].
	ProbabilityOption interface{ opt.PFamily }
	// A ChoiceOption is [Ps].
	ChoiceOption interface{ opt.ChoiceFamily }
	// A ColorJitterOption is [Brightness], [Contrast], [Saturation] or [Hue], or
	// [BrightnessRange], [ContrastRange], [SaturationRange] or [HueRange].
	ColorJitterOption interface{ opt.ColorJitterFamily }
	// A GrayscaleOption is [NumOutputChannels].
	GrayscaleOption interface{ opt.GrayscaleFamily }
	// An InplaceOption is [Inplace].
	InplaceOption interface{ opt.InplaceFamily }
	// An ErasingOption is [P], [Scale], [Ratio], [Value], [Values] or [ValueWord], or
	// [Inplace].
	ErasingOption interface{ opt.ErasingFamily }
	// A BlurOption is [Sigma] or [SigmaRange].
	BlurOption interface{ opt.BlurTransformFamily }
	// A NoiseOption is [Mean], [Sigma] or [Clip].
	NoiseOption interface{ opt.NoiseFamily }
	// A ToDTypeOption is [WithScale].
	ToDTypeOption interface{ opt.ToDTypeFamily }
	// An AutoAugmentOption is [Policy], [Interpolation], [Fill] or [Fills].
	AutoAugmentOption interface{ opt.AutoAugmentFamily }
	// A RandAugmentOption is [NumOps], [Magnitude], [NumMagnitudeBins], [Interpolation], [Fill]
	// or [Fills].
	RandAugmentOption interface{ opt.RandAugmentFamily }
	// A TrivialAugmentOption is [NumMagnitudeBins], [Interpolation], [Fill] or [Fills].
	TrivialAugmentOption interface{ opt.TrivialAugmentFamily }
	// An AugMixOption is [Severity], [MixtureWidth], [ChainDepth], [Alpha], [AllOps],
	// [Interpolation], [Fill] or [Fills].
	AugMixOption interface{ opt.AugMixFamily }
	// A MixOption is [Alpha] or [NumClasses].
	MixOption interface{ opt.MixFamily }
)
