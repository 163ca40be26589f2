package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Element-wise activations without numeric parameters. The functions that compute them
// are in package functional.

// ReLU is max(x, 0). Follows torch.nn.ReLU.
type ReLU struct {
	Base
	Inplace bool
}

// NewReLU makes a ReLU. Follows torch.nn.ReLU.
func NewReLU(opts ...InplaceOption) *ReLU {
	l := new(ReLU)
	l.Inplace = buildActivation(l, opts)
	return l
}

func (l *ReLU) describe() string { return describeInplace("", l.Inplace) }

// Forward applies F.ReLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.ReLU does.
func (l *ReLU) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("ReLU.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.ReLU, F.ReLU_)
}

// ReLU6 is min(max(x, 0), 6). Follows torch.nn.ReLU6.
type ReLU6 struct {
	Base
	Inplace bool
}

// NewReLU6 makes a ReLU6. Follows torch.nn.ReLU6.
func NewReLU6(opts ...InplaceOption) *ReLU6 {
	l := new(ReLU6)
	l.Inplace = buildActivation(l, opts)
	return l
}

func (l *ReLU6) describe() string { return describeInplace("", l.Inplace) }

// Forward applies F.ReLU6. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.ReLU6 does.
func (l *ReLU6) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("ReLU6.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.ReLU6, F.ReLU6_)
}

// SELU is the scaled exponential linear unit. Follows torch.nn.SELU.
type SELU struct {
	Base
	Inplace bool
}

// NewSELU makes a SELU. Follows torch.nn.SELU.
func NewSELU(opts ...InplaceOption) *SELU {
	l := new(SELU)
	l.Inplace = buildActivation(l, opts)
	return l
}

func (l *SELU) describe() string { return describeInplace("", l.Inplace) }

// Forward applies F.SELU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.SELU does.
func (l *SELU) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("SELU.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.SELU, F.SELU_)
}

// SiLU is x * sigmoid(x). Follows torch.nn.SiLU.
type SiLU struct {
	Base
	Inplace bool
}

// NewSiLU makes a SiLU. Follows torch.nn.SiLU.
func NewSiLU(opts ...InplaceOption) *SiLU {
	l := new(SiLU)
	l.Inplace = buildActivation(l, opts)
	return l
}

func (l *SiLU) describe() string { return describeInplace("", l.Inplace) }

// Forward applies F.SiLU. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.SiLU does.
func (l *SiLU) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("SiLU.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.SiLU, F.SiLU_)
}

// Mish is x * tanh(softplus(x)). Follows torch.nn.Mish.
type Mish struct {
	Base
	Inplace bool
}

// NewMish makes a Mish. Follows torch.nn.Mish.
func NewMish(opts ...InplaceOption) *Mish {
	l := new(Mish)
	l.Inplace = buildActivation(l, opts)
	return l
}

func (l *Mish) describe() string { return describeInplace("", l.Inplace) }

// Forward applies F.Mish. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Mish does.
func (l *Mish) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("Mish.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.Mish, F.Mish_)
}

// Hardswish is x * relu6(x + 3) / 6. Follows torch.nn.Hardswish.
type Hardswish struct {
	Base
	Inplace bool
}

// NewHardswish makes a Hardswish. Follows torch.nn.Hardswish.
func NewHardswish(opts ...InplaceOption) *Hardswish {
	l := new(Hardswish)
	l.Inplace = buildActivation(l, opts)
	return l
}

// Forward applies F.Hardswish. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Hardswish does.
func (l *Hardswish) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("Hardswish.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.Hardswish, F.Hardswish_)
}

// Hardsigmoid is relu6(x + 3) / 6. Follows torch.nn.Hardsigmoid.
type Hardsigmoid struct {
	Base
	Inplace bool
}

// NewHardsigmoid makes a Hardsigmoid. Follows torch.nn.Hardsigmoid.
func NewHardsigmoid(opts ...InplaceOption) *Hardsigmoid {
	l := new(Hardsigmoid)
	l.Inplace = buildActivation(l, opts)
	return l
}

// Forward applies F.Hardsigmoid. The result is a new tensor, or x itself with
// [Inplace]. It panics as F.Hardsigmoid does.
func (l *Hardsigmoid) Forward(x *torch.Tensor) *torch.Tensor {
	mustBeMade("Hardsigmoid.Forward", l)
	return callInplaceOr(l, x, l.Inplace, F.Hardsigmoid, F.Hardsigmoid_)
}

