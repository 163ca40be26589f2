package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// The relatives of ReLU.

// LeakyReLU is x where x is positive, and x times a slope elsewhere. Follows
// torch.nn.LeakyReLU.
type LeakyReLU struct {
	Base
	slope   float64
	inplace bool
}

// NewLeakyReLU makes a LeakyReLU. It panics with ErrNil for a nil
// option.
// Follows torch.nn.LeakyReLU.
func NewLeakyReLU(opts ...LeakyReLUOption) *LeakyReLU {
	const op = "NewLeakyReLU"
	l := &LeakyReLU{slope: 0.01}
	var a acting
	for _, o := range opts {
		switch o := o.(type) {
		case NegativeSlope:
			l.slope = float64(o)
		default:
			a.read(op, o)
		}
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("negative_slope=%s", tensorfmt.PyFloat(l.slope)))
	return l
}

// Forward applies F.LeakyReLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.LeakyReLU does.
func (l *LeakyReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.LeakyReLU_(x, F.NegativeSlope(l.slope))
		}
		return F.LeakyReLU(x, F.NegativeSlope(l.slope))
	})
}

// ELU is x where x is positive, and Alpha * (exp(x) - 1) elsewhere. Follows
// torch.nn.ELU.
type ELU struct {
	Base
	alpha   float64
	inplace bool
}

// NewELU makes a ELU. It panics with ErrNil for a nil
// option.
// Follows torch.nn.ELU.
func NewELU(opts ...ELUOption) *ELU {
	const op = "NewELU"
	l := &ELU{alpha: 1}
	var a acting
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			l.alpha = float64(o)
		default:
			a.read(op, o)
		}
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("alpha=%s", tensorfmt.PyFloat(l.alpha)))
	return l
}

// Forward applies F.ELU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.ELU does.
func (l *ELU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.ELU_(x, F.Alpha(l.alpha))
		}
		return F.ELU(x, F.Alpha(l.alpha))
	})
}

// CELU is max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1)). Follows torch.nn.CELU.
type CELU struct {
	Base
	alpha   float64
	inplace bool
}

// NewCELU makes a CELU. It panics with ErrNil for a nil
// option.
// Follows torch.nn.CELU.
func NewCELU(opts ...ELUOption) *CELU {
	const op = "NewCELU"
	l := &CELU{alpha: 1}
	var a acting
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			l.alpha = float64(o)
		default:
			a.read(op, o)
		}
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("alpha=%s", tensorfmt.PyFloat(l.alpha)))
	return l
}

// Forward applies F.CELU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.CELU does.
func (l *CELU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.CELU_(x, F.Alpha(l.alpha))
		}
		return F.CELU(x, F.Alpha(l.alpha))
	})
}

// RReLU is x where x is positive, and x times a slope elsewhere, which each element
// draws in training. Follows torch.nn.RReLU.
type RReLU struct {
	Base
	lower, upper float64
	inplace      bool
}

// NewRReLU makes a RReLU. It panics with ErrNil for a nil
// option.
// Follows torch.nn.RReLU.
func NewRReLU(opts ...RReLUOption) *RReLU {
	const op = "NewRReLU"
	l := &RReLU{lower: 1.0 / 8, upper: 1.0 / 3}
	var a acting
	for _, o := range opts {
		switch o := o.(type) {
		case Lower:
			l.lower = float64(o)
		case Upper:
			l.upper = float64(o)
		default:
			a.read(op, o)
		}
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("lower=%s, upper=%s", tensorfmt.PyFloat(l.lower), tensorfmt.PyFloat(l.upper)))
	return l
}

// Forward applies F.RReLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.RReLU does.
func (l *RReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.RReLU_(x, F.Lower(l.lower), F.Upper(l.upper), F.Training(l.IsTraining()))
		}
		return F.RReLU(x, F.Lower(l.lower), F.Upper(l.upper), F.Training(l.IsTraining()))
	})
}

