package torch

import (
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// A DrawOption is an option of functions that draw random numbers: a
// *[Generator], nil for the device's default one.
//
//gotorch:options *Generator
type DrawOption interface{ drawOption() }

// draw calls an operator that fills t with random numbers, and returns t.
func draw(op string, t *Tensor, opts []DrawOption,
	f func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status,
) *Tensor {
	h, c := t.handle(op, 0), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, t)
	st := f(r.Ctx, h, g)
	runtime.KeepAlive(c.generator)
	r.Status(st)
	return t
}

// sample calls an operator that returns random numbers for t.
func sample(op string, t *Tensor, opts []DrawOption,
	f func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Ret,
) *Tensor {
	h, c := t.handle(op, 0), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, t)
	ret := f(r.Ctx, h, g)
	runtime.KeepAlive(c.generator)
	return r.Tensor(ret)
}

// Uniform_ fills t with numbers drawn uniformly from [from, to) and returns t; Python's
// default range is 0 to 1. Like all functions that draw, it uses the given generator or
// the device's default one, and the same seed gives the same numbers as in Python. It
// panics with ErrDType for integers, with ErrValue if from > to, and with ErrAutograd for
// a leaf that requires gradients outside NoGrad. Follows Tensor.uniform_.
func (t *Tensor) Uniform_(from, to float64, opts ...DrawOption) *Tensor {
	return draw("Uniform_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Uniform_(cx, h, from, to, g)
	})
}

// Normal_ fills t with numbers drawn from the normal distribution and returns t; Python's
// defaults are mean 0 and std 1. It panics as Uniform_ does, and with ErrValue for a
// negative std. Follows Tensor.normal_.
func (t *Tensor) Normal_(mean, std float64, opts ...DrawOption) *Tensor {
	return draw("Normal_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Normal_(cx, h, mean, std, g)
	})
}

// LogNormal_ fills t with numbers whose logarithm is normally distributed with
// the given mean and std, and returns t. It panics as Normal_ does, and with
// ErrValue unless std is positive. Follows Tensor.log_normal_.
func (t *Tensor) LogNormal_(mean, std float64, opts ...DrawOption) *Tensor {
	return draw("LogNormal_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.LogNormal_(cx, h, mean, std, g)
	})
}

// Bernoulli_ sets each element of t to 1 with probability p and to 0 otherwise,
// and returns t. It panics with ErrValue unless p is in [0, 1], with ErrDType
// for complex numbers, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.bernoulli_.
func (t *Tensor) Bernoulli_(p float64, opts ...DrawOption) *Tensor {
	return draw("Bernoulli_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Bernoulli_Float(cx, h, p, g)
	})
}

// BernoulliTensor_ is [Tensor.Bernoulli_] with a probability for each element.
// It works in place and returns t. p must broadcast to t's shape. It panics as
// Bernoulli_ does, with ErrShape if p does not broadcast, and with ErrDType if
// p is not floating point. Follows Tensor.bernoulli_.
func (t *Tensor) BernoulliTensor_(p *Tensor, opts ...DrawOption) *Tensor {
	const op = "BernoulliTensor_(self, p)"
	a, b, c := t.handle(op, 0), p.handle(op, 1), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, t, p)
	st := aten.Bernoulli_Tensor(r.Ctx, a, b, g)
	runtime.KeepAlive(c.generator)
	r.Status(st)
	return t
}

// Exponential_ fills t with numbers drawn from the exponential distribution of
// rate lambd and returns t. It panics as Uniform_ does, and with ErrValue
// unless lambd is positive. Follows Tensor.exponential_.
func (t *Tensor) Exponential_(lambd float64, opts ...DrawOption) *Tensor {
	return draw("Exponential_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Exponential_(cx, h, lambd, g)
	})
}

// Geometric_ fills t with the number of trials up to the first success of
// probability p, and returns t. It panics with ErrValue unless p is in (0, 1),
// with ErrDType for complex numbers, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.geometric_.
func (t *Tensor) Geometric_(p float64, opts ...DrawOption) *Tensor {
	return draw("Geometric_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Geometric_(cx, h, p, g)
	})
}

// Cauchy_ fills t with numbers drawn from the Cauchy distribution and returns
// t. It panics as Uniform_ does, and with ErrValue unless sigma is positive.
// Follows Tensor.cauchy_.
func (t *Tensor) Cauchy_(median, sigma float64, opts ...DrawOption) *Tensor {
	return draw("Cauchy_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Cauchy_(cx, h, median, sigma, g)
	})
}

// Random_ fills t with integers drawn uniformly from 0 to the largest number of its
// dtype, and returns t. For a floating-point dtype, the range ends at the largest integer
// up to which the dtype represents every integer exactly. It panics with ErrDType for a
// complex t, and with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.random_.
func (t *Tensor) Random_(opts ...DrawOption) *Tensor {
	return draw("Random_(self)", t, opts, aten.Random_)
}

