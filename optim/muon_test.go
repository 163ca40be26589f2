package optim_test

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

var _ = own(
	making("Muon", optim.NewMuon, opts(optim.LR(0), optim.Momentum(0), optim.Eps(0), optim.WeightDecay(0)),
		optim.Maximize(true), "optim.NewMuon(ps, optim.Foreach(true))"),
	matrixSteps(func(ps []*torch.Tensor, opts ...optim.MuonOption) optim.Optimizer {
		return optim.NewMuon(ps, append([]optim.MuonOption{optim.LR(0.5)}, opts...)...)
	}, false,
		optiontest.Values(optim.LR(0), optim.LR(0.5)), optiontest.Values(optim.WeightDecay(0), optim.WeightDecay(0.5)),
		optiontest.Values(optim.Momentum(0), optim.Momentum(0.5)),
		optiontest.Values(optim.Nesterov(true), optim.Nesterov(false)),
		optiontest.Values(optim.NSCoefficients(0, 0, 0), optim.NSCoefficients(3, -4, 2)),
		optiontest.Values(optim.Eps(0), optim.Eps(100)),
		optiontest.Values(optim.NSSteps(0), optim.NSSteps(2)),
		optiontest.Values(optim.AdjustLRFnOriginal, optim.AdjustLRFnMatchRMSAdamW)),
	compared{
		python: "torch.optim.Muon(ps, lr=0.1, momentum=0.5)", opts: opts(optim.LR(0.1), optim.Momentum(0.5)),
	},
)

// Muon is for matrices only. Use a different optimizer for biases and embeddings.
func ExampleMuon() {
	w := torch.FromSliceWith([]float32{1, 2, 3, 4}, torch.Shape{2, 2}, torch.RequiresGrad(true))
	defer w.Close()
	opt := optim.NewMuon([]*torch.Tensor{w}, optim.LR(0.1), optim.WeightDecay(0))
	defer opt.Close()
	for range 3 {
		torch.Scope(func() {
			opt.ZeroGrad()
			w.Mul(w).Sum().Backward()
			opt.Step()
		})
	}
	fmt.Printf("%.1f\n", w.Float32s())
	// Output: [1.2 1.8 2.8 3.9]
}
