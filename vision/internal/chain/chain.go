// Package chain runs layers one after the other.
package chain

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Run passes x through the layers and returns what the last one returns. What one layer
// hands to the next is freed as soon as the next has run, and so is x, if the innermost
// scope owns them and no graph needs them.
func Run(x *torch.Tensor, layers ...nn.Layer) *torch.Tensor {
	for _, l := range layers {
		x = own.Instead(x, l.Forward(x))
	}
	return x
}

// Flat is x with all dimensions but the first as one, in place of x, as torch.flatten(x, 1)
// in Python.
func Flat(x *torch.Tensor) *torch.Tensor { return own.Instead(x, x.Flatten(1)) }
