package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// odds are the parameters of a distribution that is said by probabilities or by log odds: the
// one that was given, and the other one, computed of it.
type odds struct {
	probs, logits *torch.Tensor
	byLogits      bool
}

// param is what was given.
func (o *odds) param() *torch.Tensor {
	if o.byLogits {
		return o.logits
	}
	return o.probs
}

// set sets what was given, probs or logits.
func (o *odds) set(name string, t *torch.Tensor) {
	if o.byLogits = name == "logits"; o.byLogits {
		o.logits = t
	} else {
		o.probs = t
	}
}

// complete computes what was not given, for single probabilities or those of categories.
func (o *odds) complete(b *base, binary bool) {
	switch {
	case o.byLogits && binary:
		o.probs = b.keep(o.logits.Sigmoid())
	case o.byLogits:
		o.probs = b.keep(o.logits.Softmax(-1))
	case binary:
		p := clampProbs(o.probs)
		o.logits = b.keep(p.Log().Sub(p.Neg().Log1p()))
	default:
		o.logits = b.keep(clampProbs(o.probs).Log())
	}
}

// clampProbs moves probabilities into the open unit interval.
func clampProbs(p *torch.Tensor) *torch.Tensor {
	eps := torch.Finfo(p.DType()).Eps
	return p.Clamp(eps, 1-eps)
}

// grow sets the parameters to those of from, expanded.
func (o *odds) grow(from *odds, grow func(*torch.Tensor) *torch.Tensor) {
	o.probs, o.logits, o.byLogits = grow(from.probs), grow(from.logits), from.byLogits
}

// list is what was given, as a parameter with its constraint, and the other one.
func (o *odds) list(probs, logits constraints.Constraint) []parameter {
	if o.byLogits {
		return []parameter{{name: "logits", value: o.logits, constraint: logits}, {name: "probs", constraint: probs, instead: true}}
	}
	return []parameter{{name: "probs", value: o.probs, constraint: probs}, {name: "logits", constraint: logits, instead: true}}
}

// shape is that of the parameter.
func (o *odds) shape() torch.Shape { return slices.Clone(o.param().Shape()) }

// crossEntropy is the binary cross entropy of each pair of log odds and target, which
// broadcast.
func crossEntropy(logits, target *torch.Tensor) *torch.Tensor {
	ts := torch.BroadcastTensors(logits, target)
	const reductionNone = 0
	return aten.BinaryCrossEntropyWithLogits(ts[0], ts[1], nil, nil, reductionNone)
}

// upTo are the numbers 0 to n-1, in the dtype and on the device of like.
func upTo(n int64, like *torch.Tensor) *torch.Tensor {
	return torch.Arange(n, like.DType(), like.Device())
}

// categories sets the parameters of a distribution over categories, normalized, and its batch
// shape, and returns the last dimension.
func (o *odds) categories(b *base, s *settings) torch.Shape {
	op := b.constructor()
	name, v := s.exactlyOne(op)
	t, ok := v.(*torch.Tensor)
	if !ok {
		panic(torch.NewError(op, torch.ErrType, argument(name), fmt.Sprintf("expected a tensor, got a %T", v)))
	}
	batch, last := categories(op, argument(name), t)
	b.batch = batch
	if name == "probs" {
		t = t.Div(t.Sum(torch.Dim(-1), torch.KeepDim))
	} else {
		t = t.Sub(t.LogSumExp(torch.Dim(-1), torch.KeepDim))
	}
	o.set(name, b.keep(t))
	o.complete(b, false)
	return last
}
