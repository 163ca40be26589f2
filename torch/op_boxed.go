package torch

import (
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Range returns the numbers from start to end, both included, in increments of
// step, in the default float type unless a [DType] is given. PyTorch recommends
// [Arange], which excludes the end. It panics with ErrType if an argument is
// not a number, and with ErrValue or ErrRuntime if step is 0 or has the wrong
// sign. Follows torch.range.
func Range(start, end, step any, opts ...CreateOption) *Tensor {
	const op = "Range"
	a, b, d := scalarArg(op, "start", start), scalarArg(op, "end", end), scalarArg(op, "step", step)
	c := newCreation(op, opts)
	c.defaultFor(a, b, d, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.RangeStep(r.Ctx, a, b, d, c.dtype, c.layout, c.device, c.pin)))
}

// A KaiserOption is an option of [KaiserWindow]: [Beta], [Periodic], a [DType]
// or a [Device].
//
//gotorch:options Beta Periodic DType Device
type KaiserOption interface{ kaiserOption() }

// KaiserWindow returns a Kaiser window of n weights. [Beta] (default 12) sets how narrow
// the window is. KaiserWindow panics as HannWindow does. Follows torch.kaiser_window.
func KaiserWindow(n int64, opts ...KaiserOption) *Tensor {
	const op = "KaiserWindow()"
	var periodic Periodic = true
	var beta Beta = 12
	c := readCreation[WeightingOption](op, nil)
	for _, o := range opts {
		switch o := o.(type) {
		case Periodic:
			periodic = o
		case Beta:
			beta = o
		default:
			if !c.take(op, o) {
				panic(badOption(op, o))
			}
		}
	}
	c.onDefault()
	c.defaultFloat()
	r := BeginRaw(op)
	return r.Tensor(aten.KaiserWindowBeta(r.Ctx, n, bool(periodic), float64(beta), c.dtype, c.layout, c.device, c.pin))
}

// Fill returns a tensor of t's shape and dtype with every element set to value,
// a number or a *Tensor without dimensions. It panics as [Tensor.Fill_] does,
// except with ErrAutograd. Follows torch.fill.
func Fill(t *Tensor, value any) *Tensor {
	const op = "Fill(t, value)"
	h, v := t.handle(op, 0), operandArg(op, 1, "value", value)
	if v.t != nil {
		r := BeginRaw(op, t, v.t)
		return r.Tensor(aten.FillTensor(r.Ctx, h, v.h))
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.FillScalar(r.Ctx, h, v.s))
}

// Binomial returns numbers drawn from binomial distributions with count trials
// and probability prob. Both must have the same shape and floating-point dtype.
// It panics with ErrShape if the shapes do not broadcast, with ErrDType for
// integers and if the dtypes differ, and with ErrValue or ErrRuntime for
// invalid counts or probabilities. Follows torch.binomial.
func Binomial(count, prob *Tensor, opts ...DrawOption) *Tensor {
	const op = "Binomial(count, prob)"
	n, p, c := count.handle(op, 0), prob.handle(op, 1), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, count, prob)
	ret := aten.Binomial(r.Ctx, n, p, g)
	runtime.KeepAlive(c.generator)
	return r.Tensor(ret)
}

// ChainMatMul is [MultiDot] for any number of matrices; a single one is
// returned unchanged. It panics with ErrValue for an empty list, and with
// ErrShape or ErrRuntime if the matrices do not match.
// Follows torch.chain_matmul.
func ChainMatMul(matrices ...*Tensor) *Tensor { return join("ChainMatMul", matrices, aten.ChainMatmul) }

// Trapz is an alias of Trapezoid. It panics as [Tensor.Trapezoid] does.
func (t *Tensor) Trapz(opts ...TrapezoidOption) *Tensor { return t.Trapezoid(opts...) }

