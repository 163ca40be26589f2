package optim

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// A MuonOption is an option of [NewMuon]: [LR], [WeightDecay], [Momentum],
// [Nesterov], [NSCoefficients], [Eps], [NSSteps], [AdjustLRFn].
//
//gotorch:options LR WeightDecay Momentum Nesterov NSCoefficientTuple Eps NSSteps AdjustLRFn
type MuonOption interface {
	Option
	muonOption()
}

// Muon makes the momentum of a matrix approximately orthogonal, in bfloat16, and steps
// along the result. Use a different optimizer for parameters that are not matrices, such
// as biases, and for embeddings.
type Muon struct{ stepper }

var muonRule = rule{
	name: "Muon", states: []string{"momentum_buffer"},
	defaults: []Option{
		LR(1e-3), WeightDecay(0.1), Momentum(0.95), Nesterov(true), NSCoefficients(3.4445, -4.775, 2.0315), Eps(1e-7),
		NSSteps(5),
		pyDefault{"adjust_lr_fn", nil},
	},
	checkSettings: checkMuon,
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		ns := g.settings.find("ns_coefficients").v.([3]float64)
		steps, _ := g.settings.find("ns_steps").v.(int64)
		adjust := 0.0
		if g.settings.find("adjust_lr_fn").v == string(AdjustLRFnMatchRMSAdamW) {
			adjust = 1
		}
		o.Own = [6]float64{ns[0], ns[1], ns[2], float64(max(steps, 0)), adjust}
		o.Momentum, o.Nesterov = g.number("momentum"), g.flag("nesterov")
	},
	paramProblem: func(p *torch.Tensor) string {
		if p.Dim() != 2 {
			return fmt.Sprintf("has the shape %v; Muon takes matrices", p.Shape())
		}
		return ""
	},
}

func checkMuon(s settings) (arg, problem string) {
	if n, _ := s.find("ns_steps").v.(int64); n >= 100 {
		return "ns_steps", fmt.Sprintf("expected fewer than 100, got %d", n)
	}
	switch v := s.find("adjust_lr_fn").v; v {
	case nil, string(AdjustLRFnOriginal), string(AdjustLRFnMatchRMSAdamW):
	default:
		return "adjust_lr_fn", fmt.Sprintf("expected original, match_rms_adamw or nil, got %v", v)
	}
	return "", ""
}

// NewMuon makes a Muon over params. Its options are [LR], [WeightDecay], [Momentum],
// [Nesterov], [NSCoefficients], [Eps], [NSSteps] and [AdjustLRFn]. WeightDecay is
// 0.1, Momentum 0.95, Nesterov true and Eps 1e-7 by default. Parameters must be real
// matrices. Follows torch.optim.Muon.
func NewMuon(params []*torch.Tensor, opts ...MuonOption) *Muon {
	o := &Muon{newStepper(&muonRule, params, options(opts))}
	o.outer = o
	return o
}
