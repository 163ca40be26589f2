package torch

import (
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// generatorArg reads an optional last argument: the generator's handle, zero
// for the device's default one.
func generatorArg(op string, gens []*Generator) abi.Generator {
	if len(gens) == 0 || gens[len(gens)-1] == nil {
		return 0
	}
	return gens[len(gens)-1].handle(op)
}

// draw calls an operator that fills t with random numbers, and returns t.
func draw(op string, t *Tensor, gens []*Generator, f func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status) *Tensor {
	h, g := t.handle(op, 0), generatorArg(op, gens)
	r := BeginRaw(op)
	st := f(r.Ctx, h, g)
	runtime.KeepAlive(gens)
	r.Status(st, t)
	return t
}

// sample calls an operator that returns random numbers for t.
func sample(op string, t *Tensor, gens []*Generator, f func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Ret) *Tensor {
	h, g := t.handle(op, 0), generatorArg(op, gens)
	r := BeginRaw(op)
	ret := f(r.Ctx, h, g)
	runtime.KeepAlive(gens)
	return r.Tensor(ret, t)
}

// Uniform_ fills t with numbers drawn uniformly from [from, to) and returns t;
// Python's default range is 0 to 1. As all functions that draw, it takes the
// numbers from the generator if one is given and from the device's default one
// otherwise, in PyTorch's order, so the same seed gives Python's numbers; it
// panics with ErrAutograd for a leaf that requires gradients outside NoGrad. It
// panics with ErrDType for integers, and with ErrValue if from is above to.
// Follows Tensor.uniform_.
func (t *Tensor) Uniform_(from, to float64, generator ...*Generator) *Tensor {
	return draw("Uniform_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Uniform_(cx, h, from, to, g)
	})
}

// Normal_ fills t with numbers drawn from the normal distribution and returns
// t; Python's defaults are 0 and 1. It panics as Uniform_ does, and with
// ErrValue for a negative std. Follows Tensor.normal_.
func (t *Tensor) Normal_(mean, std float64, generator ...*Generator) *Tensor {
	return draw("Normal_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Normal_(cx, h, mean, std, g)
	})
}

// LogNormal_ fills t with numbers whose logarithm is normally distributed with
// the given mean and std, and returns t. Panics are those of Normal_. Follows
// Tensor.log_normal_.
func (t *Tensor) LogNormal_(mean, std float64, generator ...*Generator) *Tensor {
	return draw("LogNormal_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.LogNormal_(cx, h, mean, std, g)
	})
}

// Bernoulli_ fills t with 1, drawn with probability p, and 0, and returns t;
// any dtype will do. It panics with ErrValue unless p is in [0, 1]. Follows
// Tensor.bernoulli_.
func (t *Tensor) Bernoulli_(p float64, generator ...*Generator) *Tensor {
	return draw("Bernoulli_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Bernoulli_Float(cx, h, p, g)
	})
}

// BernoulliTensor_ is Bernoulli_ with a probability for each element; p must
// broadcast to t's shape. Follows Tensor.bernoulli_.
func (t *Tensor) BernoulliTensor_(p *Tensor, generator ...*Generator) *Tensor {
	const op = "BernoulliTensor_(self, p)"
	a, b, g := t.handle(op, 0), p.handle(op, 1), generatorArg(op, generator)
	r := BeginRaw(op)
	st := aten.Bernoulli_Tensor(r.Ctx, a, b, g)
	runtime.KeepAlive(generator)
	r.Status(st, t, p)
	return t
}

// Exponential_ fills t with numbers drawn from the exponential distribution of
// rate lambd and returns t. It panics as Uniform_ does, and with ErrValue
// unless lambd is positive. Follows Tensor.exponential_.
func (t *Tensor) Exponential_(lambd float64, generator ...*Generator) *Tensor {
	return draw("Exponential_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Exponential_(cx, h, lambd, g)
	})
}

// Geometric_ fills t with the number of trials up to the first success of
// probability p, and returns t. It panics with ErrValue unless p is in (0,
// 1). Follows Tensor.geometric_.
func (t *Tensor) Geometric_(p float64, generator ...*Generator) *Tensor {
	return draw("Geometric_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Geometric_(cx, h, p, g)
	})
}

