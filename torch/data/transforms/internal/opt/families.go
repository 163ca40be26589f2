// Package opt holds the options common to packages transforms and imageops, as
// internal/opt does for nn. Each family of functions has a marker method, and each type
// of option has the markers of the families that take it.
package opt

// These are the families. Each is named after a function or a transform.
type (
	//gotorch:options Interpolation Fill Fills Center
	AffineFamily interface{ affineFamily() }
	//gotorch:options Interpolation Fill Fills Alpha Severity MixtureWidth ChainDepth AllOps
	AugMixFamily interface{ augMixFamily() }
	//gotorch:options Interpolation Fill Fills Policy
	AutoAugmentFamily interface{ autoAugmentFamily() }
	//gotorch:options Sigma Sigmas
	BlurFamily interface{ blurFamily() } // options of GaussianBlur in package imageops
	//gotorch:options Sigma SigmaRange
	BlurTransformFamily interface{ blurTransformFamily() }
	//gotorch:options Ps
	ChoiceFamily interface{ choiceFamily() } // RandomChoice
	//gotorch:options Brightness BrightnessRange Contrast ContrastRange Saturation SaturationRange Hue
	//gotorch:options HueRange
	ColorJitterFamily interface{ colorJitterFamily() }
	//gotorch:options Interpolation Fill Fills Sigma Sigmas Alpha Alphas
	ElasticFamily interface{ elasticFamily() } // ElasticTransform
	//gotorch:options Scale Ratio Inplace P Value Values ValueWord
	ErasingFamily interface{ erasingFamily() } // RandomErasing
	//gotorch:options Gain
	GammaFamily interface{ gammaFamily() } // AdjustGamma
	//gotorch:options NumOutputChannels
	GrayscaleFamily interface{ grayscaleFamily() }
	//gotorch:options Inplace
	InplaceFamily interface{ inplaceFamily() } // Normalize and Erase
	//gotorch:options Alpha NumClasses
	MixFamily interface{ mixFamily() } // MixUp and CutMix
	//gotorch:options Sigma Clip Mean
	NoiseFamily interface{ noiseFamily() }
	//gotorch:options P
	PFamily interface{ pFamily() } // options of transforms whose only option is P
	//gotorch:options Fill Fills PaddingMode
	PadFamily interface{ padFamily() }
	//gotorch:options Interpolation Fill Fills NumOps Magnitude NumMagnitudeBins
	RandAugmentFamily interface{ randAugmentFamily() }
	//gotorch:options Interpolation Fill Fills Shear Shears Center Scale Translate
	RandomAffineFamily interface{ randomAffineFamily() }
	//gotorch:options Fill Fills PaddingMode Padding Paddings PadIfNeeded
	RandomCropFamily interface{ randomCropFamily() }
	//gotorch:options Interpolation Fill Fills DistortionScale P
	RandomPerspectiveFamily interface{ randomPerspectiveFamily() }
	//gotorch:options Interpolation Antialias Scale Ratio
	RandomResizedCropFamily interface{ randomResizedCropFamily() }
	//gotorch:options Interpolation Antialias MaxSize
	ResizeFamily interface{ resizeFamily() }
	//gotorch:options Interpolation Antialias
	ResizedCropFamily interface{ resizedCropFamily() }
	//gotorch:options Interpolation Fill Fills Expand Center
	RotateFamily interface{ rotateFamily() } // also RandomRotation
	//gotorch:options VerticalFlip
	TenCropFamily interface{ tenCropFamily() }
	//gotorch:options WithScale
	ToDTypeFamily interface{ toDTypeFamily() }
	//gotorch:options Interpolation Fill Fills NumMagnitudeBins
	TrivialAugmentFamily interface{ trivialAugmentFamily() }
	//gotorch:options Interpolation Fill Fills
	WarpFamily interface{ warpFamily() } // options of Perspective and Elastic
)
