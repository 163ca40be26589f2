package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// CrossEntropyLoss is F.CrossEntropy as a module. Follows torch.nn.CrossEntropyLoss.
type CrossEntropyLoss struct {
	Base
	Weight *torch.Tensor // a buffer, or nil
	o      lossOptions
}

// NewCrossEntropyLoss makes a CrossEntropyLoss. It panics with ErrValue for a
// reduction that the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.CrossEntropyLoss.
func NewCrossEntropyLoss(opts ...CrossEntropyLossOption) *CrossEntropyLoss {
	l := &CrossEntropyLoss{o: lossOptions{reduction: ReductionMean, ignore: -100}}
	for _, o := range opts {
		l.o.read("NewCrossEntropyLoss", o)
	}
	l.o.finish(l, "NewCrossEntropyLoss", &l.Weight, nil)
	return l
}

// Forward returns the loss of logits, of shape (C), (N, C) or (N, C, *), and
// targets: class numbers, or class probabilities of the logits' shape. It
// panics as F.CrossEntropy does.
func (l *CrossEntropyLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(x, y, F.Weight(l.Weight), F.IgnoreIndex(l.o.ignore), F.LabelSmoothing(l.o.smoothing), l.o.reduction)
	})
}

// NLLLoss is F.NLLLoss as a module. Follows torch.nn.NLLLoss.
type NLLLoss struct {
	Base
	Weight *torch.Tensor // a buffer, or nil
	o      lossOptions
}

// NewNLLLoss makes an NLLLoss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.NLLLoss.
func NewNLLLoss(opts ...NLLLossOption) *NLLLoss {
	l := &NLLLoss{o: lossOptions{reduction: ReductionMean, ignore: -100}}
	for _, o := range opts {
		l.o.read("NewNLLLoss", o)
	}
	l.o.finish(l, "NewNLLLoss", &l.Weight, nil)
	return l
}

// Forward returns the loss of log probabilities, of shape (C), (N, C) or (N, C,
// *), and class numbers. It panics as F.NLLLoss does.
func (l *NLLLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.NLLLoss(x, y, F.Weight(l.Weight), F.IgnoreIndex(l.o.ignore), l.o.reduction)
	})
}

// MSELoss is F.MSELoss as a module. Follows torch.nn.MSELoss.
type MSELoss struct {
	Base
	o lossOptions
}

// NewMSELoss makes an MSELoss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.MSELoss.
func NewMSELoss(opts ...LossOption) *MSELoss {
	l := &MSELoss{o: lossOptions{reduction: ReductionMean}}
	for _, o := range opts {
		l.o.read("NewMSELoss", o)
	}
	l.o.finish(l, "NewMSELoss", nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.MSELoss does.
func (l *MSELoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.MSELoss(x, y, l.o.reduction)
	})
}

// L1Loss is F.L1Loss as a module. Follows torch.nn.L1Loss.
type L1Loss struct {
	Base
	o lossOptions
}

// NewL1Loss makes an L1Loss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.L1Loss.
func NewL1Loss(opts ...LossOption) *L1Loss {
	l := &L1Loss{o: lossOptions{reduction: ReductionMean}}
	for _, o := range opts {
		l.o.read("NewL1Loss", o)
	}
	l.o.finish(l, "NewL1Loss", nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.L1Loss does.
func (l *L1Loss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.L1Loss(x, y, l.o.reduction)
	})
}

// SmoothL1Loss is F.SmoothL1Loss as a module. Follows torch.nn.SmoothL1Loss.
type SmoothL1Loss struct {
	Base
	o lossOptions
}

// NewSmoothL1Loss makes a SmoothL1Loss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.SmoothL1Loss.
func NewSmoothL1Loss(opts ...SmoothL1LossOption) *SmoothL1Loss {
	l := &SmoothL1Loss{o: lossOptions{reduction: ReductionMean, number: 1}}
	for _, o := range opts {
		l.o.read("NewSmoothL1Loss", o)
	}
	l.o.finish(l, "NewSmoothL1Loss", nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.SmoothL1Loss does.
func (l *SmoothL1Loss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.SmoothL1Loss(x, y, F.Beta(l.o.number), l.o.reduction)
	})
}

