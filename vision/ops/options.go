package ops

import "github.com/gotorch/gotorch/nn"

type (
	// A Conv2dNormActivationOption is [KernelSize], [Stride], [Padding], [Dilation] or one
	// of their plurals, [Groups], [Bias], [NormLayer], [ActivationLayer] or [Inplace].
	//
	//gotorch:options KernelSize KernelSizes Stride Strides Padding Paddings Dilation Dilations Groups Bias
	//gotorch:options NormLayer ActivationLayer Inplace
	Conv2dNormActivationOption interface{ conv2dNormActivationOption() }
	// A SqueezeExcitationOption is [Activation] or [ScaleActivation].
	//
	//gotorch:options Activation ScaleActivation
	SqueezeExcitationOption interface{ squeezeExcitationOption() }
	// An MLPOption is [NormLayer], [ActivationLayer], [Inplace], [Bias] or [Dropout].
	//
	//gotorch:options NormLayer ActivationLayer Inplace Bias Dropout
	MLPOption interface{ mlpOption() }
)

type (
	// KernelSize is the height and width of a kernel, kernel_size in Python. The default
	// is 3. For example KernelSize(1).
	KernelSize int64
	// KernelSizes is like KernelSize, with separate values for height and width. For
	// example KernelSizes{3, 1}.
	KernelSizes []int64
	// Stride is the step between windows. The default is 1. For example Stride(2).
	Stride int64
	// Strides is like Stride, with separate values for height and width. For example
	// Strides{2, 1}.
	Strides []int64
	// Padding is the number of pixels added on each side. The default is (kernel - 1) / 2
	// * dilation. With a stride of 1 and an odd kernel size, the result then has the same
	// size as the input. For example Padding(0).
	Padding int64
	// Paddings is like Padding, with separate values for height and width. For example
	// Paddings{1, 0}.
	Paddings []int64
	// Dilation is the distance between the elements of a window. The default is 1.
	Dilation int64
	// Dilations is like Dilation, with separate values for height and width. For example
	// Dilations{2, 1}.
	Dilations []int64
	// Groups is the number of groups that the channels are split into. The default is 1.
	Groups int64
	// Bias selects whether a convolution or linear layer has a bias. The default is true,
	// except for a convolution followed by a normalization.
	Bias bool
	// NormLayer returns a normalization for the given number of channels, norm_layer in
	// Python. If it is nil (None in Python), there is no normalization. The default is
	// nn.NewBatchNorm2d, or nil for an MLP.
	NormLayer func(channels int64) nn.Layer
	// ActivationLayer returns an activation, activation_layer in Python. Its argument is
	// the value of [Inplace]. If it is nil (None in Python), there is no activation. The
	// default is nn.NewReLU.
	ActivationLayer func(inplace bool) nn.Layer
	// Inplace selects whether activations, and the dropouts of an MLP, modify their
	// input. The default is true, except for an MLP.
	Inplace bool
	// Activation returns the activation between the layers of a SqueezeExcitation. If it
	// is nil or not given, nn.NewReLU is used.
	Activation func() nn.Layer
	// ScaleActivation returns the activation after the second layer, scale_activation in
	// Python. If it is nil or not given, nn.NewSigmoid is used.
	ScaleActivation func() nn.Layer
	// Dropout is the probability with which an MLP drops elements in training. The default
	// is 0.
	Dropout float64
)
