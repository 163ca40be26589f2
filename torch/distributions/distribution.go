package distributions

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Distribution is a probability distribution, or a batch of independent ones. A sample
// has the shape of the sample option, then BatchShape, then EventShape.
//
// A method that returns a tensor returns a new one, owned by the innermost scope or else
// by the garbage collector. Gradients flow through it to the parameters. A method that
// PyTorch does not support for a distribution panics with ErrNotImplemented. After Close,
// all methods panic with ErrClosed. Methods of a value that no constructor made panic
// with ErrNil. Follows torch.distributions.Distribution.
type Distribution interface {
	// String formats the distribution and its parameters as Python does.
	fmt.Stringer

	// BatchShape returns the shape of the batch of distributions. batch_shape in Python.
	BatchShape() torch.Shape

	// EventShape returns the shape of a single sample, without the batch dimensions.
	// event_shape in Python.
	EventShape() torch.Shape

	// HasRSample reports whether RSample is supported. has_rsample in Python.
	HasRSample() bool

	// HasEnumerateSupport reports whether EnumerateSupport is supported.
	// has_enumerate_support in Python.
	HasEnumerateSupport() bool

	// Support returns the region of the distribution's values. Its bounds may be tensors
	// of the distribution.
	Support() constraints.Constraint

	// ArgConstraints returns a new map from the parameters' names in Python to their regions. It
	// contains both Probs and Logits, no matter which was given, and each form of a matrix. It is
	// empty for a [TransformedDistribution], an [Independent] or a [MixtureSameFamily]. Bounds
	// may be tensors of the distribution. arg_constraints in Python.
	ArgConstraints() map[string]constraints.Constraint

	// Mean returns the mean, or NaN if the distribution has none. Like Mode, Variance
	// and StdDev, it has the shape BatchShape followed by EventShape.
	Mean() *torch.Tensor

	// Mode returns the most likely value.
	Mode() *torch.Tensor

	// Variance returns the variance. It is infinite or NaN if the distribution has none.
	Variance() *torch.Tensor

	// StdDev returns the square root of the variance. stddev in Python.
	StdDev() *torch.Tensor

	// Sample draws samples without gradients: one, or the number in [SampleShape]. With
	// the same seed, they equal PyTorch's. Like RSample, it panics with ErrValue for a
	// negative size and with ErrNil for a nil option.
	Sample(opts ...SampleOption) *torch.Tensor

	// RSample draws samples through which gradients flow to the parameters.
	RSample(opts ...SampleOption) *torch.Tensor

	// LogProb returns the log density or log probability at value, whose shape broadcasts
	// with BatchShape followed by EventShape. The result lacks the dimensions of the
	// event. It panics with ErrNil or ErrClosed for a nil or closed value. Unless
	// [ValidateArgs] is false, it also panics with ErrShape if the shape does not
	// broadcast and with ErrValue if value is outside the support. log_prob in Python.
	LogProb(value *torch.Tensor) *torch.Tensor

	// CDF returns the probability that a sample is at most value. It panics as LogProb does.
	CDF(value *torch.Tensor) *torch.Tensor

	// ICDF returns the inverse of CDF. It panics with ErrNil or ErrClosed for a nil or
	// closed value.
	ICDF(value *torch.Tensor) *torch.Tensor

	// Entropy returns the entropy, of shape BatchShape.
	Entropy() *torch.Tensor

	// Perplexity returns e to the power of Entropy.
	Perplexity() *torch.Tensor

	// EnumerateSupport returns all values of a discrete distribution along a new first
	// dimension. Unless [Expand] is false, they are repeated over BatchShape. Elements
	// may share memory; see torch.Tensor.Expand before you change the result in place.
	// enumerate_support in Python.
	EnumerateSupport(opts ...EnumerateOption) *torch.Tensor

	// Expand returns the distribution with its parameters expanded to batchShape. They
	// share memory with this distribution's parameters, and gradients flow to the same
	// parameters. The two distributions may be closed in any order. Expand panics with
	// ErrShape if BatchShape does not expand to batchShape.
	Expand(batchShape torch.Shape) Distribution

	// Close frees the tensors that the distribution made: parameters that were numbers or had to
	// be expanded, and values computed from them. Tensors that were passed to the constructor
	// stay open. Closing twice, or closing nil, does nothing. The error is always nil.
	Close() error
}

// A core is a Distribution of this package.
type core interface {
	Distribution
	state() *base
	parameters() []parameter
}

// A parameter is an argument of the constructor, which String prints and the constructor checks.
type parameter struct {
	name       string // the parameter's name in Python
	value      *torch.Tensor
	constraint constraints.Constraint // nil if there is nothing to check
	hidden     bool                   // not printed, as in Python
	// instead says that the caller passed a different form of the parameter. This form
	// has no value and is only for ArgConstraints.
	instead bool
}
