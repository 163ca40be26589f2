package nninit

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An Option is an option of the functions whose only option is a generator: [Generator].
//
//gotorch:options GeneratorOption
type Option interface{ drawOption() }

// A TruncNormalOption says how [TruncNormal_] draws: [Mean], [Std], [A], [B] or
// [Generator].
//
//gotorch:options GeneratorOption Mean Std A B
type TruncNormalOption interface{ truncNormalOption() }

// A SparseOption says how [Sparse_] draws: [Std] or [Generator].
//
//gotorch:options GeneratorOption Std
type SparseOption interface{ sparseOption() }

// A DiracOption says what [Dirac_] sets: [Groups].
//
//gotorch:options Groups
type DiracOption interface{ diracOption() }

// A KaimingOption says how [KaimingUniform_] and [KaimingNormal_] draw: [A], a
// [Mode], a [Nonlinearity] or [Generator].
//
//gotorch:options GeneratorOption A Mode Nonlinearity
type KaimingOption interface{ kaimingOption() }

// A GainOption says how [XavierUniform_], [XavierNormal_] and [Orthogonal_]
// draw: [Gain] or [Generator].
//
//gotorch:options GeneratorOption Gain
type GainOption interface{ gainOption() }

// Mean is the mean of TruncNormal_ before truncation. The default is 0.
type Mean float64

// Std is the standard deviation. The default is 1 for TruncNormal_, before
// truncation, and 0.01 for Sparse_.
type Std float64

// Groups is the number of output channel groups of Dirac_. The default is 1.
type Groups int64

// A is the lower limit of TruncNormal_, -2 by default. In a Kaiming initialization it is the slope
// of the leaky ReLU after the weight, 0 by default.
type A float64

// B is the upper limit of TruncNormal_. The default is 2.
type B float64

// Gain is a factor by which all values are multiplied. The default is 1.
type Gain float64

// Mode says in which pass a Kaiming initialization preserves the magnitude of values. The default
// is [ModeFanIn].
type Mode string

// The values of [Mode].
const (
	ModeFanIn  Mode = "fan_in"  // preserves magnitudes in the forward pass
	ModeFanOut Mode = "fan_out" // preserves magnitudes in the backward pass
)

// Nonlinearity is the activation that follows a weight. The default is
// [NonlinearityLeakyReLU].
type Nonlinearity string

// The values of [Nonlinearity].
const (
	NonlinearityLinear Nonlinearity = "linear"
	// CalculateGain returns 1 for every convolution, as for linear.
	NonlinearityConv1d          Nonlinearity = "conv1d"
	NonlinearityConv2d          Nonlinearity = "conv2d"
	NonlinearityConv3d          Nonlinearity = "conv3d"
	NonlinearityConvTranspose1d Nonlinearity = "conv_transpose1d"
	NonlinearityConvTranspose2d Nonlinearity = "conv_transpose2d"
	NonlinearityConvTranspose3d Nonlinearity = "conv_transpose3d"
	NonlinearitySigmoid         Nonlinearity = "sigmoid"
	NonlinearityTanh            Nonlinearity = "tanh"
	NonlinearityReLU            Nonlinearity = "relu"
	NonlinearityLeakyReLU       Nonlinearity = "leaky_relu"
	NonlinearitySELU            Nonlinearity = "selu"
)

// GeneratorOption is the result type of [Generator].
type GeneratorOption struct{ g *torch.Generator }

// Generator sets the generator of random numbers. By default, or if g is nil, it is the device's
// default generator.
func Generator(g *torch.Generator) GeneratorOption { return GeneratorOption{g} }

// readGenerator returns the generator in the options of a function that takes no other option.
func readGenerator(op string, opts []Option) *torch.Generator {
	return opt.Read(op, opts, GeneratorOption{}).g
}

func readGain(op string, opts []GainOption) (float64, *torch.Generator) {
	f, g := opt.Read2(op, opts, Gain(1), GeneratorOption{})
	return float64(f), g.g
}
