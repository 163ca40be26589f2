package special

import "github.com/gotorch/gotorch/torch"

// These are options of package torch, under the same names.
type (
	// DTypeOption selects the dtype of the computation: a [torch.DType].
	DTypeOption = torch.DTypeOption
	// DimsOption selects the dimensions to reduce: [Dim] or [Dims], [KeepDim].
	DimsOption = torch.DimsOption
	// LogitOption configures a logit: [Eps].
	LogitOption = torch.LogitOption
	// RoundOption configures rounding: [Decimals].
	RoundOption = torch.RoundOption

	// Decimals is the number of decimal places that [Round] keeps; a negative number
	// rounds to the left of the decimal point. decimals in Python; the default is 0.
	Decimals = torch.Decimals
	// Dim is the dimension to reduce; a negative one counts from the end.
	Dim = torch.Dim
	// Dims are the dimensions to reduce, for example Dims{0, -1}. By default all are
	// reduced.
	Dims = torch.Dims
	// Eps is the distance from 0 and 1 to which [Logit] clamps its argument. eps in
	// Python; the default, None, does not clamp.
	Eps = torch.Eps
	// KeepDim keeps reduced dimensions with size 1. keepdim in Python; the default is False.
	KeepDim = torch.KeepDim
)

// Logit returns log(input / (1 - input)). The result is NaN for input outside [0, 1].
// With [Eps], input is clamped first. See [torch.Tensor.Logit] for ownership and panics.
// Follows torch.special.logit.
func Logit(input *torch.Tensor, opts ...LogitOption) *torch.Tensor { return input.Logit(opts...) }

// Softmax returns exp(input) scaled to a sum of 1 along dim. See [torch.Tensor.Softmax]
// for ownership and panics. Follows torch.special.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...DTypeOption) *torch.Tensor {
	return input.Softmax(dim, opts...)
}

// LogSoftmax returns log(Softmax(input)), computed without underflow. See
// [torch.Tensor.LogSoftmax] for ownership and panics. Follows torch.special.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...DTypeOption) *torch.Tensor {
	return input.LogSoftmax(dim, opts...)
}

// Round returns input rounded to the nearest integer, ties to even, or to [Decimals]
// decimal places. See [torch.Tensor.Round] for ownership and panics. Follows
// torch.special.round.
func Round(input *torch.Tensor, opts ...RoundOption) *torch.Tensor { return input.Round(opts...) }

// Polygamma returns the n-th derivative of Digamma. See
// [torch.Tensor.Polygamma] for ownership and panics. Follows torch.special.polygamma.
func Polygamma(n int64, input *torch.Tensor) *torch.Tensor { return input.Polygamma(n) }

// Multigammaln returns the logarithm of the multivariate gamma function of dimension p.
// See [torch.Tensor.Mvlgamma] for ownership and panics. Follows
// torch.special.multigammaln.
func Multigammaln(input *torch.Tensor, p int64) *torch.Tensor { return input.Mvlgamma(p) }

// LogSumExp returns log(sum(exp(input))) over [Dim] or [Dims], without overflow. See
// [torch.Tensor.LogSumExp] for ownership and panics. Follows torch.special.logsumexp.
func LogSumExp(input *torch.Tensor, opts ...DimsOption) *torch.Tensor {
	return input.LogSumExp(opts...)
}
