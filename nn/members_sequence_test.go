package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var sequenceMembers = []member{
	{"Embedding", "nn.Embedding(5, 3)", func(p *holder) nn.Module { return nn.NewEmbedding(5, 3, p.As("m")) }, words},
	{
		"Embedding/all", "nn.Embedding(5, 3, padding_idx=-1, scale_grad_by_freq=True, sparse=True)",
		func(p *holder) nn.Module {
			return nn.NewEmbedding(5, 3, nn.PaddingIdx(0), nn.PaddingIdx(-1), nn.ScaleGradByFreq(true), nn.Sparse(true),
				p.As("m"))
		}, words,
	},
	{"Embedding/norm", "nn.Embedding(5, 3, max_norm=1.5, norm_type=1.0)", func(p *holder) nn.Module {
		return nn.NewEmbedding(5, 3, nn.MaxNorm(1.5), nn.NormType(1), p.As("m"))
	}, words},
	{
		"MultiheadAttention", "nn.MultiheadAttention(4, 2)",
		func(p *holder) nn.Module { return nn.NewMultiheadAttention(4, 2, p.As("m")) }, inputOf(3, 2, 4),
	},
	{
		"MultiheadAttention/all", "nn.MultiheadAttention(4, 2, dropout=0.1, bias=False, batch_first=True)",
		func(p *holder) nn.Module {
			return nn.NewMultiheadAttention(4, 2, nn.DropoutP(0.1), nn.Bias(false), nn.BatchFirst(true), p.As("m"))
		}, inputOf(3, 2, 4),
	},
	{"MultiheadAttention/sizes", "nn.MultiheadAttention(4, 2, kdim=3, vdim=4)", func(p *holder) nn.Module {
		return nn.NewMultiheadAttention(4, 2, nn.KDim(3), nn.VDim(4), p.As("m"))
	}, func() []*torch.Tensor {
		x := torch.Rand(torch.Shape{3, 2, 4})
		return []*torch.Tensor{x, torch.Rand(torch.Shape{3, 2, 3}), torch.Rand(torch.Shape{3, 2, 4})}
	}},
	{
		"MultiheadAttention/further", "nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)",
		func(p *holder) nn.Module {
			return nn.NewMultiheadAttention(4, 2, nn.AddBiasKV(true), nn.AddZeroAttn(true), p.As("m"))
		}, inputOf(3, 2, 4),
	},
}

var sequenceElsewhere = map[string]elsewhereFunc{
	"Embedding":          func(d nn.Device, t nn.DType) nn.Module { return nn.NewEmbedding(5, 3, d, t) },
	"MultiheadAttention": func(d nn.Device, t nn.DType) nn.Module { return nn.NewMultiheadAttention(4, 2, d, t) },
}
