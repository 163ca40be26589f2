// Package ops has the layers of torchvision.ops that the models of package models are made
// of: a convolution with its normalization and activation ([Conv2dNormActivation]),
// [SqueezeExcitation], [StochasticDepth], [MLP] and [Permute].
//
// They are modules as those of package nn: whoever makes one owns it and closes it or the
// module that it is registered with, and what Forward returns belongs to the innermost
// scope, else to the collector.
//
// Constructors panic with ErrNil for a nil option and with ErrValue for a number that
// fits nothing.
package ops
