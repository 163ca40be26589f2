package distributions

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// Methods start in one of these functions, which check the distribution and the
// arguments, and free the temporaries.

// constructor returns the name of the distribution's constructor.
func (b *base) constructor() string { return "distributions.New" + b.name }

// op returns the name of a method, for errors.
func (b *base) op(method string) string { return "distributions." + b.name + "." + method }

// open returns the distribution, or panics with ErrNil if no constructor made it and with
// ErrClosed if it is closed.
func (b *base) open(method string) core {
	if b.self == nil {
		panic(torch.NewError("distributions.Distribution."+method, torch.ErrNil, "d",
			"the distribution was not made by a constructor"))
	}
	if b.closed.Load() {
		panic(torch.NewError(b.op(method), torch.ErrClosed, "d", "the distribution is closed"))
	}
	return b.self
}

// without returns the error for a method that the distribution does not support.
func (b *base) without(method string) *torch.Error {
	b.open(method)
	return &torch.Error{
		Op: b.op(method), Kind: torch.ErrNotImplemented,
		Message: "a " + b.name + " does not support this method, as in PyTorch",
	}
}

// opened returns the base of d after the checks of open. It also panics with ErrNil if d is nil.
func opened(d core, method string) *base {
	if opt.IsNil(d) {
		panic(torch.NewError("distributions."+reflect.TypeOf(d).Elem().Name()+"."+method, torch.ErrNil, "d",
			"a nil distribution"))
	}
	b := d.state()
	b.open(method)
	return b
}

// closeAll implements Close for a d that may be nil.
func closeAll(d core) error {
	if opt.IsNil(d) {
		return nil
	}
	return d.state().release()
}

// compute runs a method without arguments.
func compute(d core, method string, fn func() *torch.Tensor) *torch.Tensor {
	opened(d, method)
	return torch.Tidy(fn)
}

// alias returns a new tensor that shares t's memory. Methods use it where they would otherwise
// return a tensor of the distribution, so that the caller may close the result.
func alias(t *torch.Tensor) *torch.Tensor { return aten.Alias(t) }

// at runs a method that takes a value, after it has checked the value against the support.
func at(d core, method string, value *torch.Tensor, fn func() *torch.Tensor) *torch.Tensor {
	b := opened(d, method)
	value.HandleFor(b.op(method)+"(value)", 0)
	return torch.Tidy(func() *torch.Tensor {
		if b.validate {
			b.checkSample(b.op(method), value)
		}
		return fn()
	})
}

// unchecked runs a method that takes a value, without a check against the support.
func unchecked(d core, method string, value *torch.Tensor, fn func() *torch.Tensor) *torch.Tensor {
	value.HandleFor(opened(d, method).op(method)+"(value)", 0)
	return torch.Tidy(fn)
}

// draw runs RSample. fn gets the shape of the sample option, and the shape of the whole
// result: sample, batch and event.
func draw(d core, method string, opts []SampleOption, fn func(sample, shape torch.Shape) *torch.Tensor) *torch.Tensor {
	b := opened(d, method)
	sample := sampleShape(b.op(method), opts)
	return torch.Tidy(func() *torch.Tensor { return fn(sample, slices.Concat(sample, b.batch, b.event)) })
}

// drawPlain runs Sample. It is like draw, but without gradients.
func drawPlain(d core, opts []SampleOption, fn func(sample, shape torch.Shape) *torch.Tensor) *torch.Tensor {
	return noGrad(func() *torch.Tensor { return draw(d, "Sample", opts, fn) })
}

// enumerate runs EnumerateSupport. values returns n values of shape (n) and event; the
// result has the shape (n), batch and event.
func enumerate(d core, opts []EnumerateOption, values func() *torch.Tensor) *torch.Tensor {
	b := opened(d, "EnumerateSupport")
	expand := expanding(b.op("EnumerateSupport"), opts)
	return torch.Tidy(func() *torch.Tensor {
		v := values()
		shape := slices.Concat(v.Shape()[:1], ones(len(b.batch)), b.event)
		v = v.Reshape(shape...)
		if expand {
			v = v.Expand(slices.Concat(shape[:1], b.batch, b.event)...)
		}
		return v
	})
}

// expand runs Expand, which makes n from d. fn sets the fields of n. grow expands a tensor of d
// along the dimensions of its batch, and records the result as a tensor of n.
func expand(d, n core, batch torch.Shape, fn func(b *base, grow func(t *torch.Tensor) *torch.Tensor)) {
	from := opened(d, "Expand")
	checkExpand(from.op("Expand"), from.batch, batch)
	build(n, from.name, settings{}, func(b *base) {
		b.batch, b.event = slices.Clone(batch), slices.Clone(from.event)
		b.rsample, b.enumerates = from.rsample, from.enumerates
		fn(b, func(t *torch.Tensor) *torch.Tensor {
			return b.keep(t.Expand(slices.Concat(batch, t.Shape()[len(from.batch):])...))
		})
	})
	n.state().validate = from.validate
}

// checkExpand panics with ErrShape unless from, the shape of a batch, can be expanded to
// the shape to.
func checkExpand(op string, from, to torch.Shape) {
	ok := len(from) <= len(to)
	for i := 0; ok && i < len(to); i++ {
		k := i - (len(to) - len(from))
		ok = to[i] >= 0 && (k < 0 || from[k] == 1 || from[k] == to[i])
	}
	if !ok {
		panic(torch.NewError(op, torch.ErrShape, "batchShape",
			fmt.Sprintf("a batch of shape %v does not expand to %v", from, to)))
	}
}

func ones(n int) torch.Shape { return slices.Repeat(torch.Shape{1}, n) }
