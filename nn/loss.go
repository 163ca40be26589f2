package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// CrossEntropyLoss is F.CrossEntropy as a module. Follows torch.nn.CrossEntropyLoss.
type CrossEntropyLoss struct {
	Base
	Weight         *torch.Tensor // a buffer, or nil
	IgnoreIndex    int64
	LabelSmoothing float64
	Reduction      Reduction
}

// NewCrossEntropyLoss makes a CrossEntropyLoss. It panics with ErrValue for a
// reduction that the loss does not have. Follows torch.nn.CrossEntropyLoss.
func NewCrossEntropyLoss(opts ...CrossEntropyLossOption) *CrossEntropyLoss {
	const op = "NewCrossEntropyLoss"
	s := readLoss(op, lossOptions{ignore: -100}, opts)
	l := &CrossEntropyLoss{IgnoreIndex: s.ignore, LabelSmoothing: s.smoothing, Reduction: s.reduction}
	s.finish(l, op, &l.Weight, nil)
	return l
}

// Forward returns the loss of logits, of shape (C), (N, C) or (N, C, *), and targets:
// class indices, or class probabilities of the logits' shape. It panics as F.CrossEntropy
// does.
func (l *CrossEntropyLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x, y, F.Weight(l.Weight), F.IgnoreIndex(l.IgnoreIndex),
			F.LabelSmoothing(l.LabelSmoothing), l.Reduction)
	})
}

// NLLLoss is F.NLLLoss as a module. Follows torch.nn.NLLLoss.
type NLLLoss struct {
	Base
	Weight      *torch.Tensor // a buffer, or nil
	IgnoreIndex int64
	Reduction   Reduction
}

// NewNLLLoss makes an NLLLoss. It panics with ErrValue for a reduction that the loss
// does not have. Follows torch.nn.NLLLoss.
func NewNLLLoss(opts ...NLLLossOption) *NLLLoss {
	const op = "NewNLLLoss"
	s := readLoss(op, lossOptions{ignore: -100}, opts)
	l := &NLLLoss{IgnoreIndex: s.ignore, Reduction: s.reduction}
	s.finish(l, op, &l.Weight, nil)
	return l
}

// Forward returns the loss of log probabilities, of shape (C), (N, C) or (N, C, *), and
// class indices. It panics as F.NLLLoss does.
func (l *NLLLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.NLLLoss(x, y, F.Weight(l.Weight), F.IgnoreIndex(l.IgnoreIndex), l.Reduction)
	})
}

// MSELoss is F.MSELoss as a module. Follows torch.nn.MSELoss.
type MSELoss struct {
	Base
	Reduction Reduction
}

// NewMSELoss makes an MSELoss. It panics with ErrValue for a reduction that the loss
// does not have. Follows torch.nn.MSELoss.
func NewMSELoss(opts ...LossOption) *MSELoss {
	const op = "NewMSELoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &MSELoss{Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.MSELoss does.
func (l *MSELoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.MSELoss(x, y, l.Reduction)
	})
}

// L1Loss is F.L1Loss as a module. Follows torch.nn.L1Loss.
type L1Loss struct {
	Base
	Reduction Reduction
}

// NewL1Loss makes an L1Loss. It panics with ErrValue for a reduction that the loss
// does not have. Follows torch.nn.L1Loss.
func NewL1Loss(opts ...LossOption) *L1Loss {
	const op = "NewL1Loss"
	s := readLoss(op, lossOptions{}, opts)
	l := &L1Loss{Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.L1Loss does.
func (l *L1Loss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.L1Loss(x, y, l.Reduction)
	})
}

// SmoothL1Loss is F.SmoothL1Loss as a module. Follows torch.nn.SmoothL1Loss.
type SmoothL1Loss struct {
	Base
	Beta      float64
	Reduction Reduction
}

