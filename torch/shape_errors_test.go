package torch_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

type goldMistake struct {
	name string
	kind error
	// do gets x, a float32 tensor of shape (2, 3), y, a float32 tensor of shape (4, 5), and
	// i, an int64 vector with the numbers 0 and 9.
	do func(x, y, i *torch.Tensor)
}

var goldMistakes = []goldMistake{
	// Shapes.
	{"view of another size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.View(4) }},
	{"view with two open sizes", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.View(-1, -1) }},
	{"view with a negative size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.View(-2, -3) }},
	{"reshape to another size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Reshape(5, -1) }},
	{"reshape that overflows", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Reshape(math.MaxInt64, math.MaxInt64) }},
	{"expand of a size that is not 1", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Expand(5, 3) }},
	{"expand to fewer dimensions", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Expand(3) }},
	{"transpose of a batch", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unsqueeze(0).T() }},
	{"unflatten into another size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unflatten(1, 2, 2) }},
	{"sizes that do not add up", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.SplitSizes([]int64{1, 1}, 1) }},
	{"matrices that do not fit", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.MatMul(y) }},
	{"batches that do not fit", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Unsqueeze(0).Bmm(y.Unsqueeze(0)) }},
	{"cat of shapes that differ", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.Cat([]*torch.Tensor{x, y}) }},
	{"stack of shapes that differ", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.Stack([]*torch.Tensor{x, y}) }},
	{"tensordot over too many", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.TensorDot(y, 3) }},
	{"inverse of what is not square", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Inverse() }},
	{"permute with too few", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Permute(0) }},
	{"as_strided beyond the storage", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.AsStrided([]int64{7}, []int64{1}, 0)
	}},
	{"as_strided with a negative stride", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.AsStrided([]int64{2}, []int64{-1}, 3)
	}},
	{"repeat with too few", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Repeat(2) }},
	{"repeat a negative number of times", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Repeat(-1, 1) }},
	{"a window larger than the dimension", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unfold(0, 3, 1) }},
	{"a negative length", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Narrow(0, 0, -1) }},
	{"a length that overflows", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Narrow(0, 1, math.MaxInt64) }},
	{"bincount of a matrix", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Unsqueeze(0).BinCount() }},
	{"gather with another number of dimensions", torch.ErrShape, func(x, _, i *torch.Tensor) { x.Gather(0, i) }},

	// Dimensions and indices.
	{"sum over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Sum(torch.Dim(2)) }},
	{"mean over a dimension twice", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Mean(torch.Dims{0, -2}) }},
	{"max over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.MaxDim(-3) }},
	{"running sum over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) {
		x.CumSum(math.MinInt64, torch.Float32)
	}},
	{"unsqueeze too far", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Unsqueeze(4) }},
	{"select beyond the end", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Select(1, 3) }},
	{"index_select beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.IndexSelect(1, i) }},
	{"take beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.Take(i) }},
	{"gather beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.Gather(1, i.Unsqueeze(1)) }},
	{"scatter beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.ScatterScalar_(1, i.Unsqueeze(1), 1) }},
	{"put beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.Put_(i, torch.Ones(torch.Shape{2})) }},
	{"index_add beyond the end", torch.ErrIndex, func(x, y, i *torch.Tensor) { x.IndexAdd_(0, i, x.Clone()) }},
	{"top elements of too few", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.TopK(4, torch.Dim(1)) }},
	{"the 0th smallest", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.KthValue(0, torch.Dim(1)) }},
	{"largest of nothing", torch.ErrShape, func(_, _, _ *torch.Tensor) { torch.Empty(torch.Shape{0}).Max() }},
	{"place of the largest of nothing", torch.ErrIndex, func(_, _, _ *torch.Tensor) {
		torch.Empty(torch.Shape{0}).ArgMax()
	}},
	{"largest along an empty dimension", torch.ErrIndex, func(_, _, _ *torch.Tensor) {
		torch.Empty(torch.Shape{0}).MaxDim(0)
	}},

	// Data types.
	{"mean of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Mean() }},
	{"norm of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Norm() }},
	{"variance of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Var() }},
	{"quantile of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Quantile(0.5) }},
	{"product of two data types", torch.ErrDType, func(x, _, _ *torch.Tensor) { x.MatMul(x.To(torch.Float64).T()) }},
	{"float indices", torch.ErrDType, func(x, _, _ *torch.Tensor) { x.Gather(0, x) }},
	{"float mask", torch.ErrDType, func(x, _, _ *torch.Tensor) { x.MaskedSelect(x) }},
	{"a source of another type", torch.ErrDType, func(x, _, _ *torch.Tensor) {
		x.Scatter(0, torch.Zeros(torch.Shape{1, 3}, torch.Int64), torch.Zeros(torch.Shape{1, 3}, torch.Int64))
	}},
	{"determinant of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Outer(i).Det() }},
	{"a view as no type", torch.ErrDType, func(x, _, _ *torch.Tensor) { x.ViewDType(0) }},
	{"a number that is none", torch.ErrType, func(x, _, _ *torch.Tensor) { x.Renorm("two", 0, 1) }},
	{"a fill that is no number", torch.ErrType, func(x, _, i *torch.Tensor) { x.IndexFill(0, i, nil) }},

	// Values.
	{"cat of nothing", torch.ErrValue, func(_, _, _ *torch.Tensor) { torch.Cat(nil) }},
	{"meshgrid of nothing", torch.ErrValue, func(_, _, _ *torch.Tensor) { torch.Meshgrid(nil) }},
	{"einsum of nothing", torch.ErrValue, func(_, _, _ *torch.Tensor) { torch.Einsum("->") }},
	{"einsum with a bad equation", torch.ErrValue, func(x, _, _ *torch.Tensor) { torch.Einsum("i!j->", x) }},
	{"einsum with too many indices", torch.ErrShape, func(x, _, _ *torch.Tensor) { torch.Einsum("ijk->i", x) }},
	{"an unknown way of indexing", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		torch.Meshgrid([]*torch.Tensor{x.Select(0, 0)}, torch.Indexing("yx"))
	}},
	{"an unknown reduction", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.ScatterReduce(0, torch.Zeros(torch.Shape{1, 3}, torch.Int64), x, "median")
	}},
	{"pieces of a negative size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Split(-1) }},
	{"pieces of size 0", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Split(0) }},
	{"no pieces", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Chunk(0) }},
	{"no sections", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.TensorSplit(0) }},
	{"a quantile above 1", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Quantile(1.5) }},
	{"no bins", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Histc(torch.Bins(0), torch.Max(1)) }},
	{"an unknown norm", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.MatrixNorm("max") }},

	// Linear algebra.
	{"inverse of a singular matrix", torch.ErrLinAlg, func(_, _, _ *torch.Tensor) {
		torch.Zeros(torch.Shape{2, 2}).Inverse()
	}},
	{"solution of a singular system", torch.ErrLinAlg, func(_, _, _ *torch.Tensor) {
		torch.Ones(torch.Shape{2, 2}).Solve(torch.Ones(torch.Shape{2}))
	}},
	{"Cholesky factor of a negative matrix", torch.ErrLinAlg, func(_, _, _ *torch.Tensor) {
		torch.Eye(2).MatMul(torch.Full(torch.Shape{2, 2}, -1.0)).Cholesky()
	}},

	// Nil and closed tensors.
	{"nil operand", torch.ErrNil, func(x, _, _ *torch.Tensor) { x.MatMul(nil) }},
	{"nil receiver", torch.ErrNil, func(_, _, _ *torch.Tensor) { (*torch.Tensor)(nil).Sum() }},
	{"nil receiver of a product", torch.ErrNil, func(x, _, _ *torch.Tensor) { (*torch.Tensor)(nil).TensorDot(x, 1) }},
	{"nil receiver of logsumexp", torch.ErrNil, func(_, _, _ *torch.Tensor) { (*torch.Tensor)(nil).LogSumExp() }},
	{"nil in a list", torch.ErrNil, func(x, _, _ *torch.Tensor) { torch.Cat([]*torch.Tensor{x, nil}) }},
	{"nil destination", torch.ErrNil, func(x, _, _ *torch.Tensor) { aten.CatOut(nil, []*torch.Tensor{x}, 0) }},
	{"closed operand", torch.ErrClosed, func(x, y, _ *torch.Tensor) { _ = y.Close(); x.MatMul(y) }},
	{"closed in a list", torch.ErrClosed, func(x, y, _ *torch.Tensor) {
		_ = y.Close()
		torch.Stack([]*torch.Tensor{x, y})
	}},
	{"closed receiver", torch.ErrClosed, func(x, _, _ *torch.Tensor) { _ = x.Close(); x.Sort(torch.Dim(0)) }},

	// Gradients.
	{"in place on a leaf", torch.ErrAutograd, func(x, _, _ *torch.Tensor) {
		x.RequiresGrad_().IndexFill_(0, torch.FromSlice([]int64{0}), 1)
	}},
	{"changed after it was saved", torch.ErrAutograd, func(x, _, _ *torch.Tensor) {
		y := x.RequiresGrad_().Clone()
		z := y.MatMul(y.T()).Sum()
		y.IndexFill_(0, torch.FromSlice([]int64{0}), 1)
		z.Backward()
	}},
}

