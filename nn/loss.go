package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Criterion is a loss as a module: settings, and a Forward of an input and a
// target. The functions of package functional do the same without an object.
type Criterion struct {
	Base
	f func(input, target *torch.Tensor) *torch.Tensor
}

// Forward returns the loss of input against target.
func (c *Criterion) Forward(input, target *torch.Tensor) *torch.Tensor { return c.f(input, target) }

func criterion(f func(input, target *torch.Tensor) *torch.Tensor) *Criterion {
	return &Criterion{f: f}
}

// NewCrossEntropyLoss makes F.CrossEntropy a module; a class weight in the
// options stays the caller's. Follows torch.nn.CrossEntropyLoss.
func NewCrossEntropyLoss(opts ...F.CrossEntropyOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.CrossEntropy(x, y, opts...) })
}

// NewNLLLoss makes F.NLLLoss a module. Follows torch.nn.NLLLoss.
func NewNLLLoss(opts ...F.NLLLossOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.NLLLoss(x, y, opts...) })
}

// NewMSELoss makes F.MSELoss a module. Follows torch.nn.MSELoss.
func NewMSELoss(opts ...F.LossOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.MSELoss(x, y, opts...) })
}

// NewL1Loss makes F.L1Loss a module. Follows torch.nn.L1Loss.
func NewL1Loss(opts ...F.LossOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.L1Loss(x, y, opts...) })
}

// NewSmoothL1Loss makes F.SmoothL1Loss a module. Follows
// torch.nn.SmoothL1Loss.
func NewSmoothL1Loss(opts ...F.SmoothL1LossOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.SmoothL1Loss(x, y, opts...) })
}

// NewHuberLoss makes F.HuberLoss a module. Follows torch.nn.HuberLoss.
func NewHuberLoss(opts ...F.HuberLossOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.HuberLoss(x, y, opts...) })
}

// NewBCELoss makes F.BinaryCrossEntropy a module. Follows torch.nn.BCELoss.
func NewBCELoss(opts ...F.BCEOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.BinaryCrossEntropy(x, y, opts...) })
}

// NewBCEWithLogitsLoss makes F.BinaryCrossEntropyWithLogits a module. Follows
// torch.nn.BCEWithLogitsLoss.
func NewBCEWithLogitsLoss(opts ...F.BCEWithLogitsOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.BinaryCrossEntropyWithLogits(x, y, opts...) })
}

// NewKLDivLoss makes F.KLDiv a module. Follows torch.nn.KLDivLoss.
func NewKLDivLoss(opts ...F.KLDivOption) *Criterion {
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.KLDiv(x, y, opts...) })
}
