package conformance_test

import "github.com/gotorch/gotorch/nn"

// weighted appends the Weight option if the call of the loss has class weights.
func weighted[O any](a *args, opts []O) []O {
	if w := a.Tensor("weight"); w != nil {
		opts = append(opts, any(nn.Weight(w)).(O))
	}
	return opts
}

var _ = modules(map[string]builder{
	"L1Loss":  func(a *args) nn.Module { return nn.NewL1Loss(options[nn.LossOption](a, nn.Reduction(""))...) },
	"MSELoss": func(a *args) nn.Module { return nn.NewMSELoss(options[nn.LossOption](a, nn.Reduction(""))...) },
	"HuberLoss": func(a *args) nn.Module {
		return nn.NewHuberLoss(options[nn.HuberLossOption](a, nn.Reduction(""), nn.Delta(0))...)
	},
	"KLDivLoss": func(a *args) nn.Module {
		return nn.NewKLDivLoss(options[nn.KLDivLossOption](a, nn.Reduction(""), nn.LogTarget(false))...)
	},
	"SmoothL1Loss": func(a *args) nn.Module {
		return nn.NewSmoothL1Loss(options[nn.SmoothL1LossOption](a, nn.Reduction(""), nn.Beta(0))...)
	},
	"BCELoss": func(a *args) nn.Module {
		return nn.NewBCELoss(weighted(a, options[nn.BCELossOption](a, nn.Reduction("")))...)
	},
	"BCEWithLogitsLoss": func(a *args) nn.Module {
		return nn.NewBCEWithLogitsLoss(weighted(a, options[nn.BCEWithLogitsLossOption](a, nn.Reduction("")))...)
	},
	"NLLLoss": func(a *args) nn.Module {
		return nn.NewNLLLoss(weighted(a, options[nn.NLLLossOption](a, nn.Reduction(""), nn.IgnoreIndex(0)))...)
	},
	"CrossEntropyLoss": func(a *args) nn.Module {
		return nn.NewCrossEntropyLoss(weighted(a, options[nn.CrossEntropyLossOption](a, nn.Reduction(""),
			nn.IgnoreIndex(0), nn.LabelSmoothing(0)))...)
	},
})
