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
func NewCrossEntropyLoss(opts ...F.CrossEntropyOptions) *Criterion {
	o := option("NewCrossEntropyLoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.CrossEntropy(x, y, o) })
}

// NewNLLLoss makes F.NLLLoss a module. Follows torch.nn.NLLLoss.
func NewNLLLoss(opts ...F.NLLLossOptions) *Criterion {
	o := option("NewNLLLoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.NLLLoss(x, y, o) })
}

// NewMSELoss makes F.MSELoss a module. Follows torch.nn.MSELoss.
func NewMSELoss(reduction ...F.Reduction) *Criterion {
	r := option("NewMSELoss", reduction)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.MSELoss(x, y, r) })
}

// NewL1Loss makes F.L1Loss a module. Follows torch.nn.L1Loss.
func NewL1Loss(reduction ...F.Reduction) *Criterion {
	r := option("NewL1Loss", reduction)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.L1Loss(x, y, r) })
}

// NewSmoothL1Loss makes F.SmoothL1Loss a module. Follows
// torch.nn.SmoothL1Loss.
func NewSmoothL1Loss(opts ...F.SmoothL1Options) *Criterion {
	o := option("NewSmoothL1Loss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.SmoothL1Loss(x, y, o) })
}

// NewHuberLoss makes F.HuberLoss a module. Follows torch.nn.HuberLoss.
func NewHuberLoss(opts ...F.HuberOptions) *Criterion {
	o := option("NewHuberLoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.HuberLoss(x, y, o) })
}

// NewBCELoss makes F.BCELoss a module. Follows torch.nn.BCELoss.
func NewBCELoss(opts ...F.BCEOptions) *Criterion {
	o := option("NewBCELoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.BCELoss(x, y, o) })
}

// NewBCEWithLogitsLoss makes F.BCEWithLogits a module. Follows
// torch.nn.BCEWithLogitsLoss.
func NewBCEWithLogitsLoss(opts ...F.BCEWithLogitsOptions) *Criterion {
	o := option("NewBCEWithLogitsLoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.BCEWithLogits(x, y, o) })
}

// NewKLDivLoss makes F.KLDiv a module. Follows torch.nn.KLDivLoss.
func NewKLDivLoss(opts ...F.KLDivOptions) *Criterion {
	o := option("NewKLDivLoss", opts)
	return criterion(func(x, y *torch.Tensor) *torch.Tensor { return F.KLDiv(x, y, o) })
}
