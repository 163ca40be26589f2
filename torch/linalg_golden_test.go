package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var linalgOps = goldOps{
	"MatMul":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatMul(a.x(1))) },
	"Mm":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Mm(a.x(1))) },
	"Bmm":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Bmm(a.x(1))) },
	"Mv":        func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Mv(a.x(1))) },
	"Dot":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Dot(a.x(1))) },
	"Vdot":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vdot(a.x(1))) },
	"Vecdot":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vecdot(a.x(1), torch.Dim(a.int(2)))) },
	"Inner":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Inner(a.x(1))) },
	"Outer":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Outer(a.x(1))) },
	"Kron":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Kron(a.x(1))) },
	"Cross":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cross(a.x(1), torch.Dim(a.int(2)))) },
	"TensorDot": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TensorDot(a.x(1), a.int(2))) },
	"TensorDotDims": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TensorDotDims(a.x(1), a.ints(2), a.ints(3)))
	},
	"Einsum":   func(a *goldArgs) []*torch.Tensor { return goldOut(torch.Einsum(a.str(0), a.list(1)...)) },
	"MultiDot": func(a *goldArgs) []*torch.Tensor { return goldOut(torch.MultiDot(a.list(0)...)) },
	"Addmm":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Addmm(a.x(1), a.x(2))) },
	"AddmmScaled": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Addmm(a.x(1), a.x(2), torch.Beta(a.float(3)), torch.Alpha(a.float(4))))
	},
	"Addmv": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Addmv(a.x(1), a.x(2))) },
	"AddmvScaled": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Addmv(a.x(1), a.x(2), torch.Beta(a.float(3)), torch.Alpha(a.float(4))))
	},
	"Addr":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Addr(a.x(1), a.x(2))) },
	"Baddbmm": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Baddbmm(a.x(1), a.x(2))) },
	"BaddbmmScaled": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Baddbmm(a.x(1), a.x(2), torch.Beta(a.float(3)), torch.Alpha(a.float(4))))
	},
	"Addbmm":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Addbmm(a.x(1), a.x(2))) },
	"Addmm_":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Addmm_(a.x(1), a.x(2))) },
	"Addmv_":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Addmv_(a.x(1), a.x(2))) },
	"Baddbmm_": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Baddbmm_(a.x(1), a.x(2))) },
	"Cdist":    func(a *goldArgs) []*torch.Tensor { return goldOut(torch.Cdist(a.x(0), a.x(1), torch.P(a.float(2)))) },
	"Pdist":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pdist(torch.P(a.float(1)))) },
	"Dist":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Dist(a.x(1), torch.P(a.float(2)))) },

	"Trace":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Trace()) },
	"Det":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Det()) },
	"Logdet":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Logdet()) },
	"Slogdet":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Slogdet()) },
	"Inverse":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Inverse()) },
	"Pinverse":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Pinverse()) },
	"MatrixExp":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixExp()) },
	"MatrixPower": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixPower(a.int(1))) },
	"MatrixRank":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).MatrixRank()) },
	"MatrixNorm": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MatrixNorm(a.any(1), torch.KeepDim(a.bool(2))))
	},
	"Cond":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cond(a.any(1))) },
	"Vander":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Vander(torch.N(a.int(1)))) },
	"Cholesky": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cholesky(torch.Upper(a.bool(1)))) },
	"CholeskyInverse": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).CholeskyInverse(torch.Upper(a.bool(1))))
	},
	"CholeskySolve": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).CholeskySolve(a.x(1), torch.Upper(a.bool(2))))
	},
	"SVDVals":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).SVDVals()) },
	"Eigvalsh": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Eigvalsh()) },
	"LU":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LU()) },
	"LUFactor": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LUFactor()) },
	"Solve":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Solve(a.x(1))) },
	"SolveTriangular": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).SolveTriangular(a.x(1), torch.Upper(a.bool(2)), torch.Unitriangular(a.bool(3))))
	},
	"TriangularSolve": func(a *goldArgs) []*torch.Tensor {
		x, c := a.x(0).TriangularSolve(a.x(1), torch.Upper(a.bool(2)), torch.Transposed(a.bool(3)),
			torch.Unitriangular(a.bool(4)))
		return goldOut(x, c)
	},
	"LUSolve":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LUSolve(a.x(1), a.x(2))) },
	"LstSq":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LstSq(a.x(1), torch.Driver(a.str(2)))) },
	"TensorInv":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TensorInv(a.int(1))) },
	"TensorSolve": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TensorSolve(a.x(1))) },

	// Factors are not unique, so their products are compared.
	"QR": func(a *goldArgs) []*torch.Tensor {
		q, r := a.x(0).QR(torch.Mode(a.str(1)))
		return goldOut(q.MatMul(r), q.MH().MatMul(q))
	},
	"SVD": func(a *goldArgs) []*torch.Tensor {
		u, s, vh := a.x(0).SVD(torch.FullMatrices(a.bool(1)))
		return goldOut(s, u.Narrow(-1, 0, 2).MatMul(s.DiagEmbed()).MatMul(vh.Narrow(-2, 0, 2)))
	},
	"Eigh": func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eigh()
		return goldOut(w, v.MatMul(w.DiagEmbed()).MatMul(v.MH()))
	},
	"Eig": func(a *goldArgs) []*torch.Tensor {
		w, v := a.x(0).Eig()
		return goldOut(v.MatMul(w.DiagEmbed()).MatMul(v.Inverse()))
	},
	"Eigvals": func(a *goldArgs) []*torch.Tensor {
		values, _ := a.x(0).Eigvals().Real().Sort()
		return goldOut(values)
	},
}

func TestLinearAlgebraLikePython(t *testing.T) { runGolden(t, "linalg.json", linalgOps, 256) }

func TestEveryLinearAlgebraOperatorHasGoldens(t *testing.T) {
	checkGoldCover(t, linalgOps, "linalg_matmul.go", "op_distance.go", "linalg_basic.go", "linalg_decompose.go",
		"linalg_solve.go")
}
