package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Activations related to ReLU.

// LeakyReLU is x where x is positive and x times a slope elsewhere.
// Follows torch.nn.LeakyReLU.
type LeakyReLU struct {
	Base
	NegativeSlope float64
	Inplace       bool
}

// NewLeakyReLU makes a LeakyReLU. Python's default slope is 0.01.
// Follows torch.nn.LeakyReLU.
func NewLeakyReLU(negativeSlope float64, opts ...InplaceOption) *LeakyReLU {
	const op = "NewLeakyReLU"
	l := &LeakyReLU{NegativeSlope: negativeSlope}
	var a activationOptions
	for _, o := range opts {
		a.read(op, o)
	}
	l.Inplace = a.inplace
	a.start(l)
	return l
}

func (l *LeakyReLU) describe() string {
	return describeInplace(fmt.Sprintf("negative_slope=%s", tensorfmt.PyFloat(l.NegativeSlope)), l.Inplace)
}

// Forward applies F.LeakyReLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.LeakyReLU does.
func (l *LeakyReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.LeakyReLU_(x, F.NegativeSlope(l.NegativeSlope))
		}
		return F.LeakyReLU(x, F.NegativeSlope(l.NegativeSlope))
	})
}

// ELU is x where x is positive, and Alpha * (exp(x) - 1) elsewhere.
// Follows torch.nn.ELU.
type ELU struct {
	Base
	Alpha   float64
	Inplace bool
}

// NewELU makes an ELU. Follows torch.nn.ELU.
func NewELU(opts ...ELUOption) *ELU {
	const op = "NewELU"
	var a activationOptions
	l := &ELU{Alpha: float64(opt.ReadOr(op, opts, a.read, Alpha(1)))}
	l.Inplace = a.inplace
	a.start(l)
	return l
}

func (l *ELU) describe() string {
	return describeInplace(fmt.Sprintf("alpha=%s", tensorfmt.PyFloat(l.Alpha)), l.Inplace)
}

// Forward applies F.ELU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.ELU does.
func (l *ELU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.ELU_(x, F.Alpha(l.Alpha))
		}
		return F.ELU(x, F.Alpha(l.Alpha))
	})
}

// CELU is max(0, x) + min(0, Alpha * (exp(x / Alpha) - 1)). Follows torch.nn.CELU.
type CELU struct {
	Base
	Alpha   float64
	Inplace bool
}

// NewCELU makes a CELU. Follows torch.nn.CELU.
func NewCELU(opts ...ELUOption) *CELU {
	const op = "NewCELU"
	var a activationOptions
	l := &CELU{Alpha: float64(opt.ReadOr(op, opts, a.read, Alpha(1)))}
	l.Inplace = a.inplace
	a.start(l)
	return l
}

func (l *CELU) describe() string {
	return describeInplace(fmt.Sprintf("alpha=%s", tensorfmt.PyFloat(l.Alpha)), l.Inplace)
}

// Forward applies F.CELU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.CELU does.
func (l *CELU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.CELU_(x, F.Alpha(l.Alpha))
		}
		return F.CELU(x, F.Alpha(l.Alpha))
	})
}

// RReLU is x where x is positive and x times a slope elsewhere. In training, the slope of
// each element is random. Follows torch.nn.RReLU.
type RReLU struct {
	Base
	Lower, Upper float64
	Inplace      bool
}

// NewRReLU makes an RReLU. Follows torch.nn.RReLU.
func NewRReLU(opts ...RReLUOption) *RReLU {
	const op = "NewRReLU"
	var a activationOptions
	lower, upper := opt.ReadOr2(op, opts, a.read, Lower(1.0/8), Upper(1.0/3))
	l := &RReLU{Lower: float64(lower), Upper: float64(upper), Inplace: a.inplace}
	a.start(l)
	return l
}

func (l *RReLU) describe() string {
	return describeInplace(fmt.Sprintf("lower=%s, upper=%s", tensorfmt.PyFloat(l.Lower), tensorfmt.PyFloat(l.Upper)),
		l.Inplace)
}

// Forward applies F.RReLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.RReLU does.
func (l *RReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.RReLU_(x, F.Lower(l.Lower), F.Upper(l.Upper), F.Training(l.Training()))
		}
		return F.RReLU(x, F.Lower(l.Lower), F.Upper(l.Upper), F.Training(l.Training()))
	})
}

