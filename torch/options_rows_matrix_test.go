package torch_test

import "github.com/gotorch/gotorch/torch"

func matrixRows() map[string]optionRow {
	a := torch.FromSlice([]float64{9, 1, 2, 3, 8, 1, 2, 4, 7}, 3, 3)
	b := torch.FromSlice([]float64{1, 2, 0, 3, 5, 1, 2, 0, 4}, 3, 3)
	near := torch.FromSlice([]float64{4, 0, 0, 0, 1, 0, 0, 0, 1e-3}, 3, 3)
	lu, pivots := a.LUFactor()
	upper := []any{torch.Upper(true), torch.Upper(false)}
	left := []any{torch.Left(false), torch.Left(true)}
	drivers := []any{torch.DriverGESVD, torch.Driver("")} // errors without a GPU
	triangles := []any{torch.UPLOU, torch.UPLOL}
	pivot := []any{torch.Pivot(false), torch.Pivot(true)}
	rank := []any{
		torch.ATol(2), torch.ATol(0), torch.RTol(0.5), torch.RTol(0), torch.Hermitian(true),
		torch.Hermitian(false),
	}
	skew := torch.FromSlice([]float64{1, 5, 0, 1, 1, 0, 0, 0, 4}, 3, 3)
	return map[string]optionRow{
		"Tensor.Cholesky":        row((*torch.Tensor).Cholesky, a.MatMul(a.T())).with(upper...),
		"Tensor.CholeskyInverse": row((*torch.Tensor).CholeskyInverse, a).with(upper...),
		"Tensor.CholeskySolve":   row((*torch.Tensor).CholeskySolve, b, a).with(upper...),
		"Tensor.QR":              row((*torch.Tensor).QR, a).with(torch.ModeR, torch.ModeReduced),
		"Tensor.SVD": row((*torch.Tensor).SVD, a.Narrow(1, 0, 2)).with(drivers...).
			with(torch.FullMatrices(false), torch.FullMatrices(true)),
		"Tensor.SVDVals":  row((*torch.Tensor).SVDVals, a).with(drivers...),
		"Tensor.Eigh":     row((*torch.Tensor).Eigh, a).with(triangles...),
		"Tensor.Eigvalsh": row((*torch.Tensor).Eigvalsh, a).with(triangles...),
		"Tensor.LU":       row((*torch.Tensor).LU, a).with(pivot...),
		"Tensor.LUFactor": row((*torch.Tensor).LUFactor, a).with(pivot...),
		"Tensor.Solve":    row((*torch.Tensor).Solve, a, b).with(left...),
		"Tensor.SolveTriangular": row((*torch.Tensor).SolveTriangular, a, b, torch.Upper(true)).with(left...).
			with(torch.Unitriangular(true), torch.Unitriangular(false)),
		"Tensor.LUSolve": row((*torch.Tensor).LUSolve, lu, pivots, b).with(left...).with(torch.Adjoint(true),
			torch.Adjoint(false)),
		// with a fixed driver: the default driver's result may vary
		"Tensor.LstSq": row(func(opts ...torch.LstSqOption) []*torch.Tensor {
			all := append(make([]torch.LstSqOption, 0, 4), torch.DriverGELSD)
			x, _, rank, singular := near.LstSq(b, append(all, opts...)...)
			return []*torch.Tensor{x, rank, singular}
		}).with(torch.RCond(0.01), torch.RCond(0), torch.DriverGELS, torch.DriverGELSD),
		"Tensor.TensorSolve": row((*torch.Tensor).TensorSolve, a, b.Select(0, 0)).with(torch.Dims{0}, torch.Dims{}),
		"Tensor.Pinverse":    row((*torch.Tensor).Pinverse, skew).with(rank...),
		"Tensor.MatrixRank":  row((*torch.Tensor).MatrixRank, skew).with(rank...),
		"Tensor.MatrixNorm": row((*torch.Tensor).MatrixNorm, a, any(1)).with(torch.Dims{1, 0}, torch.Dims{0, 1}).
			with(torch.KeepDim(true), torch.KeepDim(false), torch.Complex128, torch.Float64),
		"Tensor.Vander": row((*torch.Tensor).Vander, a).with(torch.N(2), torch.N(4)),
		"Cdist": row(torch.Cdist, a, b).with(torch.P(0), torch.P(1)).
			with(torch.ComputeMode(""), torch.ComputeModeDonotUseMMForEuclidDist),
		"Tensor.Pdist": row((*torch.Tensor).Pdist, a).with(torch.P(0), torch.P(1)),
		"Tensor.Ormqr": row((*torch.Tensor).Ormqr, a, b.Select(0, 0), b).with(left...).with(torch.Transposed(true),
			torch.Transposed(false)),
		"LUUnpack": row(torch.LUUnpack, lu, pivots).with(torch.UnpackData(false), torch.UnpackData(true)).
			with(torch.UnpackPivots(false), torch.UnpackPivots(true)),
		"Tensor.Dist": row((*torch.Tensor).Dist, a, b).with(torch.P(0), torch.P(1)),
	}
}

