package distributions

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// An Independent treats batch dimensions of a base distribution as part of the event.
// Follows torch.distributions.Independent.
type Independent struct {
	base
	baseDist Distribution
	ndims    int64
}

// NewIndependent returns baseDistribution with the last reinterpretedBatchNdims
// dimensions of its batch as part of the event: LogProb and Entropy sum over them. The
// caller owns baseDistribution, and closes it after the last use of the result.
// NewIndependent panics with ErrNil for a nil distribution, and with ErrValue for a
// negative number or one that exceeds the dimensions of the batch. The base checks the
// values of LogProb. NewIndependent panics with ErrValue for a [ValidateArgs] that
// differs from the base's; PyTorch ignores it.
func NewIndependent(baseDistribution Distribution, reinterpretedBatchNdims int64, opts ...Option) *Independent {
	const op = "distributions.NewIndependent"
	mustBeDistribution(op, "baseDistribution", baseDistribution)
	d := &Independent{}
	s := readOptions(op, opts)
	c, ok := baseDistribution.(core)
	if len(opts) > 0 && (!ok || s.validate != c.state().validate) {
		panic(torch.NewError(op, torch.ErrValue, "ValidateArgs",
			"the base checks the values: pass it to the base's constructor"))
	}
	if ok {
		s.validate = c.state().validate
	}
	build(d, "Independent", s, func(b *base) {
		batch := baseDistribution.BatchShape()
		if n := int64(len(batch)); reinterpretedBatchNdims < 0 || reinterpretedBatchNdims > n {
			panic(torch.NewError(op, torch.ErrValue, "reinterpretedBatchNdims",
				fmt.Sprintf("expected 0 to %d, the number of batch dimensions, got %d", n, reinterpretedBatchNdims)))
		}
		d.set(baseDistribution, reinterpretedBatchNdims)
	})
	return d
}

// set sets the fields of d and of its base.
func (d *Independent) set(baseDist Distribution, ndims int64) {
	d.baseDist, d.ndims = baseDist, ndims
	batch := baseDist.BatchShape()
	cut := int64(len(batch)) - ndims
	d.batch, d.event = batch[:cut:cut], slices.Concat(batch[cut:], baseDist.EventShape())
	d.rsample = baseDist.HasRSample()
	d.enumerates = ndims == 0 && baseDist.HasEnumerateSupport()
}

// BaseDist returns the base distribution. base_dist in Python.
func (d *Independent) BaseDist() Distribution { opened(d, "BaseDist"); return d.baseDist }

// ReinterpretedBatchNdims returns the number of batch dimensions that became part of the
// event. reinterpreted_batch_ndims in Python.
func (d *Independent) ReinterpretedBatchNdims() int64 {
	opened(d, "ReinterpretedBatchNdims")
	return d.ndims
}

// String formats the distribution as Python does.
func (d *Independent) String() string {
	if d == nil || d.self == nil {
		return "Independent(<nil>)"
	}
	return fmt.Sprintf("Independent(%v, %d)", d.baseDist, d.ndims)
}

// Support returns the support of the base, applied to all parts of an event.
func (d *Independent) Support() constraints.Constraint {
	opened(d, "Support")
	if d.ndims == 0 {
		return d.baseDist.Support()
	}
	return constraints.Independent(d.baseDist.Support(), d.ndims)
}

// Mean returns the mean of the base.
func (d *Independent) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.baseDist.Mean() })
}

// Mode returns the mode of the base.
func (d *Independent) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.baseDist.Mode() })
}

// Variance returns the variance of the base.
func (d *Independent) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.baseDist.Variance() })
}

// Sample draws samples without gradients; see [Distribution].
func (d *Independent) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, _ torch.Shape) *torch.Tensor {
		return d.baseDist.Sample(SampleShape(sample))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *Independent) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, _ torch.Shape) *torch.Tensor {
		return d.baseDist.RSample(SampleShape(sample))
	})
}

// LogProb returns the sum of the base's LogProb over the parts of an event; see
// [Distribution]. The base checks the value.
func (d *Independent) LogProb(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "LogProb", value, func() *torch.Tensor {
		return sumRightmost(d.baseDist.LogProb(value), d.ndims)
	})
}

// Entropy returns the sum of the base's Entropy over the parts of an event.
func (d *Independent) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return sumRightmost(d.baseDist.Entropy(), d.ndims) })
}

// EnumerateSupport returns the values of the base; see [Distribution]. It panics with
// ErrNotImplemented if batch dimensions became part of the event.
func (d *Independent) EnumerateSupport(opts ...EnumerateOption) *torch.Tensor {
	b := opened(d, "EnumerateSupport")
	if d.ndims > 0 {
		panic(notImplemented(b.op("EnumerateSupport"), "events with several parts cannot be enumerated, as in PyTorch"))
	}
	return d.baseDist.EnumerateSupport(opts...)
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Independent) Expand(batchShape torch.Shape) Distribution {
	n := &Independent{}
	expand(d, n, batchShape, func(b *base, _ func(*torch.Tensor) *torch.Tensor) {
		n.set(b.expanded(d.baseDist, slices.Concat(batchShape, d.event[:d.ndims])), d.ndims)
	})
	return n
}

// expanded returns d expanded to batch, and records it as a part of b's distribution.
func (b *base) expanded(d Distribution, batch torch.Shape) Distribution {
	c, ok := d.(core)
	if !ok {
		panic(notImplemented("distributions."+b.name+".Expand", fmt.Sprintf("a %T is not from this package, and "+
			"cannot be expanded as a part of another distribution", d)))
	}
	n, ok := c.Expand(batch).(core)
	if !ok || reflect.TypeOf(n) != reflect.TypeOf(d) { // d inherits Expand from the distribution that it embeds
		if ok {
			_ = n.Close()
		}
		panic(notImplemented("distributions."+b.name+".Expand", fmt.Sprintf("a %T has no Expand of its own, and the "+
			"one of the distribution that it embeds would lose its other methods", d)))
	}
	b.part(n)
	return n
}

// Close frees the tensors that Expand made for the distribution; see [Distribution].
// The base distribution stays open.
func (d *Independent) Close() error { return closeAll(d) }
