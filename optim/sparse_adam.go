package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A SparseAdamOption is an option of [NewSparseAdam]: [LR], [Betas], [Eps],
// [Maximize].
//
//gotorch:options LR BetaPair Eps Maximize
type SparseAdamOption interface {
	Option
	sparseAdamOption()
}

// SparseAdam is Adam for sparse gradients, such as the gradients of embeddings. It
// changes only the rows that the gradient contains, and their state.
type SparseAdam struct{ stepper }

var sparseAdamRule = rule{
	name: "SparseAdam", states: []string{"step", "exp_avg", "exp_avg_sq"},
	defaults: []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8), Maximize(false),
	},
	checkSettings: func(s settings) (arg, problem string) {
		for _, name := range []string{"lr", "eps"} {
			if v := s.find(name).num[0]; v == 0 {
				return name, "expected a positive number, got 0"
			}
		}
		return "", ""
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) { o.Beta1, o.Beta2 = g.pair("betas") },
	paramProblem: func(p *torch.Tensor) string {
		switch {
		case p.Layout() != torch.Strided:
			return "is sparse; only its gradients may be sparse"
		case p.DType().IsComplex():
			return "is complex"
		}
		return ""
	},
	intStep: true,
}

// NewSparseAdam makes a SparseAdam over params. Its options are [LR], [Betas], [Eps]
// and [Maximize]. LR and Eps must be positive, and parameters dense and real.
// Follows torch.optim.SparseAdam.
func NewSparseAdam(params []*torch.Tensor, opts ...SparseAdamOption) *SparseAdam {
	o := &SparseAdam{newStepper(&sparseAdamRule, params, options(opts))}
	o.outer = o
	return o
}
