package distributions

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// The ways into a method: each says what it takes, looks at the distribution and the
// arguments, and frees the temporaries.

// constructor is what a program calls to make the distribution.
func (b *base) constructor() string { return "distributions.New" + b.name }

// op is what it calls then.
func (b *base) op(method string) string { return "distributions." + b.name + "." + method }

// open returns the distribution, or panics with ErrNil if no constructor made it and with
// ErrClosed if it is closed.
func (b *base) open(method string) core {
	if b.self == nil {
		panic(torch.NewError("distributions.Distribution."+method, torch.ErrNil, "d", "a distribution that no constructor made"))
	}
	if b.closed.Load() {
		panic(torch.NewError(b.op(method), torch.ErrClosed, "d", "the distribution is closed"))
	}
	return b.self
}

// without is the error for a method that the distribution does not have.
func (b *base) without(method string) *torch.Error {
	b.open(method)
	return &torch.Error{Op: b.op(method), Kind: torch.ErrNotImplemented, Message: "a " + b.name + " has none, as in PyTorch"}
}

// opened is open for a d that may be nil.
func opened(d core, method string) *base {
	if opt.IsNil(d) {
		panic(torch.NewError("distributions."+reflect.TypeOf(d).Elem().Name()+"."+method, torch.ErrNil, "d", "a nil distribution"))
	}
	b := d.state()
	b.open(method)
	return b
}

// closeAll is Close of a d that may be nil.
func closeAll(d core) error {
	if opt.IsNil(d) {
		return nil
	}
	return d.state().release()
}

// compute is a method without arguments.
func compute(d core, method string, fn func() *torch.Tensor) *torch.Tensor {
	opened(d, method)
	return torch.Tidy(fn)
}

// alias is a new tensor that shares t's memory: what a method returns that would else
// return a tensor of the distribution, so that the caller may close it.
func alias(t *torch.Tensor) *torch.Tensor { return aten.Alias(t) }

// at is a method of a value that is checked against the support.
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

// unchecked is a method of a value that is not.
func unchecked(d core, method string, value *torch.Tensor, fn func() *torch.Tensor) *torch.Tensor {
	value.HandleFor(opened(d, method).op(method)+"(value)", 0)
	return torch.Tidy(fn)
}

// draw is RSample: fn gets the shape of the sample option, and that with the shapes of the
// distribution after it.
func draw(d core, method string, opts []SampleOption, fn func(sample, shape torch.Shape) *torch.Tensor) *torch.Tensor {
	b := opened(d, method)
	sample := sampleShape(b.op(method), opts)
	return torch.Tidy(func() *torch.Tensor { return fn(sample, slices.Concat(sample, b.batch, b.event)) })
}

// drawPlain is Sample: draw without gradients.
func drawPlain(d core, opts []SampleOption, fn func(sample, shape torch.Shape) *torch.Tensor) *torch.Tensor {
	return noGrad(func() *torch.Tensor { return draw(d, "Sample", opts, fn) })
}

// enumerate is EnumerateSupport: values are shaped (n) and event, and become (n), batch and
// event.
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

// expand is Expand: it makes n of d. fn sets the fields of n; grow expands a tensor of d whose
// first dimensions are those of d's batch, and makes it n's.
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

// checkExpand panics with ErrShape unless a batch of shape from expands to one of shape to.
func checkExpand(op string, from, to torch.Shape) {
	ok := len(from) <= len(to)
	for i := 0; ok && i < len(to); i++ {
		k := i - (len(to) - len(from))
		ok = to[i] >= 0 && (k < 0 || from[k] == 1 || from[k] == to[i])
	}
	if !ok {
		panic(torch.NewError(op, torch.ErrShape, "batchShape", fmt.Sprintf("a batch of shape %v does not expand to %v", from, to)))
	}
}

func ones(n int) torch.Shape { return slices.Repeat(torch.Shape{1}, n) }
