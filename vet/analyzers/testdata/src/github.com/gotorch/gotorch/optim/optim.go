// Package optim stands in for the library's.
package optim

type Optimizer interface {
	Step()
	ZeroGrad()
}

type SGD struct{}

func (*SGD) Step()     {}
func (*SGD) ZeroGrad() {}
