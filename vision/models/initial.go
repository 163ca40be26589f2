package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// initialize sets the initial values of a model's layers, in module order. conv
// initializes the weight of each convolution, and linear each linear layer. If conv or
// linear is nil, these layers stay unchanged. Normalizations get ones and zeros.
func initialize(m nn.Module, conv func(w *torch.Tensor), linear func(l *nn.Linear)) {
	for _, m := range nn.Modules(m) {
		switch m := m.(type) {
		case *nn.Conv2d:
			if conv != nil {
				conv(m.Weight)
				zero(m.Bias)
			}
		case *nn.BatchNorm2d:
			fill(m.Weight, 1)
			zero(m.Bias)
		case *nn.GroupNorm:
			fill(m.Weight, 1)
			zero(m.Bias)
		case *nn.Linear:
			if linear != nil {
				linear(m)
			}
		}
	}
}

func fill(t *torch.Tensor, v float64) {
	if t != nil {
		nninit.Constant_(t, v)
	}
}

func zero(t *torch.Tensor) { fill(t, 0) }

// kaimingOut draws the weights of a convolution from the Kaiming normal distribution with
// mode fan_out. Most models do this.
func kaimingOut(w *torch.Tensor) {
	nninit.KaimingNormal_(w, nninit.ModeFanOut, nninit.NonlinearityReLU)
}

// narrow draws normal weights with a standard deviation of 0.01 and zeroes the bias, as most
// models do for linear layers.
func narrow(l *nn.Linear) {
	nninit.Normal_(l.Weight, 0, 0.01)
	zero(l.Bias)
}
