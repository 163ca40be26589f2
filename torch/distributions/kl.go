package distributions

import (
	"fmt"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// KLDivergence returns the Kullback-Leibler divergence of q from p for each element of
// the batch: the mean of log p(x) - log q(x) over x drawn from p. The result is a new
// tensor, owned by the innermost scope or else by the garbage collector. Gradients flow
// to the parameters of both.
//
// It supports the pairs that PyTorch supports, including two [Independent] with the same
// number of reinterpreted dimensions, and two [TransformedDistribution] with the same
// transforms. For a batch of [Wishart] it returns one divergence per element, where
// PyTorch returns their sum.
//
// It panics with ErrNotImplemented for all other pairs, with ErrNil or ErrClosed for a
// nil or closed distribution, and with ErrShape if the batches do not broadcast.
// PyTorch's register_kl has no counterpart; to add a divergence, write a function.
// Follows torch.distributions.kl_divergence.
func KLDivergence(p, q Distribution) *torch.Tensor {
	const op = "distributions.KLDivergence"
	mustBeOpen(op, "p", p)
	mustBeOpen(op, "q", q)
	var result *torch.Tensor
	err := torch.Try(func() { result = torch.Tidy(func() *torch.Tensor { return klOf(p, q) }) })
	if e, ok := err.(*torch.Error); ok { //nolint:errorlint // Try returns no other
		e.Op = op
		panic(e)
	}
	return result
}

// mustBeOpen panics with ErrNil or ErrClosed if d is nil or closed.
func mustBeOpen(op, arg string, d Distribution) {
	mustBeDistribution(op, arg, d)
	if c, ok := d.(core); ok {
		if b := c.state(); b.self == nil {
			panic(torch.NewError(op, torch.ErrNil, arg, "the distribution was not made by a constructor"))
		} else if b.closed.Load() {
			panic(torch.NewError(op, torch.ErrClosed, arg, "the distribution is closed"))
		}
	}
}

// klOf looks for a formula for the two types, then for the more general types that they embed.
func klOf(p, q Distribution) *torch.Tensor {
	for _, p := range kinds(p) {
		for _, q := range kinds(q) {
			if f := klTable[klPair{reflect.TypeOf(p), reflect.TypeOf(q)}]; f != nil {
				return f(p, q)
			}
		}
	}
	switch p := p.(type) {
	case *Independent:
		if q, ok := q.(*Independent); ok && p.ndims == q.ndims {
			return sumRightmost(KLDivergence(p.baseDist, q.baseDist), p.ndims)
		}
	case isTransformed:
		if q, ok := q.(isTransformed); ok {
			p, q := p.transformed(), q.transformed()
			if sameTransforms(p.transforms, q.transforms) && p.event.Equal(q.event) {
				return KLDivergence(p.baseDist, q.baseDist)
			}
		}
	}
	panic(notImplemented("distributions.KLDivergence",
		fmt.Sprintf("the divergence of a %s from a %s is not supported, as in PyTorch", kindName(q), kindName(p))))
}

func kindName(d Distribution) string {
	t := reflect.TypeOf(d)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

type isTransformed interface {
	transformed() *TransformedDistribution
}

// kinds returns d, followed by the more general distribution that d embeds, if any.
func kinds(d Distribution) []Distribution {
	switch d := d.(type) {
	case *Chi2:
		return []Distribution{d, &d.Gamma}
	case *OneHotCategoricalStraightThrough:
		return []Distribution{d, &d.OneHotCategorical}
	}
	return []Distribution{d}
}

type klPair struct{ p, q reflect.Type }

type klFunc = func(p, q Distribution) *torch.Tensor

// A klEntry is a row of klTable.
type klEntry struct {
	pair klPair
	f    klFunc
}

// kl returns the row of klTable for the formula f.
func kl[P, Q Distribution](f func(P, Q) *torch.Tensor) klEntry {
	return klEntry{klPair{reflect.TypeFor[P](), reflect.TypeFor[Q]()}, func(p, q Distribution) *torch.Tensor {
		return f(p.(P), q.(Q))
	}}
}

// infinite returns the row of klTable for a pair whose divergence is infinite, because
// the support of q does not contain the support of p. of is a function that returns any
// tensor of p with the shape of p's batch.
func infinite[P, Q Distribution](of func(P) *torch.Tensor) klEntry {
	return kl(func(p P, _ Q) *torch.Tensor { return infiniteLike(of(p)) })
}

// klTable maps the types of p and q to a formula.
var klTable = func() map[klPair]klFunc {
	table := map[klPair]klFunc{}
	for _, list := range [][]klEntry{
		klSame, klDiscrete, klBeta, klContinuousBernoulli, klExponential, klGamma,
		klGumbel, klLaplace, klNormal, klPareto, klUniform, klMultivariate,
	} {
		for _, e := range list {
			table[e.pair] = e.f
		}
	}
	return table
}()
