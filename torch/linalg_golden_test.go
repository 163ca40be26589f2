package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var linalgOps = goldOps{
	"Vecdot":        {from[torch.Dim]},
	"Cross":         {from[torch.Dim]},
	"Einsum":        {torch.Einsum},
	"MultiDot":      {torch.MultiDot},
	"AddmmScaled":   {"Addmm", from[torch.Beta], from[torch.Alpha]},
	"AddmvScaled":   {"Addmv", from[torch.Beta], from[torch.Alpha]},
	"BaddbmmScaled": {"Baddbmm", from[torch.Beta], from[torch.Alpha]},
	"Cdist":         {torch.Cdist, from[torch.P]},
	"Pdist":         {from[torch.P]},
	"Dist":          {from[torch.P]},

	"MatrixNorm":      {from[torch.KeepDim]},
	"Vander":          {from[torch.N]},
	"Cholesky":        {from[torch.Upper]},
	"CholeskyInverse": {from[torch.Upper]},
	"CholeskySolve":   {from[torch.Upper]},
	"SolveTriangular": {from[torch.Unitriangular]},
	"TriangularSolve": {from[torch.Upper], from[torch.Transposed], from[torch.Unitriangular]},
	"LstSq":           {from[torch.Driver]},

	// Factors are not unique, so their products are compared.
	"QR": {func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR(torch.Mode(a.str(1)))
		return goldOut(q.MatMul(r), q.MH().MatMul(q))
	}},
	"SVD": {func(a *goldArgs) []*torch.Tensor {
		u, s, vh := a.x(0).SVD(torch.FullMatrices(a.bool(1)))
		return goldOut(s, u.Narrow(-1, 0, 2).MatMul(s.DiagEmbed()).MatMul(vh.Narrow(-2, 0, 2)))
	}},
	"Eigh": {func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eigh()
		return goldOut(w, v.MatMul(w.DiagEmbed()).MatMul(v.MH()))
	}},
	"Eig": {func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eig()
		return goldOut(v.MatMul(w.DiagEmbed()).MatMul(v.Inverse()))
	}},
	"Eigvals": {func(a *goldArgs) []*torch.Tensor {
		values, _ := a.x(0).Eigvals().Real().Sort()
		return goldOut(values)
	}},
}

func TestLinearAlgebraLikePython(t *testing.T) { runGolden(t, "linalg.json", linalgOps, 256) }

func TestEveryLinearAlgebraOperatorHasGoldens(t *testing.T) {
	checkGoldCover(t, "linalg.json", "linalg_matmul.go", "op_distance.go", "linalg_basic.go", "linalg_decompose.go",
		"linalg_solve.go")
}
