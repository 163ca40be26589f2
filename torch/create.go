package torch

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// finish applies the options that the operator itself does not take.
func (c *creation) finish(t *Tensor) *Tensor {
	if c.requiresGrad {
		t.SetRequiresGrad(true)
	}
	return t
}

// gen returns the handle of the generator, zero for the default one.
func (c *creation) gen(op string) abi.Generator {
	if c.generator == nil {
		return 0
	}
	return c.generator.handle(op)
}

// Empty returns a tensor of the given shape whose elements are not set.
// It panics with ErrShape, ErrValue or ErrRuntime for a negative size, and with
// ErrOutOfMemory if there is not enough memory. Follows torch.empty.
func Empty(shape Shape, opts ...Option) *Tensor {
	c := readOptions("Empty", opts, creates|takesFormat|isFloat)
	r := BeginRaw("Empty()")
	return c.finish(r.Tensor(aten.EmptyMemoryFormat(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin, c.format)))
}

// Zeros returns a tensor filled with 0. Follows torch.zeros.
func Zeros(shape Shape, opts ...Option) *Tensor {
	c := readOptions("Zeros", opts, creates|isFloat)
	r := BeginRaw("Zeros()")
	return c.finish(r.Tensor(aten.Zeros(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Ones returns a tensor filled with 1. Follows torch.ones.
func Ones(shape Shape, opts ...Option) *Tensor {
	c := readOptions("Ones", opts, creates|isFloat)
	r := BeginRaw("Ones()")
	return c.finish(r.Tensor(aten.Ones(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Full returns a tensor filled with a number, whose type chooses the dtype
// unless one is given: int64 for an integer, the default float for a float,
// bool for a bool. Follows torch.full.
func Full(shape Shape, value any, opts ...Option) *Tensor {
	v := scalarArg("Full", "value", value)
	c := readOptions("Full", opts, creates)
	c.defaultFor(v)
	r := BeginRaw("Full()")
	return c.finish(r.Tensor(aten.Full(r.Ctx, shape, v, c.dtype, c.layout, c.device, c.pin)))
}

// Arange returns the numbers from start up to but not including end, step
// apart: int64 if all three are integers, else the default float type. It
// panics if step is 0 or leads away from end. Follows torch.arange.
func Arange(start, end, step any, opts ...Option) *Tensor {
	const op = "Arange"
	a, b, s := scalarArg(op, "start", start), scalarArg(op, "end", end), scalarArg(op, "step", step)
	c := readOptions("Arange", opts, creates)
	c.defaultFor(a, b, s)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.ArangeStartStep(r.Ctx, a, b, s, c.dtype, c.layout, c.device, c.pin)))
}

// Linspace returns steps numbers from start to end, both included. Follows
// torch.linspace.
func Linspace(start, end any, steps int64, opts ...Option) *Tensor {
	const op = "Linspace"
	a, b := scalarArg(op, "start", start), scalarArg(op, "end", end)
	c := readOptions("Linspace", opts, creates)
	c.defaultFor(a, b, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.Linspace(r.Ctx, a, b, steps, c.dtype, c.layout, c.device, c.pin)))
}

// Logspace returns steps numbers from base**start to base**end, evenly spaced
// on a logarithmic scale. Follows torch.logspace.
func Logspace(start, end any, steps int64, base float64, opts ...Option) *Tensor {
	const op = "Logspace"
	a, b := scalarArg(op, "start", start), scalarArg(op, "end", end)
	c := readOptions("Logspace", opts, creates)
	c.defaultFor(a, b, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.Logspace(r.Ctx, a, b, steps, base, c.dtype, c.layout, c.device, c.pin)))
}

// Eye returns the n x n identity matrix. Follows torch.eye.
func Eye(n int64, opts ...Option) *Tensor {
	c := readOptions("Eye", opts, creates|isFloat)
	r := BeginRaw("Eye()")
	return c.finish(r.Tensor(aten.Eye(r.Ctx, n, c.dtype, c.layout, c.device, c.pin)))
}

// EyeNM returns an n x m matrix with ones on the diagonal. Follows torch.eye.
func EyeNM(n, m int64, opts ...Option) *Tensor {
	c := readOptions("EyeNM", opts, creates|isFloat)
	r := BeginRaw("EyeNM()")
	return c.finish(r.Tensor(aten.EyeM(r.Ctx, n, m, c.dtype, c.layout, c.device, c.pin)))
}

// ScalarTensor returns a tensor of no dimensions that holds value. Follows
// torch.scalar_tensor.
func ScalarTensor(value any, opts ...Option) *Tensor {
	v := scalarArg("ScalarTensor", "value", value)
	c := readOptions("ScalarTensor", opts, creates|isFloat)
	r := BeginRaw("ScalarTensor()")
	return c.finish(r.Tensor(aten.ScalarTensor(r.Ctx, v, c.dtype, c.layout, c.device, c.pin)))
}

// Rand returns numbers drawn uniformly from [0, 1). Follows torch.rand.
func Rand(shape Shape, opts ...Option) *Tensor {
	c := readOptions("Rand", opts, creates|takesGenerator|isFloat)
	g := c.gen("Rand")
	r := BeginRaw("Rand()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandGenerator(r.Ctx, shape, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Rand(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Randn returns numbers drawn from the standard normal distribution. Follows
// torch.randn.
func Randn(shape Shape, opts ...Option) *Tensor {
	c := readOptions("Randn", opts, creates|takesGenerator|isFloat)
	g := c.gen("Randn")
	r := BeginRaw("Randn()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandnGenerator(r.Ctx, shape, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Randn(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Randint returns integers drawn uniformly from [low, high), int64 unless a
// dtype is given. It panics if the range is empty. Follows torch.randint.
func Randint(low, high int64, shape Shape, opts ...Option) *Tensor {
	c := readOptions("Randint", opts, creates|takesGenerator)
	if c.dtype < 0 {
		c.dtype = Int64.code() // PyTorch's default for this one
	}
	g := c.gen("Randint")
	r := BeginRaw("Randint()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandintLowGenerator(r.Ctx, low, high, shape, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.RandintLow(r.Ctx, low, high, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Randperm returns the integers from 0 to n-1 in random order, int64 unless a
// dtype is given. Follows torch.randperm.
func Randperm(n int64, opts ...Option) *Tensor {
	c := readOptions("Randperm", opts, creates|takesGenerator)
	if c.dtype < 0 {
		c.dtype = Int64.code()
	}
	g := c.gen("Randperm")
	r := BeginRaw("Randperm()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandpermGenerator(r.Ctx, n, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Randperm(r.Ctx, n, c.dtype, c.layout, c.device, c.pin)))
}

// likeFunc is the shape that the *_like operators share.
type likeFunc func(cx abi.Ctx, self abi.Tensor, dtype, layout int8, device int32, pin *bool, format int8) abi.Ret

func like(op string, f likeFunc, t *Tensor, opts []Option) *Tensor {
	h := t.handle(op, 0)
	c := readOptions(op, opts, creates&^onDefault|takesFormat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(f(r.Ctx, h, c.dtype, c.layout, c.device, c.pin, c.format), t))
}

// EmptyLike returns a tensor of t's shape, dtype and device whose elements are
// not set; options override. Follows torch.empty_like.
func EmptyLike(t *Tensor, opts ...Option) *Tensor {
	return like("EmptyLike(self)", aten.EmptyLike, t, opts)
}

// ZerosLike returns zeros in t's shape, dtype and device; options override.
// Follows torch.zeros_like.
func ZerosLike(t *Tensor, opts ...Option) *Tensor {
	return like("ZerosLike(self)", aten.ZerosLike, t, opts)
}

// OnesLike returns ones in t's shape, dtype and device; options override.
// Follows torch.ones_like.
func OnesLike(t *Tensor, opts ...Option) *Tensor {
	return like("OnesLike(self)", aten.OnesLike, t, opts)
}

// RandLike returns uniform random numbers in t's shape, dtype and device;
// options override. Follows torch.rand_like.
func RandLike(t *Tensor, opts ...Option) *Tensor {
	return like("RandLike(self)", aten.RandLike, t, opts)
}

// RandnLike returns normal random numbers in t's shape, dtype and device;
// options override. Follows torch.randn_like.
func RandnLike(t *Tensor, opts ...Option) *Tensor {
	return like("RandnLike(self)", aten.RandnLike, t, opts)
}

// FullLike returns a tensor of t's shape, dtype and device filled with value;
// options override. Follows torch.full_like.
func FullLike(t *Tensor, value any, opts ...Option) *Tensor {
	v := scalarArg("FullLike", "value", value)
	return like("FullLike(self)", func(cx abi.Ctx, h abi.Tensor, dtype, layout int8, device int32, pin *bool, format int8) abi.Ret {
		return aten.FullLike(cx, h, v, dtype, layout, device, pin, format)
	}, t, opts)
}

// ManualSeed seeds the random generator of every device. The same seed gives
// the same numbers as in Python. Follows torch.manual_seed.
func ManualSeed(seed uint64) {
	if st := cgotorch.ManualSeed(seed); st != 0 {
		panic(statusError("ManualSeed()", st, nil))
	}
}
