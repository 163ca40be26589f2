package torch

import (
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Range returns the numbers from start to end, which is included, step apart, of
// the default float type unless a DType is given. [Arange] leaves the end out and
// is what PyTorch recommends. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrType if one is no number, and
// with ErrValue or ErrRuntime if step is 0 or leads away from end.
// Follows torch.range.
func Range(start, end, step any, opts ...CreateOption) *Tensor {
	const op = "Range"
	a, b, d := scalarArg(op, "start", start), scalarArg(op, "end", end), scalarArg(op, "step", step)
	c := newCreation(op, opts)
	c.defaultFor(a, b, d, aFloat)
	r := BeginRaw(op)
	return c.finish(r.Tensor(aten.RangeStep(r.Ctx, a, b, d, c.dtype, c.layout, c.device, c.pin)))
}

// A KaiserOption says how [KaiserWindow] is made: [Beta], [Periodic], a
// [DType], a [Device].
//
//gotorch:options Beta Periodic DType Device
type KaiserOption interface{ kaiserOption() }

// KaiserWindow returns n weights made of a modified Bessel function; [Beta], 12
// unless given, says how narrow the window is. Shape, dtype and errors are those
// of HannWindow. Owner and panics are those of HannWindow.
// Follows torch.kaiser_window.
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

// Fill returns a tensor like t with value, a number or a *Tensor of no
// dimensions, for every element. The result is a new tensor of t's shape and
// dtype, owned by the innermost scope, else by the collector. It panics as
// [Tensor.Fill_] does, but for ErrAutograd. Follows torch.fill.
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

// Binomial returns numbers drawn from the binomial distributions of count tries
// with the probability prob, both of one shape and floating dtype. The result is
// a new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrShape if
// the shapes do not broadcast, with ErrDType for integers and for dtypes that
// differ, and with ErrValue or ErrRuntime for counts and probabilities that are
// none. Follows torch.binomial.
func Binomial(count, prob *Tensor, opts ...DrawOption) *Tensor {
	const op = "Binomial(count, prob)"
	n, p, c := count.handle(op, 0), prob.handle(op, 1), readCreation(op, opts)
	g := c.gen(op)
	r := BeginRaw(op, count, prob)
	ret := aten.Binomial(r.Ctx, n, p, g)
	runtime.KeepAlive(c.generator)
	return r.Tensor(ret)
}

// ChainMatMul is MultiDot for any number of matrices, one included, which is
// returned as it is. The result is owned by the innermost scope, else by the
// collector. It panics with ErrValue for an empty list, with ErrShape or
// ErrRuntime for matrices that do not fit, and with ErrNil or ErrClosed for an
// unusable element. Follows torch.chain_matmul.
func ChainMatMul(matrices ...*Tensor) *Tensor { return join("ChainMatMul", matrices, aten.ChainMatmul) }

// Trapz is Trapezoid under another name, as torch.trapz is. Owner and panics
// are those of [Tensor.Trapezoid].
func (t *Tensor) Trapz(opts ...TrapezoidOption) *Tensor { return t.Trapezoid(opts...) }

// Chalf converts to Complex32. Sharing, owner and panics are those of
// [Tensor.Float]. Follows Tensor.chalf.
func (t *Tensor) Chalf() *Tensor { return toDType("Chalf(self)", t, Complex32) }

// FillValue is what stands in the rows of [Tensor.NonzeroStatic] that are left.
// fill_value in Python, -1 unless given.
type FillValue int64

// A NonzeroStaticOption says what a result is filled up with: [FillValue].
//
//gotorch:options FillValue
type NonzeroStaticOption interface{ nonzeroStaticOption() }

// NonzeroStatic is Nonzero with exactly size rows: what is too much is left out,
// and rows that are left are filled with [FillValue]. The result is a new
// tensor, owned by the innermost scope, else by the collector. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrShape for a negative size. Follows torch.nonzero_static.
func (t *Tensor) NonzeroStatic(size int64, opts ...NonzeroStaticOption) *Tensor {
	const op = "NonzeroStatic(self)"
	fill := int64(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case FillValue:
			fill = int64(o)
		default:
			panic(badOption(op, o))
		}
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.NonzeroStatic(cx, h, size, fill) })
}

// HashTensor returns an exclusive or of the bits of all elements, or with [Dim]
// or [Dims] of those along them, as Uint64. The result is a new tensor, owned by
// the innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrIndex for a dimension that is not
// there, with ErrShape for one given twice or without elements, and with
// ErrDType for complex numbers. Follows torch.hash_tensor.
func (t *Tensor) HashTensor(opts ...DimsOption) *Tensor {
	const op = "HashTensor(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.HashTensor(r.Ctx, h, o.list(), o.keepdim, 0))
}

// UnsafeChunk is Chunk whose results may be changed in place while gradients
// are recorded, as long as no two of them are used where the other is. Owner and
// panics are those of [Tensor.Chunk]. Follows torch.unsafe_chunk.
func (t *Tensor) UnsafeChunk(chunks int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("UnsafeChunk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeChunk(cx, h, chunks, d)
	})
}

// UnsafeSplit is Split as UnsafeChunk is Chunk. Owner and panics are those of
// [Tensor.Split]. Follows torch.unsafe_split.
func (t *Tensor) UnsafeSplit(size int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("UnsafeSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeSplitTensor(cx, h, size, d)
	})
}

// UnsafeSplitWithSizes is SplitWithSizes as UnsafeChunk is Chunk. Owner and
// panics are those of [Tensor.SplitSizes].
// Follows torch.unsafe_split_with_sizes.
func (t *Tensor) UnsafeSplitWithSizes(sizes []int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("UnsafeSplitWithSizes(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnsafeSplitWithSizes(cx, h, sizes, d)
	})
}

// A TriangularSolveOption says how [Tensor.TriangularSolve] understands its
// matrix: [Upper], [Transposed], [Unitriangular].
//
//gotorch:options Upper Transposed Unitriangular
type TriangularSolveOption interface{ triangularSolveOption() }

// TriangularSolve returns the x of a @ x = t for a triangular a, upper unless
// [Upper] says otherwise, and a copy of a. PyTorch has replaced it by
// linalg.SolveTriangular. Results are new tensors, owned by the innermost scope,
// else by the collector. It panics with ErrNil or ErrClosed for a tensor that is
// nil or closed, with ErrShape if the shapes do not fit, and with ErrDType for
// integers and for dtypes that differ. Follows torch.triangular_solve.
func (t *Tensor) TriangularSolve(a *Tensor, opts ...TriangularSolveOption) (solution, coefficient *Tensor) {
	const op = "TriangularSolve(self, a)"
	h, ha := t.handle(op, 0), a.handle(op, 1)
	upper, transpose, unitriangular := true, false, false
	for _, o := range opts {
		switch o := o.(type) {
		case Upper:
			upper = bool(o)
		case Transposed:
			transpose = bool(o)
		case Unitriangular:
			unitriangular = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	r := BeginRaw(op, t, a)
	res, st := aten.TriangularSolve(r.Ctx, h, ha, upper, transpose, unitriangular)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// squeezeInPlace is [Tensor.Squeeze_] with dimensions.
func squeezeInPlace(t *Tensor, dims []int64) *Tensor {
	return unaryInPlace("Squeeze_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Squeeze_Dims(cx, h, dims) }, t)
}
