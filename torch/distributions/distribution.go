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
// PyTorch does not support for the distribution either panics with ErrNotImplemented.
// After Close all panic with ErrClosed; methods of a value that no constructor made panic
// with ErrNil. Follows torch.distributions.Distribution.
type Distribution interface {
	// String formats the distribution and its parameters as Python does.
	fmt.Stringer

	// BatchShape returns the shape of the parameters. batch_shape in Python.
	BatchShape() torch.Shape

	// EventShape returns the shape of one draw of one distribution. event_shape in
	// Python.
	EventShape() torch.Shape

	// HasRSample reports whether RSample is supported. has_rsample in Python.
	HasRSample() bool

	// HasEnumerateSupport reports whether EnumerateSupport is supported.
	// has_enumerate_support in Python.
	HasEnumerateSupport() bool

	// Support returns the region of the distribution's values. Its bounds may be tensors
	// of the distribution.
	Support() constraints.Constraint

	// ArgConstraints returns a new map of the regions of the parameters by their names in
	// Python. It has both Probs and Logits, whichever was given, and a matrix in each
	// form. It is empty for a [TransformedDistribution], an [Independent] or a
	// [MixtureSameFamily]. Bounds may be tensors of the distribution. arg_constraints in
	// Python.
	ArgConstraints() map[string]constraints.Constraint

	// Mean returns the mean. Like Mode, Variance and StdDev it has the shape BatchShape
	// followed by EventShape. It is NaN if the distribution has no mean.
	Mean() *torch.Tensor

	// Mode returns the most likely value.
	Mode() *torch.Tensor

	// Variance returns the variance. It is infinite or NaN if the distribution has none.
	Variance() *torch.Tensor

	// StdDev returns the square root of the variance. stddev in Python.
	StdDev() *torch.Tensor

	// Sample draws without gradients, once or as often as [SampleShape] says. The numbers
	// are those that PyTorch draws from the same seed. Like RSample it panics with
	// ErrValue for a negative size and with ErrNil for a nil option.
	Sample(opts ...SampleOption) *torch.Tensor

	// RSample draws with gradients from the sample to the parameters.
	RSample(opts ...SampleOption) *torch.Tensor

	// LogProb returns the log density or log probability at value, whose shape broadcasts
	// with BatchShape followed by EventShape; the result lacks the dimensions of the
	// event. It panics with ErrNil or ErrClosed for a nil or closed value. Unless
	// [ValidateArgs] is false it also panics with ErrShape for a value of another shape
	// and with ErrValue for one outside the support. log_prob in Python.
	LogProb(value *torch.Tensor) *torch.Tensor

	// CDF returns the probability of a value of at most value. It panics as LogProb does.
	CDF(value *torch.Tensor) *torch.Tensor

	// ICDF returns the inverse of CDF. It panics with ErrNil or ErrClosed for a nil or
	// closed value.
	ICDF(value *torch.Tensor) *torch.Tensor

	// Entropy returns the entropy, of shape BatchShape.
	Entropy() *torch.Tensor

	// Perplexity returns e to the power of Entropy.
	Perplexity() *torch.Tensor

	// EnumerateSupport returns all values of a discrete distribution along a first
	// dimension. Unless [Expand] is false they are repeated over BatchShape. Elements may
	// share memory; see torch.Tensor.Expand about changing it in place. enumerate_support
	// in Python.
	EnumerateSupport(opts ...EnumerateOption) *torch.Tensor

	// Expand returns the distribution with parameters expanded to batchShape. They share
	// memory with this distribution's, and gradients flow to the same parameters; the two
	// may be closed in any order. It panics with ErrShape if BatchShape does not expand
	// to batchShape.
	Expand(batchShape torch.Shape) Distribution

	// Close frees the tensors that the distribution made: parameters that were numbers or
	// had to be expanded, and values computed from them. Tensors that it was given stay
	// open. Closing twice, or closing nil, does nothing. The error is always nil.
	Close() error
}

// A core is a Distribution of this package.
type core interface {
	Distribution
	state() *base
	parameters() []parameter
}

// A parameter is a parameter that String prints and the constructor checks.
type parameter struct {
	name       string // Python's
	value      *torch.Tensor
	constraint constraints.Constraint // nil if there is nothing to check
	hidden     bool                   // not printed, since Python does not
	instead    bool                   // another form of a given parameter: without value, only for ArgConstraints
}