// NewSmoothL1Loss makes a SmoothL1Loss. It panics with ErrValue for a reduction that
// the loss does not have. Follows torch.nn.SmoothL1Loss.
func NewSmoothL1Loss(opts ...SmoothL1LossOption) *SmoothL1Loss {
	const op = "NewSmoothL1Loss"
	s := readLoss(op, lossOptions{number: 1}, opts)
	l := &SmoothL1Loss{Beta: s.number, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.SmoothL1Loss does.
func (l *SmoothL1Loss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.SmoothL1Loss(x, y, F.Beta(l.Beta), l.Reduction)
	})
}

// HuberLoss is F.HuberLoss as a module. Follows torch.nn.HuberLoss.
type HuberLoss struct {
	Base
	Delta     float64
	Reduction Reduction
}

// NewHuberLoss makes a HuberLoss. It panics with ErrValue for a reduction that the
// loss does not have. Follows torch.nn.HuberLoss.
func NewHuberLoss(opts ...HuberLossOption) *HuberLoss {
	const op = "NewHuberLoss"
	s := readLoss(op, lossOptions{number: 1}, opts)
	l := &HuberLoss{Delta: s.number, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.HuberLoss does.
func (l *HuberLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.HuberLoss(x, y, F.Delta(l.Delta), l.Reduction)
	})
}

// BCELoss is F.BinaryCrossEntropy as a module. Follows torch.nn.BCELoss.
type BCELoss struct {
	Base
	Weight    *torch.Tensor // a buffer, or nil
	Reduction Reduction
}

// NewBCELoss makes a BCELoss. It panics with ErrValue for a reduction that the loss
// does not have. Follows torch.nn.BCELoss.
func NewBCELoss(opts ...BCELossOption) *BCELoss {
	const op = "NewBCELoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &BCELoss{Reduction: s.reduction}
	s.finish(l, op, &l.Weight, nil)
	return l
}

// Forward returns the loss of probabilities and targets of the same shape. It
// panics as F.BinaryCrossEntropy does.
func (l *BCELoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropy(x, y, F.Weight(l.Weight), l.Reduction)
	})
}

// BCEWithLogitsLoss is F.BinaryCrossEntropyWithLogits as a module.
// Follows torch.nn.BCEWithLogitsLoss.
type BCEWithLogitsLoss struct {
	Base
	Weight    *torch.Tensor // a buffer, or nil
	PosWeight *torch.Tensor // a buffer, or nil
	Reduction Reduction
}

// NewBCEWithLogitsLoss makes a BCEWithLogitsLoss. It panics with ErrValue for a
// reduction that the loss does not have. Follows torch.nn.BCEWithLogitsLoss.
func NewBCEWithLogitsLoss(opts ...BCEWithLogitsLossOption) *BCEWithLogitsLoss {
	const op = "NewBCEWithLogitsLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &BCEWithLogitsLoss{Reduction: s.reduction}
	s.finish(l, op, &l.Weight, &l.PosWeight)
	return l
}

// Forward returns the loss of logits and targets of the same shape. It panics
// as F.BinaryCrossEntropyWithLogits does.
func (l *BCEWithLogitsLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropyWithLogits(x, y, F.Weight(l.Weight), F.PosWeight(l.PosWeight), l.Reduction)
	})
}

// KLDivLoss is F.KLDiv as a module. Follows torch.nn.KLDivLoss.
type KLDivLoss struct {
	Base
	LogTarget bool
	Reduction Reduction
}

// NewKLDivLoss makes a KLDivLoss. It panics with ErrValue for a reduction that the
// loss does not have. Follows torch.nn.KLDivLoss.
func NewKLDivLoss(opts ...KLDivLossOption) *KLDivLoss {
	const op = "NewKLDivLoss"
	s := readLoss(op, lossOptions{}, opts)
	l := &KLDivLoss{LogTarget: s.logTarget, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of log probabilities and a target of the same shape.
// It panics as F.KLDiv does.
func (l *KLDivLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return callLayer2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.KLDiv(x, y, F.LogTarget(l.LogTarget), l.Reduction)
	})
}