// Hardtanh limits x to the range from MinVal to MaxVal. Follows torch.nn.Hardtanh.
type Hardtanh struct {
	Base
	min, max float64
	inplace  bool
}

// NewHardtanh makes a Hardtanh. It panics with ErrValue unless [MinVal] is
// below [MaxVal] and with ErrNil for a nil option.
// Follows torch.nn.Hardtanh.
func NewHardtanh(opts ...HardtanhOption) *Hardtanh {
	const op = "NewHardtanh"
	l := &Hardtanh{min: -1, max: 1}
	var a acting
	for _, o := range opts {
		switch o := o.(type) {
		case MinVal:
			l.min = float64(o)
		case MaxVal:
			l.max = float64(o)
		default:
			a.read(op, o)
		}
	}
	if !(l.min < l.max) {
		panic(torch.NewError(op, torch.ErrValue, "MinVal", fmt.Sprintf("expected less than MaxVal, which is %v, got %v", l.max, l.min)))
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("min_val=%s, max_val=%s", tensorfmt.PyFloat(l.min), tensorfmt.PyFloat(l.max)))
	return l
}

// Forward applies F.Hardtanh. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Hardtanh does.
func (l *Hardtanh) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.Hardtanh_(x, F.MinVal(l.min), F.MaxVal(l.max))
		}
		return F.Hardtanh(x, F.MinVal(l.min), F.MaxVal(l.max))
	})
}

// Threshold is x where it exceeds a threshold, and a value elsewhere. Follows
// torch.nn.Threshold.
type Threshold struct {
	Base
	threshold, value float64
	inplace          bool
}

// NewThreshold makes a Threshold. It panics with ErrNil for a nil
// option.
// Follows torch.nn.Threshold.
func NewThreshold(threshold, value float64, opts ...InplaceOption) *Threshold {
	const op = "NewThreshold"
	l := &Threshold{threshold: threshold, value: value}
	var a acting
	for _, o := range opts {
		a.read(op, o)
	}
	l.inplace = a.inplace
	a.start(l, fmt.Sprintf("threshold=%s, value=%s", tensorfmt.PyFloat(l.threshold), tensorfmt.PyFloat(l.value)))
	return l
}

// Forward applies F.Threshold. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Threshold does.
func (l *Threshold) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.inplace {
			return F.Threshold_(x, l.threshold, l.value)
		}
		return F.Threshold(x, l.threshold, l.value)
	})
}

// PReLU is x where x is positive, and x times a learned slope elsewhere. Follows
// torch.nn.PReLU.
type PReLU struct {
	Base
	Weight *torch.Tensor // the slopes, (NumParameters)
	init   float64
}

// NewPReLU makes a PReLU with [NumParameters] slopes, by default one, that start as
// [Init]. It panics with ErrValue for a number of slopes that is negative or too
// large, with ErrOutOfMemory, and with ErrNil for a nil option. Follows
// torch.nn.PReLU.
func NewPReLU(opts ...PReLUOption) *PReLU {
	const op = "NewPReLU"
	n := int64(1)
	l := &PReLU{init: 0.25}
	var made making
	for _, o := range opts {
		switch o := o.(type) {
		case NumParameters:
			n = int64(o)
		case Init:
			l.init = float64(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, size{"NumParameters", n})
	l.start(l)
	returned := false
	defer made.undo(&l.Base, &returned)
	l.parameter("weight", &l.Weight, made.empty(n))
	l.ResetParameters()
	l.extraf("num_parameters=%d", n)
	made.as.register(l)
	returned = true
	return l
}

// ResetParameters sets Weight to [Init]. Follows reset_parameters.
func (l *PReLU) ResetParameters() { nninit.Constant_(l.Weight, l.init) }

// Forward takes x of shape (N, C, *), with C slopes or one. It panics as F.PReLU
// does.
func (l *PReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.PReLU(x, l.Weight) })
}
