package models

import "github.com/gotorch/gotorch/nn"

// An Option is an option of one of the models, for [GetModel].
//
//gotorch:options NumClasses WithDropout NormLayer StochasticDepthProb WidthMult InitWeights
//gotorch:options ZeroInitResidual Groups WidthPerGroup ReplaceStrideWithDilation BNSize DropRate
//gotorch:options InvertedResidualSetting RoundNearest ReducedTail Dilated LayerScale ImageSize
//gotorch:options AttentionDropout RepresentationSize ConvStemConfigs
type Option interface{ option() }

type (
	// An AlexNetOption is [NumClasses] or [WithDropout].
	//
	//gotorch:options NumClasses WithDropout
	AlexNetOption interface{ alexNetOption() }
	// A VGGOption is [NumClasses], [InitWeights] or [WithDropout].
	//
	//gotorch:options NumClasses WithDropout InitWeights
	VGGOption interface{ vggOption() }
	// A ResNetOption is [NumClasses], [ZeroInitResidual], [Groups], [WidthPerGroup],
	// [ReplaceStrideWithDilation] or [NormLayer].
	//
	//gotorch:options NumClasses NormLayer ZeroInitResidual Groups WidthPerGroup ReplaceStrideWithDilation
	ResNetOption interface{ resNetOption() }
	// A SqueezeNetOption is [NumClasses] or [WithDropout].
	//
	//gotorch:options NumClasses WithDropout
	SqueezeNetOption interface{ squeezeNetOption() }
	// A DenseNetOption is [NumClasses], [BNSize] or [DropRate].
	//
	//gotorch:options NumClasses BNSize DropRate
	DenseNetOption interface{ denseNetOption() }
	// A MobileNetV2Option is [NumClasses], [WidthMult], [InvertedResidualSetting],
	// [RoundNearest], [NormLayer] or [WithDropout].
	//
	//gotorch:options NumClasses WithDropout NormLayer WidthMult InvertedResidualSetting RoundNearest
	MobileNetV2Option interface{ mobileNetV2Option() }
	// A MobileNetV3Option is [NumClasses], [WidthMult], [ReducedTail], [Dilated],
	// [NormLayer] or [WithDropout].
	//
	//gotorch:options NumClasses WithDropout NormLayer WidthMult ReducedTail Dilated
	MobileNetV3Option interface{ mobileNetV3Option() }
	// An EfficientNetOption is [NumClasses], [StochasticDepthProb], [NormLayer] or
	// [WithDropout].
	//
	//gotorch:options NumClasses WithDropout NormLayer StochasticDepthProb
	EfficientNetOption interface{ efficientNetOption() }
	// A ConvNeXtOption is [NumClasses], [StochasticDepthProb], [LayerScale] or [NormLayer].
	//
	//gotorch:options NumClasses NormLayer StochasticDepthProb LayerScale
	ConvNeXtOption interface{ convNeXtOption() }
	// A VisionTransformerOption is [NumClasses], [ImageSize], [WithDropout],
	// [AttentionDropout], [RepresentationSize], [NormLayer] or [ConvStemConfigs].
	//
	//gotorch:options NumClasses WithDropout NormLayer ImageSize AttentionDropout RepresentationSize
	//gotorch:options ConvStemConfigs
	VisionTransformerOption interface{ visionTransformerOption() }
)

type (
	// NumClasses is the number of classes, num_classes in Python. The default is 1000.
	NumClasses int64
	// WithDropout is the probability with which elements before the classifier are dropped
	// while training, dropout in Python; in a Vision Transformer those of each block. Each
	// model says its default.
	WithDropout float64
	// NormLayer makes the normalization of a number of channels, norm_layer in Python. Nil
	// is the model's own, which is the default: nn.NewBatchNorm2d, with other settings in
	// MobileNetV3 and large EfficientNets, in a ConvNeXt a [LayerNorm2d] and in a Vision
	// Transformer an nn.LayerNorm, both with an eps of 1e-6.
	NormLayer func(channels int64) nn.Layer
	// StochasticDepthProb is the probability with which the last residual block is left out
	// for an example while training, stochastic_depth_prob in Python; it grows from 0 at
	// the first one. The default is 0.2 in an EfficientNet; each ConvNeXt says its own.
	StochasticDepthProb float64
	// WidthMult is a factor of the number of channels, width_mult in Python. The default
	// is 1.
	WidthMult float64
)

