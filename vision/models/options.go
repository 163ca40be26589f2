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
	// WithDropout is the probability of dropping elements before the classifier in
	// training, dropout in Python. A Vision Transformer uses it in each block. Each
	// constructor documents its default.
	WithDropout float64
	// NormLayer returns a normalization for the given number of channels, norm_layer in
	// Python. If it is nil or not given, the model uses its own normalization. That is
	// nn.NewBatchNorm2d, with other settings in MobileNetV3 and in large EfficientNets.
	// ConvNeXt uses a [LayerNorm2d] and a Vision Transformer an nn.LayerNorm, both with an
	// eps of 1e-6.
	NormLayer func(channels int64) nn.Layer
	// StochasticDepthProb is the probability of skipping the last residual block for an
	// example in training, stochastic_depth_prob in Python. The probabilities of the
	// blocks grow linearly from 0 at the first block. The default is 0.2 in an
	// EfficientNet. Each constructor of a ConvNeXt documents its default.
	StochasticDepthProb float64
	// WidthMult multiplies the numbers of channels, width_mult in Python. The default is
	// 1.
	WidthMult float64
)

// Options of single models.
type (
	// InitWeights selects whether a VGG uses the initialization of its authors,
	// init_weights in Python. Otherwise its layers use their own initialization. The
	// default is true.
	InitWeights bool
	// ZeroInitResidual makes each residual block of a ResNet start as the identity,
	// zero_init_residual in Python. For that, the weights of the last normalization of each
	// block are set to zero. The default is false.
	ZeroInitResidual bool
	// Groups is the number of groups in the convolutions of a ResNet's bottlenecks. The
	// default is 1. A ResNeXt has 32 or 64 groups and accepts no other number. ResNet18
	// and ResNet34 accept only 1.
	Groups int64
	// WidthPerGroup is the number of channels per group in the first layer of a ResNet,
	// width_per_group in Python. The default is 64, except for ResNeXt and Wide ResNet.
	// These models, ResNet18 and ResNet34 accept only their default.
	WidthPerGroup int64
	// ReplaceStrideWithDilation selects for each of the last three layers of a ResNet
	// whether a dilation replaces the stride, replace_stride_with_dilation in Python. For
	// example ReplaceStrideWithDilation{false, true, true}. The default is false for all
	// three. ResNet18 and ResNet34 do not support true.
	ReplaceStrideWithDilation [3]bool
	// BNSize is the number of channels of a DenseNet's bottleneck, as a multiple of the
	// number of features that a layer adds, bn_size in Python. The default is 4.
	BNSize int64
	// DropRate is the probability of dropping new features of a DenseNet in training,
	// drop_rate in Python. The default is 0.
	DropRate float64
	// InvertedResidualSetting lists the stages of a MobileNetV2,
	// inverted_residual_setting in Python. A stage is given by an expansion factor, a
	// number of channels, a number of blocks, and the stride of the first block. If the
	// option is nil or not given, the stages are as in the original paper.
	InvertedResidualSetting [][4]int64
	// RoundNearest rounds the numbers of channels of a MobileNetV2 to multiples of this
	// number, round_nearest in Python. The default is 8.
	RoundNearest int64
	// ReducedTail halves the channels of the last blocks of a MobileNetV3, reduced_tail in
	// Python. The default is false.
	ReducedTail bool
	// Dilated makes the last blocks of a MobileNetV3 use a dilation instead of a stride,
	// dilated in Python. The default is false.
	Dilated bool
	// LayerScale is the initial value of the factors by which a ConvNeXt's blocks multiply
	// channels, layer_scale in Python. The default is 1e-6.
	LayerScale float64
	// ImageSize is the height and width of a Vision Transformer's images, image_size in
	// Python. It must be a multiple of the patch size. The default is 224.
	ImageSize int64
	// AttentionDropout is the probability of dropping attention weights of a Vision
	// Transformer in training, attention_dropout in Python. The default is 0.
	AttentionDropout float64
	// RepresentationSize inserts two layers before the head of a Vision Transformer,
	// representation_size in Python: a linear layer with this many features, and a tanh.
	// By default nothing is inserted.
	RepresentationSize int64
	// ConvStemConfigs describes several convolutions, conv_stem_configs in Python. They
	// replace the single convolution that cuts images into patches in a Vision
	// Transformer. The product of their strides must be the patch size. If it is nil or
	// not given, there is only the single convolution.
	ConvStemConfigs []ConvStemConfig
)

// ConvStemConfig describes one convolution of [ConvStemConfigs].
type ConvStemConfig struct {
	OutChannels, KernelSize, Stride int64
	NormLayer                       func(channels int64) nn.Layer // if nil, nn.NewBatchNorm2d is used
	ActivationLayer                 func(inplace bool) nn.Layer   // if nil, nn.NewReLU is used
}
