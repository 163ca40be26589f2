package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// initialize draws the values of a model's convolutions and linear layers, in module
// order, and sets normalizations to ones and zeros. A nil function leaves its layers
// unchanged.
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

// kaimingOut draws Kaiming normal weights with mode fan_out, which most models use for
// convolutions.
func kaimingOut(w *torch.Tensor) {
	nninit.KaimingNormal_(w, nninit.ModeFanOut, nninit.NonlinearityReLU)
}

// narrow draws normal weights with a standard deviation of 0.01 and zeroes the bias, as most
// models do for linear layers.
func narrow(l *nn.Linear) {
	nninit.Normal_(l.Weight, 0, 0.01)
	zero(l.Bias)
}
