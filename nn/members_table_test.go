package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// rows5 returns a table of 5 rows, for layers made from a pretrained table.
func rows5() *torch.Tensor { return torch.Ones(torch.Shape{5, 3}) }

// bags returns indices, and the start of each bag.
func bags() []*torch.Tensor {
	return []*torch.Tensor{torch.FromSlice([]int64{0, 4, 1, 1}), torch.FromSlice([]int64{0, 3})}
}

var tableMembers = []member{
	{
		"EmbeddingFromPretrained", "nn.Embedding.from_pretrained(torch.ones(5, 3))",
		func(p *holder) nn.Module { return nn.NewEmbeddingFromPretrained(rows5(), p.As("m")) }, words,
	},
	{
		"EmbeddingFromPretrained/all", "nn.Embedding.from_pretrained(torch.ones(5, 3), freeze=False, " +
			"padding_idx=-1, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True, sparse=True)",
		func(p *holder) nn.Module {
			return nn.NewEmbeddingFromPretrained(rows5(), nn.Freeze(false), nn.PaddingIdx(-1), nn.MaxNorm(1.5),
				nn.NormType(1),
				nn.ScaleGradByFreq(true), nn.Sparse(true), p.As("m"))
		}, words,
	},
	{
		"EmbeddingBag", "nn.EmbeddingBag(5, 3)",
		func(p *holder) nn.Module { return nn.NewEmbeddingBag(5, 3, p.As("m")) }, bags,
	},
	{
		"EmbeddingBag/all", "nn.EmbeddingBag(5, 3, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True, " +
			`mode="sum", sparse=True, include_last_offset=True, padding_idx=-1)`,
		func(p *holder) nn.Module {
			return nn.NewEmbeddingBag(5, 3, nn.MaxNorm(1.5), nn.NormType(1), nn.ScaleGradByFreq(true), nn.ModeSum,
				nn.Sparse(true),
				nn.IncludeLastOffset(true), nn.PaddingIdx(-1), p.As("m"))
		}, bags,
	},
	{
		"EmbeddingBag/max", `nn.EmbeddingBag(5, 3, mode="max")`,
		func(p *holder) nn.Module { return nn.NewEmbeddingBag(5, 3, nn.ModeMax, p.As("m")) }, bags,
	},
	{
		"EmbeddingBagFromPretrained", `nn.EmbeddingBag.from_pretrained(torch.ones(5, 3), mode="sum", freeze=False)`,
		func(p *holder) nn.Module {
			return nn.NewEmbeddingBagFromPretrained(rows5(), nn.ModeSum, nn.Freeze(false), p.As("m"))
		}, bags,
	},
}

var tableElsewhere = map[string]elsewhereFunc{
	"EmbeddingBag": func(d nn.Device, t nn.DType) nn.Module { return nn.NewEmbeddingBag(5, 3, d, t) },
}
