package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var criterionMembers = []member{
	{
		"SoftMarginLoss", "nn.SoftMarginLoss()",
		func(p *holder) nn.Module { return nn.NewSoftMarginLoss(p.As("m")) }, pair,
	},
	{
		"MultiLabelMarginLoss", "nn.MultiLabelMarginLoss()",
		func(p *holder) nn.Module { return nn.NewMultiLabelMarginLoss(p.As("m")) }, labels,
	},
	{"MultiLabelSoftMarginLoss", "nn.MultiLabelSoftMarginLoss(weight=torch.ones(3))", func(p *holder) nn.Module {
		return nn.NewMultiLabelSoftMarginLoss(nn.Weight(torch.Ones(torch.Shape{3})), p.As("m"))
	}, pair},
	{
		"MultiMarginLoss", "nn.MultiMarginLoss(p=2, margin=0.5)",
		func(p *holder) nn.Module { return nn.NewMultiMarginLoss(nn.P(2), nn.Margin(0.5), p.As("m")) }, classes,
	},
	{"MultiMarginLoss/weight", "nn.MultiMarginLoss(weight=torch.ones(3))", func(p *holder) nn.Module {
		return nn.NewMultiMarginLoss(nn.Weight(torch.Ones(torch.Shape{3})), p.As("m"))
	}, classes},
	{
		"HingeEmbeddingLoss", "nn.HingeEmbeddingLoss(margin=2)",
		func(p *holder) nn.Module { return nn.NewHingeEmbeddingLoss(nn.Margin(2), p.As("m")) }, signs,
	},
	{
		"MarginRankingLoss", "nn.MarginRankingLoss(margin=0.25)",
		func(p *holder) nn.Module { return nn.NewMarginRankingLoss(nn.Margin(0.25), p.As("m")) }, triplet,
	},
	{
		"CosineEmbeddingLoss", "nn.CosineEmbeddingLoss(margin=0.25)",
		func(p *holder) nn.Module { return nn.NewCosineEmbeddingLoss(nn.Margin(0.25), p.As("m")) }, turned,
	},
	{
		"PoissonNLLLoss", "nn.PoissonNLLLoss(log_input=False, full=True)",
		func(p *holder) nn.Module { return nn.NewPoissonNLLLoss(nn.LogInput(false), nn.Full(true), p.As("m")) }, counts,
	},
	{
		"GaussianNLLLoss", "nn.GaussianNLLLoss(full=True)",
		func(p *holder) nn.Module { return nn.NewGaussianNLLLoss(nn.Full(true), p.As("m")) }, triplet,
	},
	{
		"CTCLoss", "nn.CTCLoss(zero_infinity=True)",
		func(p *holder) nn.Module { return nn.NewCTCLoss(nn.ZeroInfinity(true), p.As("m")) }, endless,
	},
	{
		"TripletMarginLoss", "nn.TripletMarginLoss(swap=True)",
		func(p *holder) nn.Module { return nn.NewTripletMarginLoss(nn.Swap(true), p.As("m")) }, triplet,
	},
	{"TripletMarginWithDistanceLoss", "nn.TripletMarginWithDistanceLoss()", func(p *holder) nn.Module {
		return nn.NewTripletMarginWithDistanceLoss(nn.DistanceFunction(nil), p.As("m"))
	}, triplet},
	{
		"TripletMarginWithDistanceLoss/own",
		"nn.TripletMarginWithDistanceLoss(swap=True, distance_function=lambda x, y: (x - y).abs().sum(-1))",
		func(p *holder) nn.Module {
			return nn.NewTripletMarginWithDistanceLoss(nn.DistanceFunction(manhattan), nn.Swap(true), p.As("m"))
		}, triplet,
	},
	{"AdaptiveLogSoftmaxWithLoss", "nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10])", func(p *holder) nn.Module {
		return nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10}, p.As("m"))
	}, rare},
	{
		"AdaptiveLogSoftmaxWithLoss/bias",
		"nn.AdaptiveLogSoftmaxWithLoss(8, 20, [2, 4, 10], div_value=1.5, head_bias=True)",
		func(p *holder) nn.Module {
			return nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{2, 4, 10}, nn.DivValue(1.5), nn.HeadBias(true),
				p.As("m"))
		}, rare,
	},
}

var criterionElsewhere = map[string]elsewhereFunc{
	"AdaptiveLogSoftmaxWithLoss": func(dev nn.Device, dt nn.DType) nn.Module {
		return nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10}, dev, dt)
	},
}

func labels() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{2, 3}), torch.FromSlice([]int64{1, -1, 0, 2, 0, -1}, 2, 3)}
}

func manhattan(x, y *torch.Tensor) *torch.Tensor { return x.Sub(y).Abs().Sum(torch.Dim(-1)) }

func signs() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{2, 3}), torch.FromSlice([]float32{1, -1, 1, -1, -1, 1}, 2, 3)}
}

func triplet() []*torch.Tensor { return append(pair(), torch.Rand(torch.Shape{4, 3})) }

func turned() []*torch.Tensor {
	return append(pair(), torch.FromSlice([]float32{1, -1, 1, -1}))
}

func spoken() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{5, 2, 4}).LogSoftmax(2), torch.FromSlice([]int64{1, 2, 3, 3}, 2, 2)}
}

// endless returns inputs for CTCLoss in which the first target is too long for its input,
// so that the loss is infinite.
func endless() []*torch.Tensor {
	return []*torch.Tensor{
		torch.Rand(torch.Shape{5, 2, 4}).LogSoftmax(2),
		torch.FromSlice([]int64{2, 2, 2, 2, 1, 2, 1, 1}, 2, 4),
	}
}

// counts returns rates and counts. Some counts are above 1, where Full changes the
// loss.
func counts() []*torch.Tensor {
	x := torch.Rand(torch.Shape{4, 3})
	return []*torch.Tensor{x, torch.Rand(torch.Shape{4, 3}).MulScalar(5)}
}

func rare() []*torch.Tensor {
	return []*torch.Tensor{torch.Rand(torch.Shape{5, 8}), torch.FromSlice([]int64{0, 19, 4, 9, 3})}
}

// run calls the Forward of losses that do not take just an input and a target.
func run(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
	third := func() *torch.Tensor {
		if len(in) < 3 {
			return nil
		}
		return in[2]
	}
	switch m := m.(type) {
	case interface {
		Forward(input1, input2, target *torch.Tensor) *torch.Tensor
	}:
		return []*torch.Tensor{m.Forward(in[0], in[1], third())}
	case *nn.CTCLoss:
		lengths := []int{2, 1}
		if in[1] != nil {
			lengths[0] = int(in[1].Size(1))
		}
		return []*torch.Tensor{m.Forward(in[0], in[1], []int64{5, 4}, lengths)}
	case *nn.AdaptiveLogSoftmaxWithLoss:
		out := m.Forward(in[0], in[1])
		return []*torch.Tensor{out.Output, out.Loss}
	}
	return nil
}
