package special

import "github.com/gotorch/gotorch/torch"

// Options, which are those of the methods of package torch that the functions
// call.
type (
	// DTypeOption says in which dtype a function computes: a [torch.DType].
	DTypeOption = torch.DTypeOption
	// DimsOption says what a function reduces: [Dim] or [Dims], [KeepDim].
	DimsOption = torch.DimsOption
	// LogitOption says how a logit is computed: [Eps].
	LogitOption = torch.LogitOption
	// RoundOption says how numbers are rounded: [Decimals].
	RoundOption = torch.RoundOption

	// Decimals is the number of places after the point that [Round] keeps; a
	// negative number rounds before it. decimals in Python, 0 unless given.
	Decimals = torch.Decimals
	// Dim is the dimension to reduce; a negative one counts from the end.
	Dim = torch.Dim
	// Dims are the dimensions to reduce, with braces: Dims{0, -1}. Without them
	// all are reduced.
	Dims = torch.Dims
	// Eps is how far from 0 and 1 [Logit] keeps its argument. eps in Python, None
	// unless given, which keeps it as it is.
	Eps = torch.Eps
	// KeepDim says whether the dimensions that are reduced stay, with size 1. keepdim in
	// Python, False unless given.
	KeepDim = torch.KeepDim
)

// Logit returns log(input / (1 - input)), NaN outside [0, 1]; with an [Eps]
// input is clamped first. It is [torch.Tensor.Logit]: so are owner and panics.
// Follows torch.special.logit.
func Logit(input *torch.Tensor, opts ...LogitOption) *torch.Tensor { return input.Logit(opts...) }

// Softmax returns exp(input) scaled so that it adds up to 1 along dim. It is
// [torch.Tensor.Softmax]: so are owner and panics. Follows torch.special.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...DTypeOption) *torch.Tensor {
	return input.Softmax(dim, opts...)
}

// LogSoftmax returns log(Softmax(input)) without underflow on the way. It is
// [torch.Tensor.LogSoftmax]: so are owner and panics.
// Follows torch.special.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...DTypeOption) *torch.Tensor {
	return input.LogSoftmax(dim, opts...)
}

// Round returns input rounded to the nearest whole number, halves to the even
// one, or to so many places as [Decimals] says. It is [torch.Tensor.Round]: so
// are owner and panics. Follows torch.special.round.
func Round(input *torch.Tensor, opts ...RoundOption) *torch.Tensor { return input.Round(opts...) }

// Polygamma returns the n-th derivative of Digamma. It is
// [torch.Tensor.Polygamma]: so are owner and panics. Follows torch.special.polygamma.
func Polygamma(n int64, input *torch.Tensor) *torch.Tensor { return input.Polygamma(n) }

// Multigammaln returns the logarithm of the multivariate gamma function of
// dimension p. It is [torch.Tensor.Mvlgamma]: so are owner and panics.
// Follows torch.special.multigammaln.
func Multigammaln(input *torch.Tensor, p int64) *torch.Tensor { return input.Mvlgamma(p) }

// LogSumExp returns log(sum(exp(input))) over [Dim] or [Dims], computed so that
// large elements do not overflow. It is [torch.Tensor.LogSumExp]: so are owner
// and panics. Follows torch.special.logsumexp.
func LogSumExp(input *torch.Tensor, opts ...DimsOption) *torch.Tensor {
	return input.LogSumExp(opts...)
}