func TestShapeMistakesAreTypedErrors(t *testing.T) {
	for _, m := range append(goldMistakes, goldMoreMistakes...) {
		t.Run(m.name, func(t *testing.T) {
			leakFree(t, func() {
				x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
				y := torch.Ones(torch.Shape{4, 5})
				i := torch.FromSlice([]int64{0, 9})
				err := torch.Try(func() { m.do(x, y, i) })
				require.Error(t, err)
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, m.kind, e.Kind, "%v", err)
				assert.NotEmpty(t, e.Op)
				assert.NotEmpty(t, e.Message)
				requireNamed(t, e)
			})
		})
	}
}

func TestMatMulErrorText(t *testing.T) {
	torch.Scope(func() {
		a := torch.Ones(torch.Shape{2, 3})
		err := torch.Try(func() { a.MatMul(a.Clone()) })
		require.Error(t, err)
		// Newer versions prepend the inner operator to their message.
		text := strings.Replace(err.Error(), "MatMul: mm: ", "MatMul: ", 1)
		assert.Equal(t, "torch: MatMul: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3) "+
			"[self: float32 (2, 3) cpu; other: float32 (2, 3) cpu]", text)
	})
}

func TestListErrorText(t *testing.T) {
	torch.Scope(func() {
		a := torch.Ones(torch.Shape{2})
		err := torch.Try(func() { torch.Cat([]*torch.Tensor{a, nil}) })
		assert.EqualError(t, err, "torch: Cat: argument tensors[1] is a nil *Tensor")
		err = torch.Try(func() { torch.Stack([]*torch.Tensor{a, torch.Ones(torch.Shape{3})}) })
		require.Error(t, err)
		assert.Contains(t, err.Error(), "[tensors[0]: float32 (2,) cpu; tensors[1]: float32 (3,) cpu]")
	})
}