// Cauchy_ fills t with numbers drawn from the Cauchy distribution and returns
// t. It panics as Uniform_ does, and with ErrValue unless sigma is positive.
// Follows Tensor.cauchy_.
func (t *Tensor) Cauchy_(median, sigma float64, generator ...*Generator) *Tensor {
	return draw("Cauchy_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Cauchy_(cx, h, median, sigma, g)
	})
}

// Random_ fills t with whole numbers drawn uniformly from all that its dtype
// can hold, up to the largest exact one for floating point, and returns t.
// Follows Tensor.random_.
func (t *Tensor) Random_(generator ...*Generator) *Tensor {
	return draw("Random_(self)", t, generator, aten.Random_)
}

// RandomTo_ fills t with whole numbers drawn uniformly from [0, to) and returns
// t. It panics with ErrValue if the range is empty and with ErrIndex if it
// does not fit the dtype. Follows Tensor.random_(to).
func (t *Tensor) RandomTo_(to int64, generator ...*Generator) *Tensor {
	return draw("RandomTo_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Random_To(cx, h, to, g)
	})
}

// RandomRange_ is RandomTo_ with a lower bound: [from, to). Follows
// Tensor.random_(from, to).
func (t *Tensor) RandomRange_(from, to int64, generator ...*Generator) *Tensor {
	return draw("RandomRange_(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Status {
		return aten.Random_From(cx, h, from, &to, g)
	})
}

// Bernoulli returns 1, drawn with the probability that t's element gives, and
// 0, in t's shape and dtype. It panics with ErrValue for a probability
// outside [0, 1] and with ErrDType for integers. Follows torch.bernoulli.
func (t *Tensor) Bernoulli(generator ...*Generator) *Tensor {
	return sample("Bernoulli(self)", t, generator, aten.Bernoulli)
}

// BernoulliP returns 1, drawn with probability p, and 0, in t's shape and
// dtype; what t holds does not count. Follows torch.bernoulli(t, p).
func (t *Tensor) BernoulliP(p float64, generator ...*Generator) *Tensor {
	return sample("BernoulliP(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Ret {
		return aten.BernoulliP(cx, h, p, g)
	})
}

// Poisson returns numbers drawn from the Poisson distributions whose rates t
// holds. It panics with ErrValue for a negative rate. Follows torch.poisson.
func (t *Tensor) Poisson(generator ...*Generator) *Tensor {
	return sample("Poisson(self)", t, generator, aten.Poisson)
}

// Multinomial draws numSamples indices from each row of t, a vector or matrix
// of weights, with a probability proportional to the weight; the result is
// Int64, of shape (numSamples) or (rows, numSamples). Without replacement an
// index comes once. It panics with ErrShape or ErrValue for other shapes,
// negative weights, and more samples than weights. Follows torch.multinomial.
func (t *Tensor) Multinomial(numSamples int64, replacement bool, generator ...*Generator) *Tensor {
	return sample("Multinomial(self)", t, generator, func(cx abi.Ctx, h abi.Tensor, g abi.Generator) abi.Ret {
		return aten.Multinomial(cx, h, numSamples, replacement, g)
	})
}

// Normal returns a tensor of numbers drawn from the normal distribution. It
// panics with ErrValue for a negative std. Follows torch.normal(mean, std,
// size).
func Normal(mean, std float64, shape Shape, opts ...Option) *Tensor {
	c := readOptions("Normal", opts, creates|takesGenerator|isFloat)
	g := c.gen("Normal")
	r := BeginRaw("Normal()")
	return c.finish(r.Tensor(aten.NormalFloatFloat(r.Ctx, mean, std, shape, g, c.dtype, c.layout, c.device, c.pin)))
}

// NormalTensor returns a number for each pair of mean and std, which broadcast.
// Follows torch.normal(mean, std).
func NormalTensor(mean, std *Tensor, generator ...*Generator) *Tensor {
	const op = "NormalTensor(mean, std)"
	a, b, g := mean.handle(op, 0), std.handle(op, 1), generatorArg(op, generator)
	r := BeginRaw(op)
	ret := aten.NormalTensorTensor(r.Ctx, a, b, g)
	runtime.KeepAlive(generator)
	return r.Tensor(ret, mean, std)
}
