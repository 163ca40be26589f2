package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// odds holds the parameter of a distribution that is defined by probabilities or log
// odds. The form that the caller did not pass is computed on first use.
type odds struct {
	base     *base
	given    *torch.Tensor
	byLogits bool
	kind     oddsKind
	other    lazy
}

// An oddsKind is the meaning of the probabilities, which determines how they are computed
// from log odds.
type oddsKind int

const (
	categorical oddsKind = iota // probabilities of categories, along the last dimension
	binary                      // probabilities of one event
	inside                      // probabilities of one event, clamped to the open unit interval
)

// set sets the parameter that the caller passed; name is probs or logits.
func (o *odds) set(b *base, kind oddsKind, name string, t *torch.Tensor) {
	o.base, o.kind, o.given, o.byLogits = b, kind, t, name == "logits"
	b.mark(t)
}

func (o *odds) probs() *torch.Tensor {
	if !o.byLogits {
		return o.given
	}
	return o.other.of(o.base, func() *torch.Tensor {
		switch o.kind {
		case categorical:
			return o.given.Softmax(-1)
		case inside:
			return clampProbs(o.given.Sigmoid())
		}
		return o.given.Sigmoid()
	})
}

// logits returns the log odds.
func (o *odds) logits() *torch.Tensor {
	if o.byLogits {
		return o.given
	}
	return o.other.of(o.base, func() *torch.Tensor {
		p := clampProbs(o.given)
		if o.kind == categorical {
			return p.Log()
		}
		return p.Log().Sub(p.Neg().Log1p())
	})
}

// both computes the form that the caller did not pass, if validate is set. Python's
// constructor computes that form too, in order to check it.
func (o *odds) both(validate bool) {
	if validate {
		o.probs()
		o.logits()
	}
}

// clampProbs clamps probabilities to the open unit interval.
func clampProbs(p *torch.Tensor) *torch.Tensor {
	eps := torch.Finfo(p.DType()).Eps
	return p.Clamp(eps, 1-eps)
}

// grow sets the parameters of o: it expands from's parameters with the function grow. If
// from has computed only one form, o computes the other on first use.
func (o *odds) grow(b *base, from *odds, grow func(*torch.Tensor) *torch.Tensor) {
	o.base, o.kind, o.given, o.byLogits = b, from.kind, grow(from.given), from.byLogits
	if t := from.other.value(); t != nil {
		o.other.set(grow(t))
	}
}

// list returns the form that the caller passed, with its constraint, and the other form
// without a value.
func (o *odds) list(probs, logits constraints.Constraint) []parameter {
	if o.byLogits {
		return []parameter{
			{name: "logits", value: o.given, constraint: logits},
			{name: "probs", constraint: probs, instead: true},
		}
	}
	return []parameter{
		{name: "probs", value: o.given, constraint: probs},
		{name: "logits", constraint: logits, instead: true},
	}
}

// shape returns the shape of the parameter.
func (o *odds) shape() torch.Shape { return slices.Clone(o.given.Shape()) }

// crossEntropy returns the elementwise binary cross entropy of log odds and targets, which broadcast.
func crossEntropy(logits, target *torch.Tensor) *torch.Tensor {
	ts := torch.BroadcastTensors(logits, target)
	const reductionNone = 0
	return aten.BinaryCrossEntropyWithLogits(ts[0], ts[1], nil, nil, reductionNone)
}

// upTo returns the numbers 0 to n-1, in the dtype and on the device of like.
func upTo(n int64, like *torch.Tensor) *torch.Tensor {
	return torch.Arange(n, like.DType(), like.Device())
}

// categories sets the normalized parameter of a distribution over categories and its batch
// shape. It returns the last dimension.
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
		t = t.Div(t.Sum(torch.Dim(-1), torch.KeepDim(true)))
	} else {
		t = t.Sub(t.LogSumExp(torch.Dim(-1), torch.KeepDim(true)))
	}
	o.set(b, categorical, name, b.keep(t))
	return last
}