// Chalf converts to Complex32. See [Tensor.Float]. Follows Tensor.chalf.
func (t *Tensor) Chalf() *Tensor { return toDType("Chalf(self)", t, Complex32) }

// FillValue is the number with which [Tensor.NonzeroStatic] fills unused rows.
// The default is -1. It is fill_value in Python.
type FillValue int64

// A NonzeroStaticOption is an option of [Tensor.NonzeroStatic]: [FillValue].
//
//gotorch:options FillValue
type NonzeroStaticOption interface{ nonzeroStaticOption() }

// NonzeroStatic is [Tensor.Nonzero] with exactly size rows: it drops excess
// rows and fills missing ones with [FillValue]. It panics with ErrShape for a
// negative size. Follows torch.nonzero_static.
func (t *Tensor) NonzeroStatic(size int64, opts ...NonzeroStaticOption) *Tensor {
	const op = "NonzeroStatic(self)"
	fill := readOption(op, opts, FillValue(-1))
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.NonzeroStatic(cx, h, size, int64(fill)) })
}

// HashTensor returns the exclusive or of the bits of all elements as Uint64. With [Dim] or [Dims]
// it reduces only those dimensions. It panics with ErrIndex for a dimension out of range, with
// ErrShape for a repeated dimension or a tensor without elements, and with ErrDType for complex
// numbers. Follows torch.hash_tensor.
func (t *Tensor) HashTensor(opts ...DimsOption) *Tensor {
	const op = "HashTensor(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.HashTensor(r.Ctx, h, o.list(), o.keepdim, 0))
}

// UnsafeChunk is [Tensor.Chunk], but its results may be modified in place while
// gradients are recorded. Do not use one result after modifying another. It
// panics as Chunk does. Follows torch.unsafe_chunk.
func (t *Tensor) UnsafeChunk(chunks int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("UnsafeChunk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeChunk(cx, h, chunks, d)
	})
}

// UnsafeSplit is [Tensor.Split] with the rules of [Tensor.UnsafeChunk]. It
// panics as Split does. Follows torch.unsafe_split.
func (t *Tensor) UnsafeSplit(size int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("UnsafeSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeSplitTensor(cx, h, size, d)
	})
}

// UnsafeSplitWithSizes is [Tensor.SplitSizes] with the rules of
// [Tensor.UnsafeChunk]. It panics as SplitSizes does.
// Follows torch.unsafe_split_with_sizes.
func (t *Tensor) UnsafeSplitWithSizes(sizes []int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("UnsafeSplitWithSizes(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeSplitWithSizes(cx, h, sizes, d)
	})
}

// A TriangularSolveOption is an option of [Tensor.TriangularSolve]: [Upper],
// [Transposed] or [Unitriangular].
//
//gotorch:options Upper Transposed Unitriangular
type TriangularSolveOption interface{ triangularSolveOption() }

// TriangularSolve returns the solution x of a @ x = t for a triangular a, upper by
// default, and a copy of a. PyTorch recommends linalg.SolveTriangular instead. It panics
// with ErrShape if the shapes do not match, and with ErrDType for integers and if the
// dtypes differ. Follows torch.triangular_solve.
func (t *Tensor) TriangularSolve(a *Tensor, opts ...TriangularSolveOption) (solution, coefficient *Tensor) {
	const op = "TriangularSolve(self, a)"
	h, ha := t.handle(op, 0), a.handle(op, 1)
	upper, transpose, unitriangular := readOptions3(op, opts, Upper(true), Transposed(false), Unitriangular(false))
	r := BeginRaw(op, t, a)
	res, st := aten.TriangularSolve(r.Ctx, h, ha, bool(upper), bool(transpose), bool(unitriangular))
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// squeezeInPlace is [Tensor.Squeeze_] with dimensions.
func squeezeInPlace(t *Tensor, dims []int64) *Tensor {
	return unaryInPlace("Squeeze_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Squeeze_Dims(cx, h, dims)
	}, t)
}
