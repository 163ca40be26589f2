package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Poisson is the distribution of the number of events when the expected number is
// rate. As in Python, it has no Entropy. Follows torch.distributions.Poisson.
type Poisson struct {
	base
	rate *torch.Tensor
}

// NewPoisson returns the Poisson distribution whose mean is rate, a tensor or a number.
// See [NewNormal] for ownership and panics; rate must not be negative.
func NewPoisson(rate any, opts ...Option) *Poisson {
	d := &Poisson{}
	build(d, "Poisson", readOptions("distributions.NewPoisson", opts), func(b *base) {
		d.rate = b.broadcast([]string{"rate"}, rate)[0]
		b.batch = d.rate.Shape()
	})
	return d
}

func (d *Poisson) parameters() []parameter {
	return []parameter{{name: "rate", value: d.rate, constraint: constraints.NonNegative}}
}

// Rate returns the mean.
func (d *Poisson) Rate() *torch.Tensor { opened(d, "Rate"); return d.rate }

// Support returns the non-negative integers.
func (d *Poisson) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegativeInteger
}

// Mean returns the rate.
func (d *Poisson) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.rate) })
}

// Mode returns the integer part of the rate.
func (d *Poisson) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.rate.Floor() })
}

// Variance returns the rate.
func (d *Poisson) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return alias(d.rate) })
}

// Sample draws samples without gradients; see [Distribution].
func (d *Poisson) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor { return d.rate.Expand(shape...).Poisson() })
}

// LogProb returns the log probability of value; see [Distribution].
func (d *Poisson) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return value.Xlogy(d.rate).Sub(d.rate).Sub(value.AddScalar(1).Lgamma())
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Poisson) Expand(batchShape torch.Shape) Distribution {
	n := &Poisson{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) { n.rate = grow(d.rate) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Poisson) Close() error { return closeAll(d) }
