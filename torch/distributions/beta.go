package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Beta is a beta distribution: the distribution of the first of two probabilities
// drawn from a [Dirichlet]. Follows torch.distributions.Beta.
type Beta struct {
	base
	concentration1, concentration0 *torch.Tensor
	dirichlet                      *Dirichlet
}

// NewBeta returns the beta distribution with the parameters concentration1 (alpha) and
// concentration0 (beta). Each is a tensor or a number; they broadcast. See [NewNormal]
// for ownership and panics; both must be positive.
func NewBeta(concentration1, concentration0 any, opts ...Option) *Beta {
	d := &Beta{}
	build(d, "Beta", readOptions("distributions.NewBeta", opts), func(b *base) {
		ts := b.broadcast([]string{"concentration1", "concentration0"}, concentration1, concentration0)
		d.set(ts[0], ts[1])
	})
	return d
}

// set sets the parameters, which must have the same shape.
func (d *Beta) set(concentration1, concentration0 *torch.Tensor) {
	d.concentration1, d.concentration0 = concentration1, concentration0
	d.dirichlet = NewDirichlet(d.keep(torch.Stack([]*torch.Tensor{concentration1, concentration0}, -1)),
		ValidateArgs(false))
	d.part(d.dirichlet)
	d.batch, d.rsample = concentration1.Shape(), true
}

func (d *Beta) parameters() []parameter {
	return []parameter{
		{name: "concentration1", value: d.concentration1, constraint: constraints.Positive, hidden: true},
		{name: "concentration0", value: d.concentration0, constraint: constraints.Positive, hidden: true},
	}
}

// Concentration1 returns the first parameter.
func (d *Beta) Concentration1() *torch.Tensor { opened(d, "Concentration1"); return d.concentration1 }

// Concentration0 returns the second parameter.
func (d *Beta) Concentration0() *torch.Tensor { opened(d, "Concentration0"); return d.concentration0 }

// Support returns the unit interval.
func (d *Beta) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.UnitInterval
}

// Mean returns concentration1 divided by the sum of both.
func (d *Beta) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor {
		return d.concentration1.Div(d.concentration1.Add(d.concentration0))
	})
}

// Mode returns (concentration1 - 1) / (concentration1 + concentration0 - 2), or an end of
// the interval if a parameter is below 1.
func (d *Beta) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.dirichlet.Mode().Select(-1, 0) })
}

// Variance returns the variance of each distribution in the batch; see [Distribution].
func (d *Beta) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		total := d.concentration1.Add(d.concentration0)
		return d.concentration1.Mul(d.concentration0).Div(total.PowScalar(2).Mul(total.AddScalar(1)))
	})
}

// RSample draws samples with gradients; see [Distribution]. The result is a view of a larger
// tensor, which also holds the probabilities of the other outcome.
func (d *Beta) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, _ torch.Shape) *torch.Tensor {
		return d.dirichlet.RSample(SampleShape(sample)).Select(-1, 0)
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *Beta) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return d.dirichlet.LogProb(torch.Stack([]*torch.Tensor{value, value.RSubScalar(1)}, -1))
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Beta) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.dirichlet.Entropy() })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Beta) Expand(batchShape torch.Shape) Distribution {
	n := &Beta{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.set(grow(d.concentration1), grow(d.concentration0))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Beta) Close() error { return closeAll(d) }
