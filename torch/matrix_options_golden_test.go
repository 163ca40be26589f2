package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// matrixOptionOps compares options of linear algebra, distances, diagonals and writes by
// index with Python's keywords. testdata/make_matrix_options.py defines each case.
var matrixOptionOps = goldOps{
	"Cholesky":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cholesky()) },
	"Cholesky.Upper":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cholesky(torch.Upper(true))) },
	"CholeskyInverse": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CholeskyInverse()) },
	"CholeskyInverse.Upper": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).CholeskyInverse(torch.Upper(a.bool(1))))
	},
	"CholeskySolve": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CholeskySolve(a.x(1))) },
	"CholeskySolve.Upper": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).CholeskySolve(a.x(1), torch.Upper(a.bool(2))))
	},
	"QR": func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR()
		return goldOut(q.MatMul(r), q.MH().MatMul(q))
	},
	"QR.ModeR": func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR(torch.ModeR)
		return goldOut(q, r.Abs())
	},
	"SVD": func(a *goldArgs) []*torch.Tensor {
		u, s, vh := a.x(0).SVD()
		return goldOut(s, u.MH().MatMul(u), vh.MH().MatMul(vh))
	},
	"Eigvalsh.UPLO": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Eigvalsh(torch.UPLO(a.str(1)))) },
	"Eigh.UPLO": func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eigh(torch.UPLO(a.str(1)))
		return goldOut(w, v.MatMul(w.DiagEmbed()).MatMul(v.MH()))
	},
	"LU":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LU(torch.Pivot(true))) },
	"LUFactor":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LUFactor(torch.Pivot(true))) },
	"Solve.Left": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Solve(a.x(1), torch.Left(false))) },
	"SolveTriangular": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).SolveTriangular(a.x(1), torch.Upper(a.bool(2)), torch.Left(a.bool(3)),
			torch.Unitriangular(a.bool(4))))
	},
	"SolveTriangular.default": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).SolveTriangular(a.x(1), torch.Upper(true)))
	},
	"LUSolve": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).LUSolve(a.x(1), a.x(2), torch.Left(a.bool(3)), torch.Adjoint(a.bool(4))))
	},
	"LstSq": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LstSq(a.x(1))) },
	"LstSq.RCond": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).LstSq(a.x(1), torch.RCond(a.float(2)), torch.DriverGELSD))
	},
	"TensorSolve.Dims": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TensorSolve(a.x(1), torch.Dims{0})) },
	"Pinverse":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pinverse()) },
	"Pinverse.ATol":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pinverse(torch.ATol(a.float(1)))) },
	"Pinverse.RTol":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pinverse(torch.RTol(a.float(1)))) },
	"Pinverse.ATol.RTol": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Pinverse(torch.ATol(a.float(1)), torch.RTol(a.float(2))))
	},
	"Pinverse.Hermitian": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Pinverse(torch.Hermitian(a.bool(1))))
	},
	"MatrixRank":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixRank()) },
	"MatrixRank.ATol": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixRank(torch.ATol(a.float(1)))) },
	"MatrixRank.RTol": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixRank(torch.RTol(a.float(1)))) },
	"MatrixRank.ATol.RTol": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MatrixRank(torch.ATol(a.float(1)), torch.RTol(a.float(2))))
	},
	"MatrixRank.Hermitian": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MatrixRank(torch.Hermitian(a.bool(1))))
	},
	"MatrixNorm": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixNorm(a.any(1))) },
	"MatrixNorm.Dims": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MatrixNorm(a.any(1), torch.Dims{0, -1}, torch.KeepDim(true)))
	},
	"MatrixNorm.DType": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MatrixNorm(a.any(1), torch.Float64))
	},
	"Vander":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vander()) },
	"Vander.N":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vander(torch.N(2))) },
	"Vecdot":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vecdot(a.x(1))) },
	"Vecdot.Dim": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vecdot(a.x(1), torch.Dim(0))) },
	"Cross":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cross(a.x(1))) },
	"Cross.Dim":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cross(a.x(1), torch.Dim(0))) },
	"Cdist":      func(a *goldArgs) []*torch.Tensor { return goldOut(torch.Cdist(a.x(0), a.x(1))) },
	"Cdist.ComputeMode": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.Cdist(a.x(0), a.x(1), torch.ComputeMode(a.str(2))))
	},
	"Cdist.P.zero": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.Cdist(a.x(0), a.x(1), torch.P(0)))
	},
	"Pdist":           func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pdist()) },
	"Pdist.P.zero":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pdist(torch.P(0))) },
	"Dist":            func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Dist(a.x(1))) },
	"Dist.P.zero":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Dist(a.x(1), torch.P(0))) },
	"Diagonal":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Diagonal()) },
	"Diagonal.Offset": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Diagonal(torch.Offset(-1))) },
	"Diagonal.Dim1":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Diagonal(torch.Dim1(-2))) },
	"Diagonal.Dim2": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Diagonal(torch.Dim1(1), torch.Dim2(0)))
	},
	"DiagEmbed":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).DiagEmbed()) },
	"DiagEmbed.Offset": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).DiagEmbed(torch.Offset(-1))) },
	"DiagEmbed.Dim1":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).DiagEmbed(torch.Dim1(-2))) },
	"DiagEmbed.Dim2": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).DiagEmbed(torch.Dim1(1), torch.Dim2(0)))
	},
	"DiagonalScatter": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).DiagonalScatter(a.x(1))) },
	"DiagonalScatter.Offset": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).DiagonalScatter(a.x(1), torch.Offset(-1)))
	},
	"DiagonalScatter.Dim1": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).DiagonalScatter(a.x(1), torch.Dim1(1), torch.Dim2(2)))
	},
	"FillDiagonal_": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().FillDiagonal_(7)) },
	"FillDiagonal_.Wrap": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().FillDiagonal_(7, torch.Wrap(true)))
	},
	"RepeatInterleave": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).RepeatInterleave(a.int(1))) },
	"RepeatInterleave.OutputSize": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).RepeatInterleave(a.int(1), torch.Dim(1), torch.OutputSize(6)))
	},
	"RepeatInterleaveEach": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).RepeatInterleaveEach(a.x(1))) },
	"RepeatInterleaveEach.OutputSize": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).RepeatInterleaveEach(a.x(1), torch.Dim(0), torch.OutputSize(3)))
	},
	"TakeAlongDim": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TakeAlongDim(a.x(1))) },
	"TakeAlongDim.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TakeAlongDim(a.x(1), torch.Dim(-1)))
	},
	"Meshgrid": func(a *goldArgs) []*torch.Tensor { return torch.Meshgrid(a.list(0)) },
	"Meshgrid.Indexing": func(a *goldArgs) []*torch.Tensor {
		return torch.Meshgrid(a.list(0), torch.IndexingXY)
	},
	"Combinations": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Combinations(2)) },
	"Combinations.WithReplacement": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Combinations(2, torch.WithReplacement(true)))
	},
	"ScatterReduce": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3))))
	},
	"ScatterReduce.IncludeSelf": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3)), torch.IncludeSelf(false)))
	},
	"IndexReduce": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3))))
	},
	"IndexReduce.IncludeSelf": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3)), torch.IncludeSelf(false)))
	},
	"Put": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Put(a.x(1), a.x(2))) },
	"Put.Accumulate": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Put(a.x(1), a.x(2), torch.Accumulate(true)))
	},
}

func TestMatrixOptionsLikePython(t *testing.T) {
	runGolden(t, "matrix_options.json", matrixOptionOps, 256)
}
