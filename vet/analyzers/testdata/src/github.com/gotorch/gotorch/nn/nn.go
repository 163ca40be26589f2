// Package nn stands in for the library's.
package nn

import "github.com/gotorch/gotorch/torch"

type Layer interface {
	Forward(x *torch.Tensor) *torch.Tensor
}

type Base struct{}

func (b *Base) ModuleBase() *Base { return b }

func (b *Base) Call(x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return fn(x)
}

func (b *Base) CallN(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	return fn(in)
}

type Linear struct{ Base }

func (*Linear) Forward(x *torch.Tensor) *torch.Tensor { return torch.Rand() }
func (*Linear) ZeroGrad()                             {}
