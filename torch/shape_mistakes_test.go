package torch_test

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// goldMoreMistakes has a mistake for each documented panic of shapes, indices, statistics and
// linear algebra.
var goldMoreMistakes = []goldMistake{
	{"transposes of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.MT() }},
	{"conjugate transposes of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.MH() }},
	{"permute that repeats a dimension", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Permute(0, 0) }},
	{"permute with no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Permute(0, 5) }},
	{"lists of dimensions that differ in length", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.MoveDims([]int64{0}, []int64{0, 1})
	}},
	{"moved dimension given twice", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.MoveDims([]int64{0, 0}, []int64{0, 1})
	}},
	{"narrow from beyond the end", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Narrow(0, 7, 1) }},
	{"narrow over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Narrow(7, 0, 1) }},
	{"narrow by too much", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Narrow(0, 0, 5) }},
	{"windows that do not move", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Unfold(0, 1, 0) }},
	{"windows of a negative size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unfold(0, -1, 1) }},
	{"diagonal of one dimension", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Diagonal(torch.Dim1(1)) }},
	{"bytes that do not come out even", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.ViewDType(torch.Int64) }},
	{"a data type that does not exist", torch.ErrDType, func(x, _, _ *torch.Tensor) { x.ViewDType(99) }},
	{"a negative number of repeats", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.RepeatInterleave(-1, torch.Dim(0))
	}},
	{"repeats for other slices", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.RepeatInterleaveEach(torch.FromSlice([]int64{1, 2, 3}), torch.Dim(0))
	}},
	{"negative repeats for a slice", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.RepeatInterleaveEach(torch.FromSlice([]int64{1, -2}), torch.Dim(0))
	}},
	{"flip of one dimension twice", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Flip(0, 0) }},
	{"columns of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.FlipLR() }},
	{"rows of a scalar", torch.ErrShape, func(_, _, _ *torch.Tensor) { torch.ScalarTensor(1).FlipUD() }},
	{"roll with lists that differ", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Roll([]int64{1, 2}, []int64{0}) }},
	{"roll over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Roll([]int64{1}, []int64{9}) }},
	{"roll by nothing", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Roll(nil, nil) }},
	{"turn in one dimension", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Rot90(1, 0, 0) }},
	{"turn in no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Rot90(1, 0, 4) }},
	{"turn of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.Rot90(1, 0, 1) }},
	{"diagonal matrix of a batch", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unsqueeze(0).Diag() }},
	{"triangle of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.Tril() }},
	{"upper triangle of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.Triu() }},
	{"slice beyond the end replaced", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.SelectScatter(x, 0, 5) }},
	{"slice replaced by another shape", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.SelectScatter(y, 0, 0) }},
	{"range replaced by another shape", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.SliceScatter(y, 0, 0, 1, 1) }},
	{"range with step 0", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.SliceScatter(x, 0, 0, 2, 0) }},
	{"diagonal replaced by another shape", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.DiagonalScatter(y) }},
	{"cat into another data type", torch.ErrType, func(x, _, i *torch.Tensor) {
		aten.CatOut(i, []*torch.Tensor{x}, 0)
	}},
	{"cat into a tensor with gradients", torch.ErrAutograd, func(x, y, _ *torch.Tensor) {
		aten.CatOut(y, []*torch.Tensor{x.RequiresGrad_()}, 0)
	}},
	{"cat along no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { torch.Cat([]*torch.Tensor{x}, 3) }},
	{"hstack of shapes that differ", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.HStack(x, y) }},
	{"vstack of shapes that differ", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.VStack(x, y) }},
	{"blocks of three dimensions", torch.ErrShape, func(x, _, _ *torch.Tensor) { torch.BlockDiag(x.Unsqueeze(0)) }},
	{"combinations of rows", torch.ErrShape, func(x, _, _ *torch.Tensor) { torch.CartesianProd(x) }},
	{"shapes that do not broadcast", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.BroadcastTensors(x, y) }},
	{"combinations in a matrix", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Combinations(2) }},
	{"combinations of a negative number", torch.ErrValue, func(_, _, i *torch.Tensor) { i.Combinations(-1) }},
	{"renorm by a negative norm", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Renorm(-1, 0, 1) }},
	{"sum to a shape that does not broadcast", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.SumToSize(5) }},
	{"negative number of differences", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.Diff(torch.N(-1), torch.Dim(0))
	}},
	{"covariance of a batch", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Unsqueeze(0).Cov() }},
	{"bincount of a negative element", torch.ErrDType, func(_, _, _ *torch.Tensor) {
		torch.FromSlice([]int64{-1}).BinCount()
	}},
	{"weights for other elements", torch.ErrShape, func(_, _, i *torch.Tensor) {
		i.BinCount(torch.Weights(torch.Ones(torch.Shape{3})))
	}},
	{"a negative number of counts", torch.ErrValue, func(_, _, i *torch.Tensor) { i.BinCount(torch.MinLength(-1)) }},
	{"quantile over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Quantile(0.5, torch.Dim(9)) }},
	{"an unknown interpolation", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.QuantileTensor(torch.Ones(torch.Shape{1}), torch.Interpolation("no"))
	}},
	{"distinct slices over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) {
		x.UniqueCounts(torch.Dim(5))
	}},
	{"most frequent of nothing", torch.ErrIndex, func(_, _, _ *torch.Tensor) { torch.Empty(torch.Shape{0}).Mode(0) }},
	{"medians of nothing", torch.ErrIndex, func(_, _, _ *torch.Tensor) { torch.Empty(torch.Shape{0}).MedianDim(0) }},
	{"more than the largest", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.KthValue(9, torch.Dim(0)) }},
	{"kth value over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.KthValue(1, torch.Dim(9)) }},
	{"largest over no such dimension", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.Amax(torch.Dim(4)) }},
	{"largest of an empty tensor", torch.ErrShape, func(_, _, _ *torch.Tensor) { torch.Empty(torch.Shape{0}).Amax() }},
	{"a negative number of top elements", torch.ErrIndex, func(x, _, _ *torch.Tensor) { x.TopK(-1, torch.Dim(0)) }},
	{"search in rows of another number", torch.ErrShape, func(x, y, _ *torch.Tensor) {
		torch.SearchSorted(x, y, torch.Right(true))
	}},
	{"boundaries in a matrix", torch.ErrShape, func(x, y, _ *torch.Tensor) {
		torch.Bucketize(x, y, torch.Right(true))
	}},
	{"scatter with a larger index", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.Scatter(0, torch.Zeros(torch.Shape{3, 3}, torch.Int64), x)
	}},
	{"slices of another shape added", torch.ErrShape, func(x, y, _ *torch.Tensor) {
		x.IndexAdd(0, torch.FromSlice([]int64{0}), y)
	}},
	{"slices of another data type added", torch.ErrDType, func(x, _, _ *torch.Tensor) {
		x.IndexAdd(0, torch.FromSlice([]int64{0, 1}), x.To(torch.Float64))
	}},
	{"slices of another shape copied", torch.ErrShape, func(x, y, _ *torch.Tensor) {
		x.IndexCopy(0, torch.FromSlice([]int64{0}), y)
	}},
	{"fill beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.IndexFill(0, i, 1) }},
	{"copy beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.IndexCopy(0, i, x) }},
	{"reduce beyond the end", torch.ErrIndex, func(x, _, i *torch.Tensor) { x.IndexReduce(0, i, x, torch.ReduceAmax) }},
	{"a reduction that IndexReduce lacks", torch.ErrValue, func(x, _, i *torch.Tensor) {
		x.IndexReduce(0, i, x, torch.ReduceSum)
	}},
	{"fewer elements than places", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.MaskedScatter(torch.Ones(torch.Shape{2, 3}, torch.Bool), torch.Ones(torch.Shape{1}))
	}},
	{"put of more elements than places", torch.ErrIndex, func(x, _, _ *torch.Tensor) {
		x.Put(torch.FromSlice([]int64{0}), x)
	}},
	{"put of another data type", torch.ErrDType, func(x, _, _ *torch.Tensor) {
		x.Put(torch.FromSlice([]int64{0}), torch.FromSlice([]int64{0}))
	}},
	{"product with a scalar", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.MatMul(torch.ScalarTensor(1.0)) }},
	{"Mm with a vector", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Mm(x.Select(0, 0)) }},
	{"matrix and vector that do not fit", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.Mv(torch.Ones(torch.Shape{2}))
	}},
	{"vectors of different lengths", torch.ErrShape, func(_, _, _ *torch.Tensor) {
		torch.Ones(torch.Shape{3}).Dot(torch.Ones(torch.Shape{2}))
	}},
	{"vectors of different data types", torch.ErrDType, func(_, _, i *torch.Tensor) {
		torch.Ones(torch.Shape{2}).Dot(i)
	}},
	{"outer product of matrices", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Outer(y) }},
	{"inner product of other rows", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Inner(y) }},
	{"cross product of other vectors", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Cross(y, torch.Dim(0)) }},
	{"contracted sizes that differ", torch.ErrShape, func(x, y, _ *torch.Tensor) {
		x.TensorDotDims(y, []int64{0}, []int64{0})
	}},
	{"product of one matrix", torch.ErrValue, func(x, _, _ *torch.Tensor) { torch.MultiDot(x) }},
	{"matrices in a row that do not fit", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.MultiDot(x, y) }},
	{"Addmm of what does not fit", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Addmm(x, y) }},
	{"Addmv with a matrix", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Addmv(x, y) }},
	{"Baddbmm of matrices", torch.ErrIndex, func(x, y, _ *torch.Tensor) { x.Baddbmm(x, y) }},
	{"distances of other rows", torch.ErrShape, func(x, y, _ *torch.Tensor) { torch.Cdist(x, y) }},
	{"distances of integers", torch.ErrDType, func(_, _, i *torch.Tensor) {
		torch.Cdist(i.Unsqueeze(0), i.Unsqueeze(0))
	}},
	{"distances in a negative norm", torch.ErrValue, func(x, _, _ *torch.Tensor) { torch.Cdist(x, x, torch.P(-2)) }},
	{"distances in a vector", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Select(0, 0).Pdist() }},
	{"distance of shapes that do not broadcast", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.Dist(y) }},
	{"trace of a vector", torch.ErrShape, func(_, _, i *torch.Tensor) { i.Trace() }},
	{"determinant of what is not square", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Det() }},
	{"determinant of a vector", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Select(0, 0).Det() }},
	{"power of what is not square", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.MatrixPower(2) }},
	{"matrix norm of a vector", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Select(0, 0).MatrixNorm("fro") }},
	{"matrix norm that is neither name nor number", torch.ErrType, func(x, _, _ *torch.Tensor) { x.MatrixNorm(nil) }},
	{"a negative number of powers", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.Vander(torch.N(-1)) }},
	{"unknown form of QR", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.QR(torch.Mode("x")) }},
	{"singular values of a vector", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Select(0, 0).SVD() }},
	{"singular values of integers", torch.ErrDType, func(_, _, i *torch.Tensor) { i.Outer(i).SVD() }},
	{"eigenvalues of what is not square", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Eigh() }},
	{"system that is not square", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Solve(x) }},
	{"right side that does not fit", torch.ErrShape, func(_, y, _ *torch.Tensor) { torch.Eye(2).Solve(y) }},
	{"right side of another data type", torch.ErrDType, func(_, _, _ *torch.Tensor) {
		torch.Eye(2).Solve(torch.Eye(2, torch.Float64))
	}},
	{"triangular system that does not fit", torch.ErrShape, func(_, y, _ *torch.Tensor) {
		torch.Eye(2).SolveTriangular(y, torch.Upper(true))
	}},
	{"least squares that do not fit", torch.ErrShape, func(x, y, _ *torch.Tensor) { x.LstSq(y) }},
	{"unknown triangle", torch.ErrValue, func(x, _, _ *torch.Tensor) { torch.Eye(2).Eigh(torch.UPLO("X")) }},
	{"matrix norm over three dimensions", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.MatrixNorm("fro", torch.Dims{0, 1, 0})
	}},
	{"unknown driver of singular values", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.SVD(torch.DriverGELSD) }},
	{"driver of singular values on the CPU", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		x.SVDVals(torch.DriverGESVD)
	}},
	{"unknown way to distances", torch.ErrValue, func(x, _, _ *torch.Tensor) {
		torch.Cdist(x, x, torch.ComputeMode("mm"))
	}},
	{"another number of repeats than said", torch.ErrShape, func(x, _, _ *torch.Tensor) {
		x.RepeatInterleave(2, torch.OutputSize(1))
	}},
	{"unknown LAPACK driver", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.LstSq(x, torch.Driver("bad")) }},
	{"tensor that is no square map", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.TensorInv(1) }},
	{"tensor map from nothing", torch.ErrValue, func(x, _, _ *torch.Tensor) { x.TensorInv(0) }},
	{"singular values of NaN", torch.ErrLinAlg, func(x, _, _ *torch.Tensor) {
		x.MulScalar(0).DivScalar(0).SVD(torch.FullMatrices(false))
	}},
	{"mean into another data type", torch.ErrDType, func(x, _, i *torch.Tensor) { aten.MeanOut(i, x, nil, false, 0) }},
	{"product into another data type", torch.ErrDType, func(x, _, i *torch.Tensor) { aten.MmOut(i, x, x.T()) }},
	{"index read into another data type", torch.ErrDType, func(x, _, i *torch.Tensor) {
		aten.IndexSelectOut(i, x, 0, torch.FromSlice([]int64{0}))
	}},
	{"sum of gradients into a tensor", torch.ErrAutograd, func(x, y, _ *torch.Tensor) {
		aten.SumIntListOut(y, x.RequiresGrad_(), nil, false, 0)
	}},
	{"product into nothing", torch.ErrNil, func(x, _, _ *torch.Tensor) { aten.MmOut(nil, x, x) }},
	{"resize to a negative size", torch.ErrShape, func(x, _, _ *torch.Tensor) { x.Resize_(-1) }},
	{"resize of a leaf", torch.ErrAutograd, func(x, _, _ *torch.Tensor) { x.RequiresGrad_().Resize_(2) }},
	{"running sums of a leaf", torch.ErrAutograd, func(x, _, _ *torch.Tensor) { x.RequiresGrad_().CumSum_(0) }},
}
