package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func reductions[O any](a *args) []O { return options[O](a, nn.Reduction("")) }

func margins(a *args) []nn.MarginLossOption {
	return options[nn.MarginLossOption](a, nn.Reduction(""), nn.Margin(0))
}

var _ = modules(map[string]builder{
	"SoftMarginLoss": func(a *args) nn.Module { return nn.NewSoftMarginLoss(reductions[nn.LossOption](a)...) },
	"MultiLabelMarginLoss": func(a *args) nn.Module {
		return nn.NewMultiLabelMarginLoss(reductions[nn.LossOption](a)...)
	},
	"MultiLabelSoftMarginLoss": func(a *args) nn.Module {
		return nn.NewMultiLabelSoftMarginLoss(weighted(a, reductions[nn.MultiLabelSoftMarginLossOption](a))...)
	},
	"HingeEmbeddingLoss":  func(a *args) nn.Module { return nn.NewHingeEmbeddingLoss(margins(a)...) },
	"MarginRankingLoss":   func(a *args) nn.Module { return nn.NewMarginRankingLoss(margins(a)...) },
	"CosineEmbeddingLoss": func(a *args) nn.Module { return nn.NewCosineEmbeddingLoss(margins(a)...) },
	"MultiMarginLoss": func(a *args) nn.Module {
		return nn.NewMultiMarginLoss(weighted(a, options[nn.MultiMarginLossOption](a, nn.Reduction(""), nn.P(0),
			nn.Margin(0)))...)
	},
	"PoissonNLLLoss": func(a *args) nn.Module {
		return nn.NewPoissonNLLLoss(options[nn.PoissonNLLLossOption](a, nn.Reduction(""), nn.LogInput(false),
			nn.Full(false), nn.Eps(0))...)
	},
	"GaussianNLLLoss": func(a *args) nn.Module {
		return nn.NewGaussianNLLLoss(options[nn.GaussianNLLLossOption](a, nn.Reduction(""), nn.Full(false),
			nn.Eps(0))...)
	},
	"CTCLoss": func(a *args) nn.Module {
		return nn.NewCTCLoss(options[nn.CTCLossOption](a, nn.Reduction(""), nn.Blank(0), nn.ZeroInfinity(false))...)
	},
})

var _ = forwards(map[string]forward{
	"GaussianNLLLoss": func(m nn.Module, a *args) []*torch.Tensor {
		l := m.(*nn.GaussianNLLLoss)
		if v, ok := a.Any("var").(*torch.Tensor); ok {
			return []*torch.Tensor{l.Forward(a.Tensor("input"), a.Tensor("target"), v)}
		}
		return []*torch.Tensor{l.ForwardScalar(a.Tensor("input"), a.Tensor("target"), a.Float("var"))}
	},
	"CTCLoss": func(m nn.Module, a *args) []*torch.Tensor {
		lengths := func(name string) any {
			if v, ok := a.Any(name).(*torch.Tensor); ok {
				return v
			}
			return a.Ints(name)
		}
		return []*torch.Tensor{m.(*nn.CTCLoss).Forward(a.Tensor("log_probs"), a.Tensor("targets"),
			lengths("input_lengths"), lengths("target_lengths"))}
	},
})
