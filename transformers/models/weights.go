package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Tie makes a head share the weights of an embedding, and closes those that the head had. It
// does nothing if one of them was replaced by a layer of another type.
func Tie(head, embedding nn.Layer) {
	l, ok := head.(*Linear)
	e, same := embedding.(*nn.Embedding)
	if ok && same && l.Weight != e.Weight {
		_ = l.Weight.Close()
		l.Weight = e.Weight
	}
}

// DTypeOf returns the dtype of m's first parameter.
func DTypeOf(m nn.Module) torch.DType {
	for _, p := range m.ModuleBase().Parameters() {
		return p.DType()
	}
	return torch.DefaultDType()
}

// DeviceOf returns the device of m's first parameter.
func DeviceOf(m nn.Module) torch.Device {
	for _, p := range m.ModuleBase().Parameters() {
		return p.Device()
	}
	return torch.CPU
}
