// Package opt holds the options that transforms and transforms/functional share, as
// the package of that name in the module's internal folder does for nn: each family
// of functions has a marker method, and each type of option the markers of the
// families that take it.
package opt

// The families, each named after a function or a transform.
type (
	AffineFamily            interface{ AffineFamily() }
	AugMixFamily            interface{ AugMixFamily() }
	AutoAugmentFamily       interface{ AutoAugmentFamily() }
	BlurFamily              interface{ BlurFamily() } // GaussianBlur of functional
	BlurTransformFamily     interface{ BlurTransformFamily() }
	ChoiceFamily            interface{ ChoiceFamily() } // RandomChoice
	ColorJitterFamily       interface{ ColorJitterFamily() }
	ElasticFamily           interface{ ElasticFamily() } // ElasticTransform
	ErasingFamily           interface{ ErasingFamily() } // RandomErasing
	GammaFamily             interface{ GammaFamily() }   // AdjustGamma
	GrayscaleFamily         interface{ GrayscaleFamily() }
	InplaceFamily           interface{ InplaceFamily() } // Normalize and Erase
	MixFamily               interface{ MixFamily() }     // MixUp and CutMix
	NoiseFamily             interface{ NoiseFamily() }
	PFamily                 interface{ PFamily() } // transforms with a P alone
	PadFamily               interface{ PadFamily() }
	RandAugmentFamily       interface{ RandAugmentFamily() }
	RandomAffineFamily      interface{ RandomAffineFamily() }
	RandomCropFamily        interface{ RandomCropFamily() }
	RandomPerspectiveFamily interface{ RandomPerspectiveFamily() }
	RandomResizedCropFamily interface{ RandomResizedCropFamily() }
	ResizeFamily            interface{ ResizeFamily() }
	ResizedCropFamily       interface{ ResizedCropFamily() }
	RotateFamily            interface{ RotateFamily() } // and RandomRotation
	TenCropFamily           interface{ TenCropFamily() }
	ToDTypeFamily           interface{ ToDTypeFamily() }
	TrivialAugmentFamily    interface{ TrivialAugmentFamily() }
	WarpFamily              interface{ WarpFamily() } // Perspective and Elastic
)
