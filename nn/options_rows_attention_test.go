package nn_test

import (
	"strings"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// attentionRows returns the rows of the option table for MultiheadAttention and its
// calls.
func attentionRows(p *holder) map[string]optiontest.Row {
	mask := torch.FromSlice([]bool{false, true, false, false, false, true, true, false, false}, 3, 3)
	padding := torch.FromSlice([]bool{false, true, false, false, false, true}, 2, 3)
	x := torch.Linspace(-1, 1, 24).Reshape(3, 2, 4)
	return map[string]optiontest.Row{
		"NewMultiheadAttention": rowOf(p, inputOf(3, 2, 4), func(opts ...nn.AttentionOption) nn.Module {
			return nn.NewMultiheadAttention(4, 2, opts...)
		},
			joinPairs(places(),
				values(nn.DropoutP(0.5), nn.DropoutP(0)).Hides(printed, notInRepr),
				values(nn.Bias(false), nn.Bias(true)),
				values(nn.BatchFirst(true), nn.BatchFirst(false)).Hides(printed, notInRepr),
				values(nn.KDim(3), nn.KDim(4)).Hides(printed, notInRepr),
				values(nn.VDim(3), nn.VDim(4)).Hides(printed, notInRepr),
				values(nn.AddBiasKV(true), nn.AddBiasKV(false)).Hides(printed, notInRepr),
				values(nn.AddZeroAttn(true), nn.AddZeroAttn(false)).Hides(printed, notInRepr),
			)...),
		"MultiheadAttention.Forward": optiontest.For(func(opts ...nn.AttentionCallOption) optiontest.Outcome {
			var s strings.Builder
			torch.ManualSeed(3)
			m := nn.NewMultiheadAttention(4, 2)
			defer func() { _ = m.Close() }()
			torch.Scope(func() {
				out, weights := m.Forward(x, x, x, opts...)
				writeTensor(&s, "result", out)
				writeTensor(&s, "weights", weights)
			})
			return optiontest.Outcome{behavior: s.String()}
		},
			values(nn.NeedWeights(false), nn.NeedWeights(true)),
			values(nn.AverageAttnWeights(false), nn.AverageAttnWeights(true)),
			values(nn.AttnMask(mask), nn.AttnMask(nil)),
			values(nn.KeyPaddingMask(padding), nn.KeyPaddingMask(nil)),
			values(nn.IsCausal(true), nn.IsCausal(false)),
		),
	}
}