func placeRows() map[string]optionRow {
	x := torch.FromSlice([]float32{3, 0, 2, 1, 5, 4, 7, 9, 8}, 3, 3)
	tall := torch.Zeros(torch.Shape{7, 3})
	i, flat := torch.FromSlice([]int64{0, 0, 1}, 1, 3), torch.FromSlice([]int64{0, 0, 1}, 3)
	line := x.Select(0, 1)
	repeats := []any{torch.Dim(0), torch.Dim(1)}
	diagonals := []any{torch.Offset(1), torch.Offset(0), torch.Dim1(1), torch.Dim1(0), torch.Dim2(0), torch.Dim2(1)}
	self := []any{torch.IncludeSelf(false), torch.IncludeSelf(true)}
	add := []any{torch.Accumulate(true), torch.Accumulate(false)}
	return map[string]optionRow{
		"Meshgrid": row(torch.Meshgrid, []*torch.Tensor{line, line}).with(torch.IndexingXY,
			torch.IndexingIJ),
		"Tensor.Combinations": row((*torch.Tensor).Combinations, line,
			int64(2)).with(torch.WithReplacement(true), torch.WithReplacement(false)),
		"Tensor.RepeatInterleave": row((*torch.Tensor).RepeatInterleave, x,
			int64(2)).with(repeats...).with(torch.OutputSize(0), torch.OutputSize(18)),
		"Tensor.RepeatInterleaveEach": row((*torch.Tensor).RepeatInterleaveEach, line,
			flat).with(repeats...).with(torch.OutputSize(0), torch.OutputSize(1)),
		"Tensor.Diagonal":        row((*torch.Tensor).Diagonal, x).with(diagonals...),
		"Tensor.DiagEmbed":       row((*torch.Tensor).DiagEmbed, x).with(diagonals...),
		"Tensor.DiagonalScatter": row((*torch.Tensor).DiagonalScatter, x, line).with(diagonals...),
		"Tensor.FillDiagonal_": row((*torch.Tensor).FillDiagonal_, tall, any(7)).with(torch.Wrap(true),
			torch.Wrap(false)),
		"Tensor.ScatterReduce":  row((*torch.Tensor).ScatterReduce, x, int64(0), i, x, torch.ReduceSum).with(self...),
		"Tensor.ScatterReduce_": row((*torch.Tensor).ScatterReduce_, x, int64(0), i, x, torch.ReduceSum).with(self...),
		"Tensor.IndexReduce":    row((*torch.Tensor).IndexReduce, x, int64(0), flat, x, torch.ReduceProd).with(self...),
		"Tensor.IndexReduce_": row((*torch.Tensor).IndexReduce_, x, int64(0), flat, x,
			torch.ReduceProd).with(self...),
		"Tensor.Put":  row((*torch.Tensor).Put, x, flat, line).with(add...),
		"Tensor.Put_": row((*torch.Tensor).Put_, x, flat, line).with(add...),
	}
}
