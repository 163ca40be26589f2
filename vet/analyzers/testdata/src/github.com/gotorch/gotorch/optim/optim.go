// Package optim stands in for the library's package.
package optim

import "github.com/gotorch/gotorch/torch"

type Optimizer interface {
	Step()
	ZeroGrad()
}

type SGD struct{}

func (*SGD) Step()     {}
func (*SGD) ZeroGrad() {}

func (*SGD) AddParamGroup(params []*torch.Tensor, opts ...any) {}

func (*SGD) ParamGroups() []any { return nil }

func NewSGD(params []*torch.Tensor, opts ...any) *SGD { return &SGD{} }
