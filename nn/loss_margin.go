package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// SoftMarginLoss is F.SoftMarginLoss as a module. Follows torch.nn.SoftMarginLoss.
type SoftMarginLoss struct {
	Base
	Reduction Reduction
}

// NewSoftMarginLoss makes a SoftMarginLoss. It panics with ErrValue for a reduction
// that the loss does not have. Follows torch.nn.SoftMarginLoss.
func NewSoftMarginLoss(opts ...LossOption) *SoftMarginLoss {
	const op = "NewSoftMarginLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &SoftMarginLoss{Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of an input and targets of 1 and -1, which broadcast. It
// panics as F.SoftMarginLoss does.
func (l *SoftMarginLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target,
		func(x, y *torch.Tensor) *torch.Tensor { return F.SoftMarginLoss(x, y, l.Reduction) })
}

// MultiLabelMarginLoss is F.MultilabelMarginLoss as a module.
// Follows torch.nn.MultiLabelMarginLoss.
type MultiLabelMarginLoss struct {
	Base
	Reduction Reduction
}

// NewMultiLabelMarginLoss makes a MultiLabelMarginLoss. It panics with ErrValue for a
// reduction that the loss does not have. Follows torch.nn.MultiLabelMarginLoss.
func NewMultiLabelMarginLoss(opts ...LossOption) *MultiLabelMarginLoss {
	const op = "NewMultiLabelMarginLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &MultiLabelMarginLoss{Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of scores of shape (N, C) or (C). target has the same shape: a
// list of class indices, padded with -1, for each sample. It panics as
// F.MultilabelMarginLoss does.
func (l *MultiLabelMarginLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target,
		func(x, y *torch.Tensor) *torch.Tensor { return F.MultilabelMarginLoss(x, y, l.Reduction) })
}

// MultiLabelSoftMarginLoss is F.MultilabelSoftMarginLoss as a module.
// Follows torch.nn.MultiLabelSoftMarginLoss.
type MultiLabelSoftMarginLoss struct {
	Base
	Weight    *torch.Tensor // a buffer, or nil
	Reduction Reduction
}

// NewMultiLabelSoftMarginLoss makes a MultiLabelSoftMarginLoss. It panics with
// ErrValue for a reduction that the loss does not have.
// Follows torch.nn.MultiLabelSoftMarginLoss.
func NewMultiLabelSoftMarginLoss(opts ...MultiLabelSoftMarginLossOption) *MultiLabelSoftMarginLoss {
	const op = "NewMultiLabelSoftMarginLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &MultiLabelSoftMarginLoss{Reduction: s.reduction}
	s.finish(l, op, &l.Weight, nil)
	return l
}

// Forward returns the loss of logits and targets of shape (N, C) or (C). It panics
// as F.MultilabelSoftMarginLoss does.
func (l *MultiLabelSoftMarginLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.MultilabelSoftMarginLoss(x, y, F.Weight(l.Weight), l.Reduction)
	})
}

// MultiMarginLoss is F.MultiMarginLoss as a module. Follows torch.nn.MultiMarginLoss.
type MultiMarginLoss struct {
	Base
	Weight    *torch.Tensor // a buffer, or nil
	P         float64
	Margin    float64
	Reduction Reduction
}

// NewMultiMarginLoss makes a MultiMarginLoss. [P] is 1 or 2, by default 1; [Margin] is 1
// by default. It panics with ErrValue for any other P or a reduction that the loss does
// not have, and with ErrShape for a weight that is not one-dimensional. Follows
// torch.nn.MultiMarginLoss.
func NewMultiMarginLoss(opts ...MultiMarginLossOption) *MultiMarginLoss {
	const op = "NewMultiMarginLoss"
	s := readLoss(op, lossOptions{p: 1, margin: 1}, opts)
	opt.CheckMultiMargin(op, s.p, s.weight)
	l := &MultiMarginLoss{P: s.p, Margin: s.margin, Reduction: s.reduction}
	s.finish(l, op, &l.Weight, nil)
	return l
}

// Forward returns the loss of scores of shape (N, C) or (C) and class indices. It panics
// as F.MultiMarginLoss does.
func (l *MultiMarginLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.MultiMarginLoss(x, y, F.P(l.P), F.Margin(l.Margin), F.Weight(l.Weight), l.Reduction)
	})
}

// HingeEmbeddingLoss is F.HingeEmbeddingLoss as a module.
// Follows torch.nn.HingeEmbeddingLoss.
type HingeEmbeddingLoss struct {
	Base
	Margin    float64
	Reduction Reduction
}

// NewHingeEmbeddingLoss makes a HingeEmbeddingLoss. [Margin] is 1 by default. It
// panics with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.HingeEmbeddingLoss.
func NewHingeEmbeddingLoss(opts ...MarginLossOption) *HingeEmbeddingLoss {
	const op = "NewHingeEmbeddingLoss"
	s := readLoss(op, lossOptions{margin: 1}, opts)
	l := &HingeEmbeddingLoss{Margin: s.margin, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of distances and targets of 1 and -1, which broadcast. It
// panics as F.HingeEmbeddingLoss does.
func (l *HingeEmbeddingLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.HingeEmbeddingLoss(x, y, F.Margin(l.Margin), l.Reduction)
	})
}

// MarginRankingLoss is F.MarginRankingLoss as a module.
// Follows torch.nn.MarginRankingLoss.
type MarginRankingLoss struct {
	Base
	Margin    float64
	Reduction Reduction
}

// NewMarginRankingLoss makes a MarginRankingLoss. [Margin] is 0 by default. It panics
// with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.MarginRankingLoss.
func NewMarginRankingLoss(opts ...MarginLossOption) *MarginRankingLoss {
	const op = "NewMarginRankingLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &MarginRankingLoss{Margin: s.margin, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of two inputs. target is 1 where the first should rank
// higher and -1 where the second should. It panics as F.MarginRankingLoss does.
func (l *MarginRankingLoss) Forward(input1, input2, target *torch.Tensor) *torch.Tensor {
	return callLayer3(l, input1, input2, target, func(x, y, z *torch.Tensor) *torch.Tensor {
		return F.MarginRankingLoss(x, y, z, F.Margin(l.Margin), l.Reduction)
	})
}

// CosineEmbeddingLoss is F.CosineEmbeddingLoss as a module.
// Follows torch.nn.CosineEmbeddingLoss.
type CosineEmbeddingLoss struct {
	Base
	Margin    float64
	Reduction Reduction
}

// NewCosineEmbeddingLoss makes a CosineEmbeddingLoss. [Margin] is 0 by default. It
// panics with ErrValue for a reduction that the loss does not have.
// Follows torch.nn.CosineEmbeddingLoss.
func NewCosineEmbeddingLoss(opts ...MarginLossOption) *CosineEmbeddingLoss {
	const op = "NewCosineEmbeddingLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &CosineEmbeddingLoss{Margin: s.margin, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of two inputs of shape (N, D) or (D) and targets of 1 and
// -1. It panics as F.CosineEmbeddingLoss does.
func (l *CosineEmbeddingLoss) Forward(input1, input2, target *torch.Tensor) *torch.Tensor {
	return callLayer3(l, input1, input2, target, func(x, y, z *torch.Tensor) *torch.Tensor {
		return F.CosineEmbeddingLoss(x, y, z, F.Margin(l.Margin), l.Reduction)
	})
}

// callLayer3 is callLayer for three inputs and one result.
func callLayer3(m Module, x, y, z *torch.Tensor, fn func(x, y, z *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return callLayerN(m, []*torch.Tensor{x, y, z}, func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{fn(in[0], in[1], in[2])}
	})[0]
}
