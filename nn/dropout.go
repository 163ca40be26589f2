package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Dropout zeroes random elements in training. Follows torch.nn.Dropout.
type Dropout struct {
	Base
	P       float64
	Inplace bool
}

// NewDropout makes a Dropout with probability p; Python's default is 0.5. It panics
// with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout.
func NewDropout(p float64, opts ...InplaceOption) *Dropout {
	l := &Dropout{P: p}
	l.Inplace = buildDropout(l, p, opts)
	return l
}

func (l *Dropout) describe() string { return describeDropout(l.P, l.Inplace) }

// Forward zeroes random elements in training, and returns x unchanged in evaluation.
// x has any shape. With [Inplace] it modifies x and returns it. It panics as
// F.Dropout does.
func (l *Dropout) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Dropout_(x, F.P(l.P), F.Training(l.Training()))
		}
		return F.Dropout(x, F.P(l.P), F.Training(l.Training()))
	})
}

// Dropout1d zeroes random channels in training. Follows torch.nn.Dropout1d.
type Dropout1d struct {
	Base
	P       float64
	Inplace bool
}

// NewDropout1d makes a Dropout1d with probability p; Python's default is 0.5. It
// panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout1d.
func NewDropout1d(p float64, opts ...InplaceOption) *Dropout1d {
	l := &Dropout1d{P: p}
	l.Inplace = buildDropout(l, p, opts)
	return l
}

func (l *Dropout1d) describe() string { return describeDropout(l.P, l.Inplace) }

// Forward zeroes random channels in training, and returns x unchanged in evaluation.
// x has shape (N, C, L) or (C, L). With [Inplace] it modifies x and returns it. It
// panics as F.Dropout1d does.
func (l *Dropout1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Dropout1d_(x, F.P(l.P), F.Training(l.Training()))
		}
		return F.Dropout1d(x, F.P(l.P), F.Training(l.Training()))
	})
}

// Dropout2d zeroes random channels in training. Follows torch.nn.Dropout2d.
type Dropout2d struct {
	Base
	P       float64
	Inplace bool
}

// NewDropout2d makes a Dropout2d with probability p; Python's default is 0.5. It
// panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout2d.
func NewDropout2d(p float64, opts ...InplaceOption) *Dropout2d {
	l := &Dropout2d{P: p}
	l.Inplace = buildDropout(l, p, opts)
	return l
}

func (l *Dropout2d) describe() string { return describeDropout(l.P, l.Inplace) }

// Forward zeroes random channels in training, and returns x unchanged in evaluation.
// x has shape (N, C, *). With [Inplace] it modifies x and returns it. It panics as
// F.Dropout2d does.
func (l *Dropout2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Dropout2d_(x, F.P(l.P), F.Training(l.Training()))
		}
		return F.Dropout2d(x, F.P(l.P), F.Training(l.Training()))
	})
}

// Dropout3d zeroes random channels in training. Follows torch.nn.Dropout3d.
type Dropout3d struct {
	Base
	P       float64
	Inplace bool
}

// NewDropout3d makes a Dropout3d with probability p; Python's default is 0.5. It
// panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.Dropout3d.
func NewDropout3d(p float64, opts ...InplaceOption) *Dropout3d {
	l := &Dropout3d{P: p}
	l.Inplace = buildDropout(l, p, opts)
	return l
}

func (l *Dropout3d) describe() string { return describeDropout(l.P, l.Inplace) }

// Forward zeroes random channels in training, and returns x unchanged in evaluation.
// x has shape (N, C, D, H, W) or (C, D, H, W). With [Inplace] it modifies x and
// returns it. It panics as F.Dropout3d does.
func (l *Dropout3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Dropout3d_(x, F.P(l.P), F.Training(l.Training()))
		}
		return F.Dropout3d(x, F.P(l.P), F.Training(l.Training()))
	})
}

// AlphaDropout is dropout for the outputs of SELU: it keeps their mean and variance.
// Follows torch.nn.AlphaDropout.
type AlphaDropout struct {
	Base
	P float64
}

// NewAlphaDropout makes an AlphaDropout with probability p; Python's default is 0.5.
// It panics with ErrValue unless 0 <= p <= 1. Follows torch.nn.AlphaDropout, without
// its inplace argument, which has no effect.
func NewAlphaDropout(p float64, opts ...InitOption) *AlphaDropout {
	mustBeProbability("NewAlphaDropout", "p", p)
	l := &AlphaDropout{P: p}
	l.buildPlain(l, opts)
	return l
}

func (l *AlphaDropout) describe() string { return describeDropout(l.P, false) }

// Forward drops random elements in training, and returns x unchanged in evaluation. x
// has any shape. It panics as F.AlphaDropout does.
func (l *AlphaDropout) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.AlphaDropout(x, F.P(l.P), F.Training(l.Training()))
	})
}

// FeatureAlphaDropout is dropout of whole channels for the outputs of SELU: it keeps
// their mean and variance. Follows torch.nn.FeatureAlphaDropout.
type FeatureAlphaDropout struct {
	Base
	P float64
}

// NewFeatureAlphaDropout makes a FeatureAlphaDropout with probability p; Python's
// default is 0.5. It panics with ErrValue unless 0 <= p <= 1.
// Follows torch.nn.FeatureAlphaDropout, without its inplace argument, which has no effect.
func NewFeatureAlphaDropout(p float64, opts ...InitOption) *FeatureAlphaDropout {
	mustBeProbability("NewFeatureAlphaDropout", "p", p)
	l := &FeatureAlphaDropout{P: p}
	l.buildPlain(l, opts)
	return l
}

func (l *FeatureAlphaDropout) describe() string { return describeDropout(l.P, false) }

// Forward drops random channels in training, and returns x unchanged in evaluation. x
// has shape (N, C, *). It panics as F.FeatureAlphaDropout does.
func (l *FeatureAlphaDropout) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.FeatureAlphaDropout(x, F.P(l.P), F.Training(l.Training()))
	})
}

// buildDropout initializes a dropout layer and reports whether it works in place.
func buildDropout(l Module, p float64, opts []InplaceOption) bool {
	mustBeProbability("New"+goName(l), "p", p)
	return buildActivation(l, opts)
}

func describeDropout(p float64, inplace bool) string {
	return fmt.Sprintf("p=%s, inplace=%s", tensorfmt.PyFloat(p), tensorfmt.PyBool(inplace))
}

func mustBeProbability(op, arg string, p float64) {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a probability between 0 and 1, got %v", p)))
	}
}