// Sigmoid is 1 / (1 + exp(-x)). Follows torch.nn.Sigmoid.
type Sigmoid struct{ Base }

// NewSigmoid makes a Sigmoid. Follows torch.nn.Sigmoid.
func NewSigmoid(opts ...InitOption) *Sigmoid {
	l := new(Sigmoid)
	l.buildPlain(l, opts)
	return l
}

// Forward applies F.Sigmoid. The result is a new tensor. It panics as F.Sigmoid does.
func (l *Sigmoid) Forward(x *torch.Tensor) *torch.Tensor { return callLayer(l, x, F.Sigmoid) }

// LogSigmoid is log(sigmoid(x)). Follows torch.nn.LogSigmoid.
type LogSigmoid struct{ Base }

// NewLogSigmoid makes a LogSigmoid. Follows torch.nn.LogSigmoid.
func NewLogSigmoid(opts ...InitOption) *LogSigmoid {
	l := new(LogSigmoid)
	l.buildPlain(l, opts)
	return l
}

// Forward applies F.LogSigmoid. The result is a new tensor. It panics as F.LogSigmoid does.
func (l *LogSigmoid) Forward(x *torch.Tensor) *torch.Tensor { return callLayer(l, x, F.LogSigmoid) }

// Tanh is the hyperbolic tangent. Follows torch.nn.Tanh.
type Tanh struct{ Base }

// NewTanh makes a Tanh. Follows torch.nn.Tanh.
func NewTanh(opts ...InitOption) *Tanh {
	l := new(Tanh)
	l.buildPlain(l, opts)
	return l
}

// Forward applies F.Tanh. The result is a new tensor. It panics as F.Tanh does.
func (l *Tanh) Forward(x *torch.Tensor) *torch.Tensor { return callLayer(l, x, F.Tanh) }

// Tanhshrink is x - tanh(x). Follows torch.nn.Tanhshrink.
type Tanhshrink struct{ Base }

// NewTanhshrink makes a Tanhshrink. Follows torch.nn.Tanhshrink.
func NewTanhshrink(opts ...InitOption) *Tanhshrink {
	l := new(Tanhshrink)
	l.buildPlain(l, opts)
	return l
}

// Forward applies F.Tanhshrink. The result is a new tensor. It panics as F.Tanhshrink does.
func (l *Tanhshrink) Forward(x *torch.Tensor) *torch.Tensor { return callLayer(l, x, F.Tanhshrink) }

// Softsign is x / (1 + |x|). Follows torch.nn.Softsign.
type Softsign struct{ Base }

// NewSoftsign makes a Softsign. Follows torch.nn.Softsign.
func NewSoftsign(opts ...InitOption) *Softsign {
	l := new(Softsign)
	l.buildPlain(l, opts)
	return l
}

// Forward applies F.Softsign. The result is a new tensor. It panics as F.Softsign does.
func (l *Softsign) Forward(x *torch.Tensor) *torch.Tensor { return callLayer(l, x, F.Softsign) }

// activationOptions holds the options common to several activations.
type activationOptions struct {
	inplace bool
	as      Registration
}

// read handles the options common to all activations.
func (a *activationOptions) read(op string, o any) {
	switch o := o.(type) {
	case Inplace:
		a.inplace = bool(o)
	case Registration:
		a.as = o
	default:
		panic(opt.Unknown(op, o))
	}
}

func (a *activationOptions) start(l Module) {
	l.ModuleBase().startLayer(l)
	a.as.register(l)
}

// buildActivation initializes an activation without numeric parameters and reports whether it
// works in place.
func buildActivation(l Module, opts []InplaceOption) bool {
	var a activationOptions
	for _, o := range opts {
		a.read("New"+goName(l), o)
	}
	a.start(l)
	return a.inplace
}

// callInplaceOr calls callLayer with fnInplace if inplace is true, and with fn
// otherwise.
func callInplaceOr(m Layer, x *torch.Tensor, inplace bool,
	fn, fnInplace func(x *torch.Tensor) *torch.Tensor,
) *torch.Tensor {
	if inplace {
		return callLayer(m, x, fnInplace)
	}
	return callLayer(m, x, fn)
}

// describeInplace formats a layer's arguments as Python prints them: its numeric
// arguments, already formatted as numbers, and its inplace flag.
func describeInplace(numbers string, inplace bool) string {
	switch {
	case !inplace:
		return numbers
	case numbers == "":
		return "inplace=True"
	}
	return numbers + ", inplace=True"
}
