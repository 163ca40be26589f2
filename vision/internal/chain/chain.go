// Package chain runs layers in sequence.
package chain

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Run passes x through the layers and returns the last result. It frees x and each
// intermediate result once the next layer has run, if the innermost scope owns it and no
// graph needs it.
func Run(x *torch.Tensor, layers ...nn.Layer) *torch.Tensor {
	for _, l := range layers {
		x = own.Instead(x, l.Forward(x))
	}
	return x
}

// Flat flattens all dimensions of x except the first, like torch.flatten(x, 1) in Python.
// It frees x as Run does.
func Flat(x *torch.Tensor) *torch.Tensor { return own.Instead(x, x.Flatten(1)) }