// Options of one model each.
type (
	// InitWeights says whether a VGG draws its parameters as its authors did,
	// init_weights in Python; otherwise they are those that layers have at first. The
	// default is true.
	InitWeights bool
	// ZeroInitResidual has each residual block of a ResNet start as the identity: the
	// weights of its last normalization are zeros. zero_init_residual in Python. The
	// default is false.
	ZeroInitResidual bool
	// Groups is the number of groups of the convolutions of a ResNet's bottlenecks. The
	// default is 1, and 32 or 64 in a ResNeXt, which takes no other. Those of a ResNet18
	// and 34 have one.
	Groups int64
	// WidthPerGroup is the number of channels of a group in the first layer of a ResNet,
	// width_per_group in Python. The default is 64; a ResNeXt and a Wide ResNet, which have
	// their own, and a ResNet18 and 34 take no other.
	WidthPerGroup int64
	// ReplaceStrideWithDilation says for the last three layers of a ResNet whether they
	// keep the size of their input and see as far by a dilation,
	// replace_stride_with_dilation in Python. The default is false for all. A ResNet18 and
	// 34 cannot. For example ReplaceStrideWithDilation{false, true, true}.
	ReplaceStrideWithDilation [3]bool
	// BNSize is the number of channels of a bottleneck of a DenseNet as a multiple of what
	// it adds, bn_size in Python. The default is 4.
	BNSize int64
	// DropRate is the probability with which new features of a DenseNet are dropped while
	// training, drop_rate in Python. The default is 0.
	DropRate float64
	// InvertedResidualSetting are the stages of a MobileNetV2: how much wider its blocks
	// are inside, its channels, the number of its blocks and the stride of the first;
	// inverted_residual_setting in Python. The default, and nil, are those of its authors.
	InvertedResidualSetting [][4]int64
	// RoundNearest is what numbers of channels of a MobileNetV2 are rounded to multiples
	// of, round_nearest in Python. The default is 8.
	RoundNearest int64
	// ReducedTail halves the channels of the last blocks of a MobileNetV3, reduced_tail in
	// Python. The default is false.
	ReducedTail bool
	// Dilated has the last blocks of a MobileNetV3 keep the size of their input and see as
	// far by a dilation. The default is false.
	Dilated bool
	// LayerScale is what the factors of the channels of a ConvNeXt's blocks start as,
	// layer_scale in Python. The default is 1e-6.
	LayerScale float64
	// ImageSize is the height and width of a Vision Transformer's images, a multiple of
	// its patches', image_size in Python. The default is 224.
	ImageSize int64
	// AttentionDropout is the probability with which attention weights of a Vision
	// Transformer are dropped while training, attention_dropout in Python. The default is 0.
	AttentionDropout float64
	// RepresentationSize puts a linear layer to as many features and a tanh before the
	// head of a Vision Transformer, representation_size in Python. By default there is
	// none.
	RepresentationSize int64
	// ConvStemConfigs are convolutions in place of the patches of a Vision Transformer,
	// conv_stem_configs in Python. Together their strides make the size of a patch. The
	// default, and nil, is none.
	ConvStemConfigs []ConvStemConfig
)

// ConvStemConfig is one of [ConvStemConfigs].
type ConvStemConfig struct {
	OutChannels, KernelSize, Stride int64
	NormLayer                       func(channels int64) nn.Layer // nil is nn.NewBatchNorm2d
	ActivationLayer                 func(inplace bool) nn.Layer   // nil is nn.NewReLU
}
