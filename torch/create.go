package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Empty returns an uninitialized tensor of the given shape. It panics with
// ErrShape, ErrValue or ErrRuntime for a negative size, with ErrDType for an
// integer dtype with RequiresGrad(true), and with ErrOutOfMemory.
// Follows torch.empty.
func Empty(shape Shape, opts ...EmptyOption) *Tensor {
	c := floatCreation("Empty", opts)
	r := BeginRaw("Empty()")
	return c.finish(r.Tensor(aten.EmptyMemoryFormat(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin, c.format)))
}

// Zeros returns a tensor filled with 0. It panics as [Empty] does.
// Follows torch.zeros.
func Zeros(shape Shape, opts ...CreateOption) *Tensor {
	c := floatCreation("Zeros", opts)
	r := BeginRaw("Zeros()")
	return c.finish(r.Tensor(aten.Zeros(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Ones returns a tensor filled with 1. It panics as [Empty] does.
// Follows torch.ones.
func Ones(shape Shape, opts ...CreateOption) *Tensor {
	c := floatCreation("Ones", opts)
	r := BeginRaw("Ones()")
	return c.finish(r.Tensor(aten.Ones(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Full returns a tensor filled with value. Unless a [DType] is given, the type
// of value sets the dtype: Int64 for an integer, the default float type for a
// float, Bool for a bool. It panics as [Empty] does, and with ErrType if value
// is not a number. Follows torch.full.
func Full(shape Shape, value any, opts ...CreateOption) *Tensor {
	const op = "Full()"
	return full(op, shape, scalarArg(op, "value", value), newCreation(op, opts))
}

func full(op string, shape Shape, v abi.Scalar, c creation) *Tensor {
	c.defaultFor(v)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.Full(r.Ctx, shape, v, c.dtype, c.layout, c.device, c.pin)))
}

// Eye returns the n x n identity matrix. It panics with ErrRuntime for a
// negative n, and with ErrOutOfMemory. Follows torch.eye.
func Eye(n int64, opts ...CreateOption) *Tensor {
	c := floatCreation("Eye", opts)
	r := BeginRaw("Eye()")
	return c.finish(r.Tensor(aten.Eye(r.Ctx, n, c.dtype, c.layout, c.device, c.pin)))
}

// EyeNM returns an n x m matrix with ones on the diagonal. It panics as [Eye]
// does. Follows torch.eye.
func EyeNM(n, m int64, opts ...CreateOption) *Tensor {
	c := floatCreation("EyeNM", opts)
	r := BeginRaw("EyeNM()")
	return c.finish(r.Tensor(aten.EyeM(r.Ctx, n, m, c.dtype, c.layout, c.device, c.pin)))
}

// ScalarTensor returns a tensor without dimensions that holds value. It panics
// with ErrType if value is not a number, and with ErrValue for a [Layout] other
// than Strided. Follows torch.scalar_tensor.
func ScalarTensor(value any, opts ...CreateOption) *Tensor {
	const op = "ScalarTensor()"
	v := scalarArg(op, "value", value)
	c := floatCreation(op, opts)
	if c.layout != -1 && c.layout != Strided.code() { // libtorch would ignore the layout
		panic(argError(op, ErrValue, "Layout", "expected Strided, got "+Layout(c.layout+1).String()))
	}
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.ScalarTensor(r.Ctx, v, c.dtype, c.layout, c.device, c.pin)))
}

// Rand returns numbers drawn uniformly from [0, 1). It panics as [Empty] does,
// and with ErrDType for a dtype that is neither floating-point nor complex.
// Follows torch.rand.
func Rand(shape Shape, opts ...RandOption) *Tensor {
	c := floatCreation("Rand", opts)
	g := c.gen("Rand")
	r := BeginRaw("Rand()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandGenerator(r.Ctx, shape, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Rand(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// Randn returns numbers drawn from the standard normal distribution. It panics
// as [Empty] does, and with ErrDType for a dtype that is neither floating-point
// nor complex. Follows torch.randn.
func Randn(shape Shape, opts ...RandOption) *Tensor {
	c := floatCreation("Randn", opts)
	g := c.gen("Randn")
	r := BeginRaw("Randn()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandnGenerator(r.Ctx, shape, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Randn(r.Ctx, shape, c.dtype, c.layout, c.device, c.pin)))
}

// RandInt returns integers drawn uniformly from [low, high), as Int64 unless a
// [DType] is given. It panics as [Empty] does, and with ErrRuntime or ErrValue
// if the range is empty. Follows torch.randint.
func RandInt(low, high int64, shape Shape, opts ...RandOption) *Tensor {
	return randint("RandInt", low, high, shape, opts)
}

func randint(op string, low, high int64, shape Shape, opts []RandOption) *Tensor {
	c := newCreation(op, opts)
	c.dtype = c.or(Int64) // PyTorch's default for randint
	g := c.gen(op)
	r := BeginRaw(op)
	if g != 0 {
		return c.finish(r.Tensor(aten.RandintLowGenerator(r.Ctx, low, high, shape, g, c.dtype, c.layout, c.device,
			c.pin)))
	}
	return c.finish(r.Tensor(aten.RandintLow(r.Ctx, low, high, shape, c.dtype, c.layout, c.device, c.pin)))
}

// RandIntTo is [RandInt] with low 0. It panics as RandInt does.
// Follows torch.randint with one bound.
func RandIntTo(high int64, shape Shape, opts ...RandOption) *Tensor {
	return randint("RandIntTo", 0, high, shape, opts)
}

// RandPerm returns the integers from 0 to n-1 in random order, as Int64 unless
// a [DType] is given. It panics with ErrShape or ErrValue for a negative n.
// Follows torch.randperm.
func RandPerm(n int64, opts ...RandOption) *Tensor {
	c := newCreation("RandPerm", opts)
	c.dtype = c.or(Int64)
	g := c.gen("RandPerm")
	r := BeginRaw("RandPerm()")
	if g != 0 {
		return c.finish(r.Tensor(aten.RandpermGenerator(r.Ctx, n, g, c.dtype, c.layout, c.device, c.pin)))
	}
	return c.finish(r.Tensor(aten.Randperm(r.Ctx, n, c.dtype, c.layout, c.device, c.pin)))
}

// likeFunc is the signature of the *_like operators.
type likeFunc func(cx abi.Ctx, self abi.Tensor, dtype, layout int8, device int32, pin *bool, format int8) abi.Ret

func like(op string, f likeFunc, t *Tensor, opts []LikeOption) *Tensor {
	h := t.handle(op, 0)
	c := readCreation(op, opts)
	r := BeginRaw(op, t)
	return c.finish(r.Tensor(f(r.Ctx, h, c.dtype, c.layout, c.device, c.pin, c.format)))
}

// EmptyLike returns an uninitialized tensor with t's shape, dtype and device.
// Options override these. It panics with ErrOutOfMemory.
// Follows torch.empty_like.
func EmptyLike(t *Tensor, opts ...LikeOption) *Tensor {
	return like("EmptyLike(t)", aten.EmptyLike, t, opts)
}

// ZerosLike returns zeros with t's shape, dtype and device. Options override
// these. It panics as [EmptyLike] does. Follows torch.zeros_like.
func ZerosLike(t *Tensor, opts ...LikeOption) *Tensor {
	return like("ZerosLike(t)", aten.ZerosLike, t, opts)
}

// OnesLike returns ones with t's shape, dtype and device. Options override
// these. It panics as [EmptyLike] does. Follows torch.ones_like.
func OnesLike(t *Tensor, opts ...LikeOption) *Tensor {
	return like("OnesLike(t)", aten.OnesLike, t, opts)
}

// RandLike returns uniform random numbers from [0, 1) with t's shape, dtype and
// device. Options override these. It panics as [EmptyLike] does, and with
// ErrDType for a dtype that is neither floating-point nor complex.
// Follows torch.rand_like.
func RandLike(t *Tensor, opts ...LikeOption) *Tensor {
	return like("RandLike(t)", aten.RandLike, t, opts)
}

// RandnLike returns standard normal random numbers with t's shape, dtype and
// device. Options override these. It panics as [EmptyLike] does, and with
// ErrDType for a dtype that is neither floating-point nor complex.
// Follows torch.randn_like.
func RandnLike(t *Tensor, opts ...LikeOption) *Tensor {
	return like("RandnLike(t)", aten.RandnLike, t, opts)
}

// RandIntLike returns integers drawn uniformly from [low, high), with t's
// shape, dtype and device. Options override these. It panics with ErrRuntime or
// ErrValue if the range is empty. Follows torch.randint_like.
func RandIntLike(t *Tensor, low, high int64, opts ...LikeOption) *Tensor {
	return like("RandIntLike(t)",
		func(cx abi.Ctx, h abi.Tensor, dtype, layout int8, device int32, pin *bool, format int8) abi.Ret {
			return aten.RandintLikeLowDtype(cx, h, low, high, dtype, layout, device, pin, format)
		}, t, opts)
}

// FullLike returns a tensor filled with value, with t's shape, dtype and
// device. Options override these. It panics as [EmptyLike] does, and with
// ErrType if value is not a number. Follows torch.full_like.
func FullLike(t *Tensor, value any, opts ...LikeOption) *Tensor {
	v := scalarArg("FullLike", "value", value)
	return like("FullLike(t)",
		func(cx abi.Ctx, h abi.Tensor, dtype, layout int8, device int32, pin *bool, format int8) abi.Ret {
			return aten.FullLike(cx, h, v, dtype, layout, device, pin, format)
		}, t, opts)
}
