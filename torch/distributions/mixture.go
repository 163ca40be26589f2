package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A MixtureSameFamily is a mixture of distributions of one family. A [Categorical]
// distribution selects the component from which each value is drawn. Follows
// torch.distributions.MixtureSameFamily.
type MixtureSameFamily struct {
	base
	mixture   *Categorical
	component Distribution
}

// NewMixtureSameFamily returns a mixture of the components along the last dimension of
// component's batch. mixture selects the component of each value. The caller owns both
// distributions, and must keep them open while the mixture is used. NewMixtureSameFamily
// panics with ErrNil or ErrClosed for a nil or closed distribution, and with ErrShape if
// the batches do not broadcast or if the numbers of categories and components differ.
func NewMixtureSameFamily(mixture *Categorical, component Distribution, opts ...Option) *MixtureSameFamily {
	const op = "distributions.NewMixtureSameFamily"
	if mixture == nil {
		panic(torch.NewError(op, torch.ErrNil, "mixture", "expected a distribution, got nil"))
	}
	mustBeDistribution(op, "component", component)
	d := &MixtureSameFamily{}
	build(d, "MixtureSameFamily", readOptions(op, opts), func(b *base) {
		batch, of := component.BatchShape(), mixture.BatchShape()
		n := len(batch) - 1
		if n < 0 {
			panic(torch.NewError(op, torch.ErrShape, "component",
				"expected a batch of at least one dimension, the dimension of the components"))
		}
		for i, j := len(of)-1, n-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
			if of[i] != 1 && batch[j] != 1 && of[i] != batch[j] {
				panic(torch.NewError(op, torch.ErrShape, "mixture",
					fmt.Sprintf("the batch shape %v does not broadcast with the components' batch shape %v", of,
						batch[:n])))
			}
		}
		if k := mixture.count(); k != batch[n] {
			panic(torch.NewError(op, torch.ErrShape, "mixture",
				fmt.Sprintf("expected a category for each component, got %d categories for %d components", k,
					batch[n])))
		}
		mixture.odds.logits() // computes the log odds now, as PyTorch's constructor does
		d.mixture, d.component = mixture, component
		b.batch, b.event = batch[:n:n], component.EventShape()
	})
	return d
}

// MixtureDistribution returns the distribution of the categories. mixture_distribution in
// Python.
func (d *MixtureSameFamily) MixtureDistribution() *Categorical {
	opened(d, "MixtureDistribution")
	return d.mixture
}

// ComponentDistribution returns the components. component_distribution in Python.
func (d *MixtureSameFamily) ComponentDistribution() Distribution {
	opened(d, "ComponentDistribution")
	return d.component
}

// String formats the distribution as Python does.
func (d *MixtureSameFamily) String() string {
	if d == nil || d.self == nil {
		return "MixtureSameFamily(<nil>)"
	}
	mixture := d.mixture.String()
	if o := &d.mixture.odds; !o.byLogits { // the constructor has computed the log odds, as in PyTorch
		mixture = "Categorical(probs: " + text(o.given) + ", logits: " + text(o.other.value()) + ")"
	}
	return fmt.Sprintf("MixtureSameFamily(\n  %s,\n  %v)", mixture, d.component)
}

// Support returns the support of the components.
func (d *MixtureSameFamily) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.MixtureSameFamily(d.component.Support())
}

// along returns the dimension of the components, counted from the end.
func (d *MixtureSameFamily) along() int64 { return -1 - int64(len(d.event)) }

// weights returns the probabilities of the components, in a shape that broadcasts with
// the components' means.
func (d *MixtureSameFamily) weights() *torch.Tensor {
	p := d.mixture.Probs()
	shape, pad := p.Shape(), 0
	n := len(shape) - 1
	if n != 1 {
		pad = len(d.batch) - n
	}
	return p.Reshape(slices.Concat(shape[:n], ones(pad), shape[n:], ones(len(d.event)))...)
}

// mixed returns the mean of t over the components, weighted by their probabilities.
func (d *MixtureSameFamily) mixed(t *torch.Tensor) *torch.Tensor {
	return d.weights().Mul(t).Sum(torch.Dim(d.along()))
}

// Mean returns the mean of the components' means, weighted by their probabilities.
func (d *MixtureSameFamily) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.mixed(d.component.Mean()) })
}

// Variance returns the mean of the variances plus the variance of the means.
func (d *MixtureSameFamily) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		means := d.component.Mean()
		off := means.Sub(d.mixed(means).Unsqueeze(d.along())).PowScalar(2.0)
		return d.mixed(d.component.Variance()).Add(d.mixed(off))
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution]. The
// components check the value.
func (d *MixtureSameFamily) CDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "CDF", value, func() *torch.Tensor {
		return d.component.CDF(value.Unsqueeze(d.along())).Mul(d.mixture.Probs()).Sum(torch.Dim(-1))
	})
}

// LogProb returns the logarithm of the density or probability at value; see
// [Distribution].
func (d *MixtureSameFamily) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		p := d.component.LogProb(value.Unsqueeze(d.along()))
		return p.Add(d.mixture.Logits().LogSoftmax(-1)).LogSumExp(torch.Dim(-1))
	})
}

// Sample draws samples without gradients, first from the mixture and then from the components;
// see [Distribution].
func (d *MixtureSameFamily) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, _ torch.Shape) *torch.Tensor {
		along := int64(len(sample) + len(d.batch))
		which := d.mixture.Sample(SampleShape(sample))
		values := d.component.Sample(SampleShape(sample))
		shape := which.Shape()
		index := which.Reshape(slices.Concat(shape, ones(len(d.event)+1))...).Expand(slices.Concat(shape,
			torch.Shape{1}, d.event)...)
		return values.Gather(along, index).Squeeze(along)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *MixtureSameFamily) Expand(batchShape torch.Shape) Distribution {
	n := &MixtureSameFamily{}
	expand(d, n, batchShape, func(b *base, _ func(*torch.Tensor) *torch.Tensor) {
		n.component = b.expanded(d.component, slices.Concat(batchShape, torch.Shape{d.mixture.count()}))
		n.mixture = b.expanded(d.mixture, batchShape).(*Categorical)
	})
	return n
}

// Close frees the tensors that Expand made for the distribution; see [Distribution]. The
// mixture and the components that were passed to the constructor stay open.
func (d *MixtureSameFamily) Close() error { return closeAll(d) }
