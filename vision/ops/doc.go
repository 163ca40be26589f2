// Package ops provides the layers of torchvision.ops that the models of package models
// use: a convolution with its normalization and activation ([Conv2dNormActivation]),
// [SqueezeExcitation], [StochasticDepth], [MLP] and [Permute].
//
// They are modules like the layers of package nn. The caller of a constructor owns the layer.
// Close the layer, or the module that it is registered with. Results of Forward are owned
// by the innermost scope or else by the garbage collector.
//
// Constructors panic with ErrNil for a nil option and with ErrValue for an invalid
// number.
package ops