// RandomTo_ fills t with integers drawn uniformly from [0, to) and returns t. It panics
// with ErrValue if the range is empty, with ErrIndex if the range does not fit in the
// dtype, with ErrDType for complex numbers, and with ErrAutograd for a leaf that requires
// gradients, outside NoGrad. Follows Tensor.random_(to).
func (t *Tensor) RandomTo_(to int64, opts ...DrawOption) *Tensor {
	return draw("RandomTo_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Random_To(cx, h, to, g)
	})
}

// RandomRange_ is [Tensor.RandomTo_] for the range [from, to). It works in
// place and returns t. It panics as RandomTo_ does.
// Follows Tensor.random_(from, to).
func (t *Tensor) RandomRange_(from, to int64, opts ...DrawOption) *Tensor {
	return draw("RandomRange_(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Random_From(cx, h, from, &to, g)
	})
}

// Bernoulli returns, for each element of t, 1 with the probability that the element gives
// and 0 otherwise, in t's shape and dtype. It panics with ErrValue for a probability
// outside [0, 1], and with ErrDType for integers. Follows torch.bernoulli.
func (t *Tensor) Bernoulli(opts ...DrawOption) *Tensor {
	return sample("Bernoulli(self)", t, opts, aten.Bernoulli)
}

// BernoulliP returns 1 with probability p and 0 otherwise, in t's shape and
// dtype. t's elements do not matter. It panics with ErrValue for a p outside
// [0, 1], and with ErrDType for complex numbers. Follows torch.bernoulli(t, p).
func (t *Tensor) BernoulliP(p float64, opts ...DrawOption) *Tensor {
	return sample("BernoulliP(self)", t, opts, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Ret {
		return aten.BernoulliP(cx, h, p, g)
	})
}

// Poisson returns numbers drawn from Poisson distributions with the rates in t. It panics
// with ErrValue for a negative rate, and with ErrDType unless t is floating-point.
// Follows torch.poisson.
func (t *Tensor) Poisson(opts ...DrawOption) *Tensor {
	return sample("Poisson(self)", t, opts, aten.Poisson)
}

// Replacement lets [Tensor.Multinomial] draw an index several times. The
// default is false. It is replacement in Python.
type Replacement bool

// A MultinomialOption is an option of [Tensor.Multinomial]: [Replacement], or a
// *[Generator] (nil for the device's default one).
//
//gotorch:options Replacement *Generator
type MultinomialOption interface{ multinomialOption() }

// Multinomial draws numSamples indices from each row of t, a vector or matrix of weights,
// with probabilities proportional to the weights. The result is Int64 of shape
// (numSamples) or (rows, numSamples). Without [Replacement] each index is drawn at most
// once. It panics with ErrShape or ErrValue for any other shape of t, negative weights,
// or more samples than weights, and with ErrDType unless the weights are floating point.
// Follows torch.multinomial.
func (t *Tensor) Multinomial(numSamples int64, opts ...MultinomialOption) *Tensor {
	const op = "Multinomial(self)"
	h := t.handle(op, 0)
	c, replacement := creation{}, false
	for _, o := range opts {
		switch o := o.(type) {
		case Replacement:
			replacement = bool(o)
		case *Generator:
			c.generator = unseen(o)
		default:
			panic(badOption(op, o))
		}
	}
	g := c.gen(op)
	r := BeginRaw(op, t)
	ret := aten.Multinomial(r.Ctx, h, numSamples, replacement, g)
	runtime.KeepAlive(c.generator)
	return r.Tensor(ret)
}

// Normal returns a tensor of numbers drawn from the normal distribution. It
// panics with ErrValue for a negative std. Follows torch.normal(mean, std,
// size).
func Normal(mean, std float64, shape Shape, opts ...RandOption) *Tensor {
	const op = "Normal()"
	c := floatCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op)
	ret := aten.NormalFloatFloat(r.Ctx, mean, std, shape, g, c.dtype, c.layout, c.device, c.pin)
	runtime.KeepAlive(c.generator)
	return c.finish(r.Tensor(ret))
}

// NormalTensor returns one normally distributed number for each pair of mean
// and std, which broadcast. It panics with ErrShape if mean and std do not
// broadcast, and with ErrValue for a negative std. Follows torch.normal(mean,
// std).
func NormalTensor(mean, std *Tensor, opts ...DrawOption) *Tensor {
	const op = "NormalTensor(mean, std)"
	a, b, c := mean.handle(op, 0), std.handle(op, 1), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, mean, std)
	ret := aten.NormalTensorTensor(r.Ctx, a, b, g)
	runtime.KeepAlive(c.generator)
	return r.Tensor(ret)
}
