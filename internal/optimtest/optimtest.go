// Package optimtest lists the optimizers of package optim, for the tests of all packages
// that step, save or load optimizers. A test of package optim finds optimizers that are
// missing here.
package optimtest

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An Optimizer creates an optimizer with settings that make its state as large as
// possible.
type Optimizer struct {
	Name string // the constructor's name without New
	New  func(ps []*torch.Tensor) optim.Optimizer

	Matrices bool // it accepts only matrices as parameters
	Sparse   bool // it accepts only sparse gradients
	Closure  bool // Step takes a closure
	Whole    bool // a step computes with the whole parameter, not with each element independently
}

// Plain reports whether an optimizer accepts any parameters and gradients, and needs no
// closure.
func (o *Optimizer) Plain() bool { return !o.Matrices && !o.Sparse && !o.Closure }

// All returns the optimizers.
func All() []Optimizer {
	return []Optimizer{
		{Name: "ASGD", New: of(optim.NewASGD)},
		{Name: "Adadelta", New: of(optim.NewAdadelta)},
		{Name: "Adafactor", New: of(optim.NewAdafactor), Whole: true},
		{Name: "Adagrad", New: of(optim.NewAdagrad)},
		{Name: "Adam", New: of[optim.AdamOption](optim.NewAdam, optim.AMSGrad(true))},
		{Name: "AdamW", New: of[optim.AdamWOption](optim.NewAdamW, optim.Fused(true))},
		{Name: "Adamax", New: of(optim.NewAdamax)},
		{Name: "LBFGS", New: of(optim.NewLBFGS), Closure: true, Whole: true},
		{Name: "Muon", New: of(optim.NewMuon), Matrices: true, Whole: true},
		{Name: "NAdam", New: of(optim.NewNAdam)},
		{Name: "RAdam", New: of(optim.NewRAdam)},
		{Name: "RMSprop", New: of[optim.RMSpropOption](optim.NewRMSprop, optim.Momentum(0.5), optim.Centered(true))},
		{Name: "Rprop", New: of(optim.NewRprop)},
		{Name: "SGD", New: of[optim.SGDOption](optim.NewSGD, optim.Momentum(0.5))},
		{Name: "SparseAdam", New: of(optim.NewSparseAdam), Sparse: true},
	}
}

// Named returns the optimizer with the given name.
func Named(name string) (Optimizer, bool) {
	for _, o := range All() {
		if o.Name == name {
			return o, true
		}
	}
	return Optimizer{}, false
}

func of[O any, P optim.Optimizer](
	fresh func(ps []*torch.Tensor, opts ...O) P, opts ...O,
) func(ps []*torch.Tensor) optim.Optimizer {
	return func(ps []*torch.Tensor) optim.Optimizer { return fresh(ps, opts...) }
}