// HuberLoss is F.HuberLoss as a module. Follows torch.nn.HuberLoss.
type HuberLoss struct {
	Base
	o lossOptions
}

// NewHuberLoss makes a HuberLoss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.HuberLoss.
func NewHuberLoss(opts ...HuberLossOption) *HuberLoss {
	l := &HuberLoss{o: lossOptions{reduction: ReductionMean, number: 1}}
	for _, o := range opts {
		l.o.read("NewHuberLoss", o)
	}
	l.o.finish(l, "NewHuberLoss", nil, nil)
	return l
}

// Forward returns the loss of an input and a target of the same shape. It
// panics as F.HuberLoss does.
func (l *HuberLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.HuberLoss(x, y, F.Delta(l.o.number), l.o.reduction)
	})
}

// BCELoss is F.BinaryCrossEntropy as a module. Follows torch.nn.BCELoss.
type BCELoss struct {
	Base
	Weight *torch.Tensor // a buffer, or nil
	o      lossOptions
}

// NewBCELoss makes a BCELoss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.BCELoss.
func NewBCELoss(opts ...BCELossOption) *BCELoss {
	l := &BCELoss{o: lossOptions{reduction: ReductionMean}}
	for _, o := range opts {
		l.o.read("NewBCELoss", o)
	}
	l.o.finish(l, "NewBCELoss", &l.Weight, nil)
	return l
}

// Forward returns the loss of probabilities and targets of the same shape. It
// panics as F.BinaryCrossEntropy does.
func (l *BCELoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropy(x, y, F.Weight(l.Weight), l.o.reduction)
	})
}

// BCEWithLogitsLoss is F.BinaryCrossEntropyWithLogits as a module. Follows
// torch.nn.BCEWithLogitsLoss.
type BCEWithLogitsLoss struct {
	Base
	Weight    *torch.Tensor // a buffer, or nil
	PosWeight *torch.Tensor // a buffer, or nil
	o         lossOptions
}

// NewBCEWithLogitsLoss makes a BCEWithLogitsLoss. It panics with ErrValue for a
// reduction that the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.BCEWithLogitsLoss.
func NewBCEWithLogitsLoss(opts ...BCEWithLogitsLossOption) *BCEWithLogitsLoss {
	l := &BCEWithLogitsLoss{o: lossOptions{reduction: ReductionMean}}
	for _, o := range opts {
		l.o.read("NewBCEWithLogitsLoss", o)
	}
	l.o.finish(l, "NewBCEWithLogitsLoss", &l.Weight, &l.PosWeight)
	return l
}

// Forward returns the loss of logits and targets of the same shape. It panics
// as F.BinaryCrossEntropyWithLogits does.
func (l *BCEWithLogitsLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.BinaryCrossEntropyWithLogits(x, y, F.Weight(l.Weight), F.PosWeight(l.PosWeight), l.o.reduction)
	})
}

// KLDivLoss is F.KLDiv as a module. Follows torch.nn.KLDivLoss.
type KLDivLoss struct {
	Base
	o lossOptions
}

// NewKLDivLoss makes a KLDivLoss. It panics with ErrValue for a reduction that
// the loss does not have and with ErrNil for a nil option. Follows
// torch.nn.KLDivLoss.
func NewKLDivLoss(opts ...KLDivLossOption) *KLDivLoss {
	l := &KLDivLoss{o: lossOptions{reduction: ReductionMean}}
	for _, o := range opts {
		l.o.read("NewKLDivLoss", o)
	}
	l.o.finish(l, "NewKLDivLoss", nil, nil)
	return l
}

// Forward returns the loss of log probabilities and a target of the same shape.
// It panics as F.KLDiv does.
func (l *KLDivLoss) Forward(input, target *torch.Tensor) *torch.Tensor {
	return leaf2(l, input, target, func(x, y *torch.Tensor) *torch.Tensor {
		return F.KLDiv(x, y, F.LogTarget(l.o.logTarget), l.o.reduction)
	})
}