// Hardtanh limits x to the range from MinVal to MaxVal. Follows torch.nn.Hardtanh.
type Hardtanh struct {
	Base
	MinVal, MaxVal float64
	Inplace        bool
}

// NewHardtanh makes a Hardtanh. It panics with ErrValue unless [MinVal] is below
// [MaxVal]. Follows torch.nn.Hardtanh.
func NewHardtanh(opts ...HardtanhOption) *Hardtanh {
	const op = "NewHardtanh"
	var a activationOptions
	lo, hi := opt.ReadOr2(op, opts, a.read, MinVal(-1), MaxVal(1))
	l := &Hardtanh{MinVal: float64(lo), MaxVal: float64(hi), Inplace: a.inplace}
	if !(l.MinVal < l.MaxVal) {
		panic(torch.NewError(op, torch.ErrValue, "MinVal",
			fmt.Sprintf("expected less than MaxVal, which is %v, got %v", l.MaxVal, l.MinVal)))
	}
	a.start(l)
	return l
}

func (l *Hardtanh) describe() string {
	return describeInplace(fmt.Sprintf("min_val=%s, max_val=%s", tensorfmt.PyFloat(l.MinVal),
		tensorfmt.PyFloat(l.MaxVal)), l.Inplace)
}

// Forward applies F.Hardtanh. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Hardtanh does.
func (l *Hardtanh) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Hardtanh_(x, F.MinVal(l.MinVal), F.MaxVal(l.MaxVal))
		}
		return F.Hardtanh(x, F.MinVal(l.MinVal), F.MaxVal(l.MaxVal))
	})
}

// Threshold is x where it exceeds a threshold, and a value elsewhere.
// Follows torch.nn.Threshold.
type Threshold struct {
	Base
	Threshold, Value float64
	Inplace          bool
}

// NewThreshold makes a Threshold. Follows torch.nn.Threshold.
func NewThreshold(threshold, value float64, opts ...InplaceOption) *Threshold {
	const op = "NewThreshold"
	l := &Threshold{Threshold: threshold, Value: value}
	var a activationOptions
	for _, o := range opts {
		a.read(op, o)
	}
	l.Inplace = a.inplace
	a.start(l)
	return l
}

func (l *Threshold) describe() string {
	return describeInplace(fmt.Sprintf("threshold=%s, value=%s", tensorfmt.PyFloat(l.Threshold),
		tensorfmt.PyFloat(l.Value)), l.Inplace)
}

// Forward applies F.Threshold. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Threshold does.
func (l *Threshold) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		if l.Inplace {
			return F.Threshold_(x, l.Threshold, l.Value)
		}
		return F.Threshold(x, l.Threshold, l.Value)
	})
}

// PReLU is x where x is positive, and x times a learned slope elsewhere.
// Follows torch.nn.PReLU.
type PReLU struct {
	Base
	Weight        *torch.Tensor // the slopes, of shape (NumParameters)
	NumParameters int64
	init          float64
}

// NewPReLU makes a PReLU with [NumParameters] slopes, 1 by default, whose initial
// value is [Init]. It panics with ErrValue for a number of slopes that is negative or
// too large. Follows torch.nn.PReLU.
func NewPReLU(opts ...PReLUOption) *PReLU {
	const op = "NewPReLU"
	var maker paramMaker
	n, first := opt.ReadOr2(op, opts, maker.read, NumParameters(1), Init(0.25))
	l := &PReLU{NumParameters: int64(n), init: float64(first)}
	maker.setSizes(op, size{"NumParameters", l.NumParameters})
	l.startLayer(l)
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.empty(l.NumParameters))
	l.ResetParameters()
	maker.as.register(l)
	returned = true
	return l
}

func (l *PReLU) describe() string { return fmt.Sprintf("num_parameters=%d", l.NumParameters) }

// ResetParameters sets Weight to [Init]. Follows reset_parameters.
func (l *PReLU) ResetParameters() {
	mustBeMade("PReLU.ResetParameters", l)
	nninit.Constant_(l.Weight, l.init)
}

// Forward takes x of shape (N, C, *), where the number of slopes is 1 or C. It panics
// as F.PReLU does.
func (l *PReLU) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.PReLU(x, l.Weight) })
}
