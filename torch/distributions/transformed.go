package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A TransformedDistribution is the distribution of y = f(x), where x is drawn from another
// distribution and f is a chain of transforms. Follows
// torch.distributions.TransformedDistribution.
type TransformedDistribution struct {
	base
	baseDist   Distribution
	transforms []Transform
}

// NewTransformedDistribution returns the distribution of y, the result of applying the
// transforms in order to an x drawn from baseDistribution. An event has as many
// dimensions as the base and the transforms need. Dimensions of the base's batch become
// part of the event if necessary. The caller owns the base and the tensors of the
// transforms, and must keep them open while the distribution is used.
// NewTransformedDistribution panics with ErrNil for a nil base or transform, and with
// ErrShape if the base has too few dimensions or a shape that the transforms do not
// accept.
//
// LogProb needs transforms with a Jacobian, and CDF and ICDF need transforms with a sign.
// Otherwise they panic with ErrNotImplemented.
func NewTransformedDistribution(baseDistribution Distribution, transforms []Transform,
	opts ...Option,
) *TransformedDistribution {
	const op = "distributions.NewTransformedDistribution"
	mustBeDistribution(op, "baseDistribution", baseDistribution)
	mustBeTransforms(op, "transforms", transforms)
	d := &TransformedDistribution{}
	build(d, "TransformedDistribution", readOptions(op, opts), func(b *base) {
		d.set(b, baseDistribution, slices.Clone(transforms)...)
	})
	return d
}

// set sets the fields of d and of its base.
func (d *TransformedDistribution) set(b *base, baseDist Distribution, transforms ...Transform) {
	op := "distributions.New" + b.name
	chain := &ComposeTransform{parts: transforms}
	event := int64(len(baseDist.EventShape()))
	shape := slices.Concat(baseDist.BatchShape(), baseDist.EventShape())
	domain, codomain := chain.Domain().EventDim(), chain.Codomain().EventDim()
	if int64(len(shape)) < domain {
		panic(torch.NewError(op, torch.ErrShape, "baseDistribution",
			fmt.Sprintf("expected at least %d dimensions in batch and event, got shape %v", domain, shape)))
	}
	out := chain.ForwardShape(shape)
	if in := chain.InverseShape(out); !in.Equal(shape) {
		baseDist = b.expanded(baseDist, in[:int64(len(in))-event])
	}
	if domain > event {
		i := NewIndependent(baseDist, domain-event)
		b.part(i)
		baseDist = i
	}
	d.baseDist, d.transforms = baseDist, transforms
	cut := int64(len(out)) - max(codomain, event+codomain-domain)
	b.batch, b.event = out[:cut:cut], out[cut:]
	b.rsample = baseDist.HasRSample()
}

// inner makes d a part of b, which is under construction. d was made without checks, because b
// has the same parameters. d checks values if validate is true.
func (b *base) inner(d core, validate bool) {
	d.state().validate = validate
	b.part(d)
}

// transformed returns d. Types that embed a TransformedDistribution, such as LogNormal, inherit it.
func (d *TransformedDistribution) transformed() *TransformedDistribution { return d }

// BaseDist returns the distribution of x. It is the base that was passed to the constructor,
// possibly expanded or wrapped in an [Independent]. base_dist in Python.
func (d *TransformedDistribution) BaseDist() Distribution {
	opened(d, "BaseDist")
	return d.baseDist
}

// Transforms returns the transforms in the order in which they are applied. transforms in Python.
func (d *TransformedDistribution) Transforms() []Transform {
	opened(d, "Transforms")
	return slices.Clone(d.transforms)
}

// Support returns the codomain of the last transform.
func (d *TransformedDistribution) Support() constraints.Constraint {
	opened(d, "Support")
	if len(d.transforms) == 0 {
		return d.baseDist.Support()
	}
	return widened(d.transforms[len(d.transforms)-1].Codomain(), int64(len(d.event)))
}

// Sample draws samples without gradients; see [Distribution].
func (d *TransformedDistribution) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, _ torch.Shape) *torch.Tensor {
		return forwardAll(d.transforms, d.baseDist.Sample(SampleShape(sample)))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *TransformedDistribution) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, _ torch.Shape) *torch.Tensor {
		return forwardAll(d.transforms, d.baseDist.RSample(SampleShape(sample)))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *TransformedDistribution) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		event, y := int64(len(d.event)), value
		var sum *torch.Tensor
		for _, t := range slices.Backward(d.transforms) {
			x := t.Inverse(y)
			domain := t.Domain().EventDim()
			event += domain - t.Codomain().EventDim()
			term := sumRightmost(t.LogAbsDetJacobian(x, y), event-domain)
			if sum == nil {
				sum = term.Neg()
			} else {
				sum = sum.Sub(term)
			}
			y = x
		}
		p := sumRightmost(d.baseDist.LogProb(y), event-int64(len(d.baseDist.EventShape())))
		if sum == nil {
			return p
		}
		return sum.Add(p)
	})
}

// monotonize returns 1 - p where the chain of transforms is decreasing, and p elsewhere.
func (d *TransformedDistribution) monotonize(p *torch.Tensor) *torch.Tensor {
	sign := signOf(d.transforms)
	if sign == 1 {
		return p
	}
	return plus(times(sign, minus(p, 0.5)), 0.5)
}

// CDF returns the probability that a sample is at most value; see [Distribution]. As in
// PyTorch, CDF does not check value itself. It checks the x that the transforms map to
// value, which must be in the support of the base.
func (d *TransformedDistribution) CDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "CDF", value, func() *torch.Tensor {
		x := inverseAll(d.transforms, value)
		if c, ok := d.baseDist.(core); ok && d.validate {
			c.state().checkSample(d.op("CDF"), x)
		}
		return d.monotonize(d.baseDist.CDF(x))
	})
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *TransformedDistribution) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor {
		return forwardAll(d.transforms, d.baseDist.ICDF(d.monotonize(value)))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *TransformedDistribution) Expand(batchShape torch.Shape) Distribution {
	n := &TransformedDistribution{}
	expand(d, n, batchShape, func(b *base, _ func(*torch.Tensor) *torch.Tensor) {
		n.transforms = d.transforms
		shape := (&ComposeTransform{parts: d.transforms}).InverseShape(slices.Concat(batchShape, d.event))
		n.baseDist = b.expanded(d.baseDist, shape[:len(shape)-len(d.baseDist.EventShape())])
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution]. The base
// distribution and the transforms stay open.
func (d *TransformedDistribution) Close() error { return closeAll(d) }
