package distributions

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Distribution is a probability distribution, or a batch of independent ones: a sample
// has the shape of the sample option, then BatchShape, then EventShape.
//
// A method that returns a tensor returns a new one, owned by the innermost scope, else by
// the collector. Gradients flow through it to the parameters. A method that the
// distribution does not have, since PyTorch has none either, panics with
// ErrNotImplemented; after Close all panic with ErrClosed, and those of a value that no
// constructor made with ErrNil. Follows torch.distributions.Distribution.
type Distribution interface {
	// String prints the distribution and its parameters as Python does.
	fmt.Stringer

	// BatchShape is the shape of the parameters: how many distributions there are.
	// batch_shape in Python.
	BatchShape() torch.Shape

	// EventShape is the shape of one draw of one distribution. event_shape in Python.
	EventShape() torch.Shape

	// HasRSample reports whether there is RSample. has_rsample in Python.
	HasRSample() bool

	// HasEnumerateSupport reports whether there is EnumerateSupport.
	// has_enumerate_support in Python.
	HasEnumerateSupport() bool

	// Support is where the values of the distribution lie. Its bounds may be tensors of
	// the distribution.
	Support() constraints.Constraint

	// ArgConstraints are the regions of the parameters by their names in Python, in a map of
	// its own: of Probs and Logits both, whichever was given, and of a matrix in each form.
	// That of a [TransformedDistribution], an [Independent] or a [MixtureSameFamily] is
	// empty. Bounds may be tensors of the distribution. arg_constraints in Python.
	ArgConstraints() map[string]constraints.Constraint

	// Mean has the shape BatchShape and EventShape together, as have Mode, Variance and
	// StdDev. It is NaN where there is none.
	Mean() *torch.Tensor

	// Mode is the most likely value.
	Mode() *torch.Tensor

	// Variance is infinite or NaN where there is none.
	Variance() *torch.Tensor

	// StdDev is the root of the variance. stddev in Python.
	StdDev() *torch.Tensor

	// Sample draws without gradients: once, or as often as [SampleShape] says. The
	// numbers are those that PyTorch draws from the same seed. It panics with ErrValue
	// for a negative size and with ErrNil for a nil option, as RSample does.
	Sample(opts ...SampleOption) *torch.Tensor

	// RSample draws so that gradients flow from the sample to the parameters.
	RSample(opts ...SampleOption) *torch.Tensor

	// LogProb is the logarithm of the density or probability at value, whose shape
	// broadcasts with BatchShape and EventShape together; the dimensions of the event are
	// gone from the result. It panics with ErrNil or ErrClosed for a value that is nil or
	// closed, and unless [ValidateArgs] is false with ErrShape for one of another shape
	// and with ErrValue for one that is not in the support. log_prob in Python.
	LogProb(value *torch.Tensor) *torch.Tensor

	// CDF is the probability of at most value. It panics as LogProb does.
	CDF(value *torch.Tensor) *torch.Tensor

	// ICDF is the inverse of CDF. It panics with ErrNil or ErrClosed for a value that is
	// nil or closed.
	ICDF(value *torch.Tensor) *torch.Tensor

	// Entropy has the shape BatchShape.
	Entropy() *torch.Tensor

	// Perplexity is e to the power of Entropy.
	Perplexity() *torch.Tensor

	// EnumerateSupport returns all values of a discrete distribution along a first
	// dimension. Unless [Expand] is false they are repeated over BatchShape. It may share
	// memory among its elements: see torch.Tensor.Expand about changing it in place.
	// enumerate_support in Python.
	EnumerateSupport(opts ...EnumerateOption) *torch.Tensor

	// Expand returns the distribution with parameters expanded to batchShape. They share
	// the memory of this one's, and gradients flow to the same parameters; both
	// distributions may be closed in any order. It panics with ErrShape if BatchShape does
	// not expand to batchShape.
	Expand(batchShape torch.Shape) Distribution

	// Close frees the tensors that the distribution made: parameters that were numbers or
	// had to be expanded, and what was computed of them. Tensors that it was given are
	// the caller's and stay. It does nothing the second time, and for nil. The error is
	// always nil.
	Close() error
}

// A core is a Distribution of this package.
type core interface {
	Distribution
	state() *base
	parameters() []parameter
}

// A parameter is one that String prints and the constructor checks.
type parameter struct {
	name       string // Python's
	value      *torch.Tensor
	constraint constraints.Constraint // nil if there is nothing to check
	hidden     bool                   // not printed, since Python does not
	instead    bool                   // another form of what was given: without value, of ArgConstraints alone
}
