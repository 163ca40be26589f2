package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// matrixOptionOps compares options of linear algebra, distances, diagonals and writes by
// index with Python's keywords. testdata/make_matrix_options.py defines each case.
var matrixOptionOps = goldOps{
	"Cholesky.Upper":        {torch.Upper(true)},
	"CholeskyInverse.Upper": {from[torch.Upper]},
	"CholeskySolve.Upper":   {from[torch.Upper]},
	"QR": {func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR()
		return goldOut(q.MatMul(r), q.MH().MatMul(q))
	}},
	"QR.ModeR": {func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR(torch.ModeR)
		return goldOut(q, r.Abs())
	}},
	"SVD": {func(a *goldArgs) []*torch.Tensor {
		u, s, vh := a.x(0).SVD()
		return goldOut(s, u.MH().MatMul(u), vh.MH().MatMul(vh))
	}},
	"Eigvalsh.UPLO": {from[torch.UPLO]},
	"Eigh.UPLO": {func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eigh(torch.UPLO(a.str(1)))
		return goldOut(w, v.MatMul(w.DiagEmbed()).MatMul(v.MH()))
	}},
	"LU":                              {torch.Pivot(true)},
	"LUFactor":                        {torch.Pivot(true)},
	"Solve.Left":                      {torch.Left(false)},
	"SolveTriangular":                 {from[torch.Left], from[torch.Unitriangular]},
	"SolveTriangular.default":         {torch.Upper(true)},
	"LUSolve":                         {from[torch.Left], from[torch.Adjoint]},
	"LstSq.RCond":                     {from[torch.RCond], torch.DriverGELSD},
	"TensorSolve.Dims":                {torch.Dims{0}},
	"Pinverse.ATol":                   {from[torch.ATol]},
	"Pinverse.RTol":                   {from[torch.RTol]},
	"Pinverse.ATol.RTol":              {from[torch.ATol], from[torch.RTol]},
	"Pinverse.Hermitian":              {from[torch.Hermitian]},
	"MatrixRank.ATol":                 {from[torch.ATol]},
	"MatrixRank.RTol":                 {from[torch.RTol]},
	"MatrixRank.ATol.RTol":            {from[torch.ATol], from[torch.RTol]},
	"MatrixRank.Hermitian":            {from[torch.Hermitian]},
	"MatrixNorm.Dims":                 {torch.Dims{0, -1}, torch.KeepDim(true)},
	"MatrixNorm.DType":                {torch.Float64},
	"Vander.N":                        {torch.N(2)},
	"Vecdot.Dim":                      {torch.Dim(0)},
	"Cross.Dim":                       {torch.Dim(0)},
	"Cdist":                           {torch.Cdist},
	"Cdist.ComputeMode":               {torch.Cdist, from[torch.ComputeMode]},
	"Cdist.P.zero":                    {torch.Cdist, torch.P(0)},
	"Pdist.P.zero":                    {torch.P(0)},
	"Dist.P.zero":                     {torch.P(0)},
	"Diagonal.Offset":                 {torch.Offset(-1)},
	"Diagonal.Dim1":                   {torch.Dim1(-2)},
	"Diagonal.Dim2":                   {torch.Dim1(1), torch.Dim2(0)},
	"DiagEmbed.Offset":                {torch.Offset(-1)},
	"DiagEmbed.Dim1":                  {torch.Dim1(-2)},
	"DiagEmbed.Dim2":                  {torch.Dim1(1), torch.Dim2(0)},
	"DiagonalScatter.Offset":          {torch.Offset(-1)},
	"DiagonalScatter.Dim1":            {torch.Dim1(1), torch.Dim2(2)},
	"FillDiagonal_":                   {7},
	"FillDiagonal_.Wrap":              {7, torch.Wrap(true)},
	"RepeatInterleave.OutputSize":     {torch.Dim(1), torch.OutputSize(6)},
	"RepeatInterleaveEach.OutputSize": {torch.Dim(0), torch.OutputSize(3)},
	"TakeAlongDim.Dim":                {torch.Dim(-1)},
	"Meshgrid":                        {torch.Meshgrid},
	"Meshgrid.Indexing":               {torch.Meshgrid, torch.IndexingXY},
	"Combinations":                    {2},
	"Combinations.WithReplacement":    {2, torch.WithReplacement(true)},
	"ScatterReduce": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3))))
	}},
	"ScatterReduce.IncludeSelf": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ScatterReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3)), torch.IncludeSelf(false)))
	}},
	"IndexReduce": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3))))
	}},
	"IndexReduce.IncludeSelf": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexReduce(0, a.x(1), a.x(2), torch.Reduce(a.str(3)), torch.IncludeSelf(false)))
	}},
	"Put.Accumulate": {torch.Accumulate(true)},
}

func TestMatrixOptionsLikePython(t *testing.T) {
	runGolden(t, "matrix_options.json", matrixOptionOps, 256)
}
