package linalg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/linalg"
	"github.com/gotorch/gotorch/torchtest"
)

type tensors = []*torch.Tensor

func two(a, b *torch.Tensor) tensors      { return tensors{a, b} }
func three(a, b, c *torch.Tensor) tensors { return tensors{a, b, c} }
func four(a, b, c, d *torch.Tensor) tensors {
	return tensors{a, b, c, d}
}

func matrix() *torch.Tensor {
	return torch.FromSlice([]float64{4, 1, 2, 1, 3, 0.5, 2, 0.5, 5}, 3, 3)
}

func same(t *testing.T, name string, want, got tensors) {
	t.Helper()
	assert.Len(t, got, len(want), name)
	for i := range want {
		assert.Equal(t, want[i].DType(), got[i].DType(), name)
		assert.True(t, want[i].Equal(got[i]), "%s: result %d", name, i)
	}
}

// Functions that are also methods of package torch give the same results, with options.
func TestMethods(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := matrix(), torch.FromSlice([]float64{1, 2, 0, 3, 5, 1, 2, 0, 4}, 3, 3)
		tall := b.Narrow(1, 0, 2)
		lu, pivots := a.LUFactor()
		for name, c := range map[string][2]tensors{
			"Cholesky": {{a.Cholesky(torch.Upper(true))}, {linalg.Cholesky(a, linalg.Upper(true))}},
			"QR":       {two(tall.QR(torch.ModeComplete)), two(linalg.QR(tall, linalg.ModeComplete))},
			"SVD": {
				three(tall.SVD(torch.FullMatrices(false))),
				three(linalg.SVD(tall, linalg.FullMatrices(false))),
			},
			"SVDVals":     {{tall.SVDVals()}, {linalg.SVDVals(tall)}},
			"Eig":         {two(b.Eig()), two(linalg.Eig(b))},
			"Eigvals":     {{b.Eigvals()}, {linalg.Eigvals(b)}},
			"Eigh":        {two(b.Eigh(torch.UPLOU)), two(linalg.Eigh(b, linalg.UPLOU))},
			"Eigvalsh":    {{b.Eigvalsh(torch.UPLOU)}, {linalg.Eigvalsh(b, linalg.UPLOU)}},
			"LU":          {three(b.LU()), three(linalg.LU(b))},
			"LUFactor":    {two(b.LUFactor()), two(linalg.LUFactor(b))},
			"Det":         {{b.Det()}, {linalg.Det(b)}},
			"Slogdet":     {two(b.Slogdet()), two(linalg.Slogdet(b))},
			"Cond":        {{b.Cond(1)}, {linalg.Cond(b, 1)}},
			"MatrixRank":  {{b.MatrixRank(torch.ATol(2))}, {linalg.MatrixRank(b, linalg.ATol(2))}},
			"MatrixExp":   {{b.MatrixExp()}, {linalg.MatrixExp(b)}},
			"MatrixPower": {{b.MatrixPower(-2)}, {linalg.MatrixPower(b, -2)}},
			"MatMul":      {{a.MatMul(b)}, {linalg.MatMul(a, b)}},
			"MultiDot":    {{torch.MultiDot(a, b, tall)}, {linalg.MultiDot(a, b, tall)}},
			"Cross":       {{a.Cross(b, torch.Dim(0))}, {linalg.Cross(a, b, linalg.Dim(0))}},
			"Vecdot":      {{a.Vecdot(b, torch.Dim(0))}, {linalg.Vecdot(a, b, linalg.Dim(0))}},
			"Vander":      {{a.Vander(torch.N(2))}, {linalg.Vander(a, linalg.N(2))}},
			"Inv":         {{b.Inverse()}, {linalg.Inv(b)}},
			"Pinv":        {{tall.Pinverse(torch.RTol(0.5))}, {linalg.Pinv(tall, linalg.RTol(0.5))}},
			"Solve":       {{a.Solve(b, torch.Left(false))}, {linalg.Solve(a, b, linalg.Left(false))}},
			"SolveTriangular": {
				{a.SolveTriangular(b, true, torch.Unitriangular(true))},
				{linalg.SolveTriangular(a, b, true, linalg.Unitriangular(true))},
			},
			"LUSolve": {
				{lu.LUSolve(pivots, b, torch.Adjoint(true))},
				{linalg.LUSolve(lu, pivots, b, linalg.Adjoint(true))},
			},
			"LstSq":     {four(tall.LstSq(b, torch.DriverGELSD)), four(linalg.LstSq(tall, b, linalg.DriverGELSD))},
			"TensorInv": {{a.View(3, 1, 3).TensorInv(1)}, {linalg.TensorInv(a.View(3, 1, 3), 1)}},
			"TensorSolve": {
				{a.TensorSolve(b.Select(0, 0), torch.Dims{0})},
				{linalg.TensorSolve(a, b.Select(0, 0), linalg.Dims{0})},
			},
			"MatrixNorm": {
				{a.MatrixNorm("nuc", torch.KeepDim(true))},
				{linalg.MatrixNorm(a, "nuc", linalg.KeepDim(true))},
			},
		} {
			same(t, name, c[0], c[1])
		}
		batch := torch.Arange(24.0).View(2, 3, 4)
		assert.True(t, batch.Diagonal(torch.Dim1(1), torch.Dim2(2)).Equal(linalg.Diagonal(batch)))
		assert.True(t,
			batch.Diagonal(torch.Dim1(0), torch.Dim2(2), torch.Offset(1)).Equal(linalg.Diagonal(batch, linalg.Dim1(0),
				linalg.Offset(1))))
		assert.True(t, linalg.Diagonal(batch).SharesStorage(batch))
		torchtest.AllClose(t, aten.LinalgCondPStr(a, "nuc"), linalg.Cond(a, "nuc"))
		assert.ErrorIs(t, torch.Try(func() { linalg.Cond(a, "other") }), torch.ErrValue)
	})
}

// Norms of vectors and matrices have the expected values and dtypes.
func TestNorms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{3, 0, -4, 1, 2, -2}, 2, 3)
		dims := []int64{0, 1}
		for name, c := range map[string][2]*torch.Tensor{
			"a vector's": {torch.FromSlice([]float32{5, 3}), linalg.VectorNorm(x, 2, linalg.Dim(1))},
			"of all":     {torch.Full(nil, 12.0), linalg.VectorNorm(x, 1)},
			"the largest": {
				torch.FromSlice([]float32{3, 2, 4}, 1, 3),
				linalg.VectorNorm(x, math.Inf(1), linalg.Dims{0}, linalg.KeepDim(true)),
			},
			"how many":         {torch.Full(nil, 5.0), linalg.VectorNorm(x, 0, linalg.Dims{0, 1})},
			"in another dtype": {torch.Full(nil, 12.0, torch.Float64), linalg.VectorNorm(x, 1, torch.Float64)},
			"without an order": {aten.LinalgNorm(x, nil, nil, false, 0), linalg.Norm(x, nil)},
			"of a matrix":      {aten.LinalgNorm(x, 1, nil, false, 0), linalg.Norm(x, 1)},
			"fro": {
				aten.LinalgNormOrdStr(x, "fro", nil, true, 0),
				linalg.Norm(x, "fro", linalg.KeepDim(true)),
			},
			"nuc": {
				aten.LinalgNormOrdStr(x, "nuc", dims, false, torch.Float64),
				linalg.Norm(x, "nuc", linalg.Dims{0, 1}, torch.Float64),
			},
			"along a dimension": {aten.LinalgNorm(x, 3, []int64{0}, false, 0), linalg.Norm(x, 3, linalg.Dim(0))},
			"the last dims": {
				aten.LinalgNorm(x, 3, []int64{1}, false, 0),
				linalg.Norm(x, 3, linalg.Dim(0), linalg.Dims{1}),
			},
			"no dims": {aten.LinalgNorm(x, nil, nil, false, 0), linalg.Norm(x, nil, linalg.Dim(0), linalg.Dims{})},
		} {
			torchtest.AllClose(t, c[0], c[1])
			assert.Equal(t, c[0].DType(), c[1].DType(), name)
		}
		for name, c := range map[string]struct {
			kind error
			f    func()
		}{
			"no order":             {torch.ErrType, func() { linalg.VectorNorm(x, nil) }},
			"a word":               {torch.ErrType, func() { linalg.VectorNorm(x, "fro") }},
			"another word":         {torch.ErrValue, func() { linalg.Norm(x, "big") }},
			"another type":         {torch.ErrType, func() { linalg.Norm(x, []int{1}) }},
			"nowhere":              {torch.ErrIndex, func() { linalg.Norm(x, nil, linalg.Dim(2)) }},
			"of integers":          {torch.ErrDType, func() { linalg.Norm(x.Long(), nil) }},
			"nil":                  {torch.ErrNil, func() { linalg.VectorNorm(nil, 2) }},
			"a nil option":         {torch.ErrNil, func() { linalg.VectorNorm(x, 2, nil) }},
			"fro of one dimension": {torch.ErrShape, func() { linalg.Norm(x, "fro", linalg.Dim(0)) }},
			"one given twice":      {torch.ErrShape, func() { linalg.VectorNorm(x, 2, linalg.Dims{0, 0}) }},
		} {
			assert.ErrorIs(t, torch.Try(c.f), c.kind, name)
		}
	})
}

// Functions whose names end in Ex report failures in their last result, or, with
// CheckErrors, by a panic.
func TestFunctionsThatReport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := matrix(), torch.Ones(torch.Shape{3, 2}, torch.Float64)
		singular, negative := torch.Ones(torch.Shape{3, 3}, torch.Float64), a.Neg()
		l, info := linalg.CholeskyEx(a)
		same(t, "CholeskyEx", tensors{a.Cholesky(), torch.Zeros(nil, torch.Int32)}, two(l, info))
		u, _ := linalg.CholeskyEx(a, linalg.Upper(true))
		assert.True(t, a.Cholesky(torch.Upper(true)).Equal(u))
		_, info = linalg.CholeskyEx(negative)
		assert.EqualValues(t, 1, info.ItemInt())
		x, info := linalg.InvEx(a)
		same(t, "InvEx", tensors{a.Inverse(), torch.Zeros(nil, torch.Int32)}, two(x, info))
		_, info = linalg.InvEx(singular)
		assert.NotZero(t, info.ItemInt())
		lu, pivots, info := linalg.LUFactorEx(a)
		wantLU, wantPivots := a.LUFactor()
		same(t, "LUFactorEx", tensors{wantLU, wantPivots, torch.Zeros(nil, torch.Int32)}, three(lu, pivots, info))
		x, info = linalg.SolveEx(a, b)
		same(t, "SolveEx", tensors{a.Solve(b), torch.Zeros(nil, torch.Int32)}, two(x, info))
		x, _ = linalg.SolveEx(a, b.T(), linalg.Left(false))
		assert.True(t, a.Solve(b.T(), torch.Left(false)).Equal(x))
		for name, f := range map[string]func(){
			"CholeskyEx":  func() { linalg.CholeskyEx(negative, linalg.CheckErrors(true)) },
			"InvEx":       func() { linalg.InvEx(singular, linalg.CheckErrors(true)) },
			"LUFactorEx":  func() { linalg.LUFactorEx(singular, linalg.CheckErrors(true)) },
			"SolveEx":     func() { linalg.SolveEx(singular, b, linalg.CheckErrors(true)) },
			"LDLFactorEx": func() { linalg.LDLFactorEx(singular.Zero_(), linalg.CheckErrors(true)) },
			"Cholesky":    func() { linalg.Cholesky(negative) },
			"Inv":         func() { linalg.Inv(singular) },
			"Solve":       func() { linalg.Solve(singular, b) },
			"LDLFactor":   func() { linalg.LDLFactor(singular) },
		} {
			assert.ErrorIs(t, torch.Try(f), torch.ErrLinAlg, name)
		}
		for name, f := range map[string]func(){
			"CholeskyEx":  func() { linalg.CholeskyEx(negative, linalg.CheckErrors(true), linalg.CheckErrors(false)) },
			"InvEx":       func() { linalg.InvEx(singular) },
			"LUFactorEx":  func() { linalg.LUFactorEx(singular) },
			"SolveEx":     func() { linalg.SolveEx(singular, b) },
			"LDLFactorEx": func() { linalg.LDLFactorEx(singular) },
		} {
			assert.NoError(t, torch.Try(f), name)
		}
		for name, f := range map[string]func(){
			"CholeskyEx":  func() { linalg.CholeskyEx(a, nil) },
			"InvEx":       func() { linalg.InvEx(a, nil) },
			"LUFactorEx":  func() { linalg.LUFactorEx(a, linalg.Pivot(true), nil) },
			"SolveEx":     func() { linalg.SolveEx(a, b, nil) },
			"LDLFactorEx": func() { linalg.LDLFactorEx(a, nil) },
			"LDLFactor":   func() { linalg.LDLFactor(a, nil) },
			"no matrix":   func() { linalg.CholeskyEx(nil) },
			"no solution": func() { linalg.SolveEx(a, nil) },
			"no factors":  func() { linalg.LDLSolve(a, nil, b) },
		} {
			assert.ErrorIs(t, torch.Try(f), torch.ErrNil, name)
		}
		assert.ErrorIs(t, torch.Try(func() { linalg.InvEx(b) }), torch.ErrShape)
		assert.ErrorIs(t, torch.Try(func() { linalg.InvEx(a.Long()) }), torch.ErrDType)
	})
}

// LDL factors solve equations, and the product of Householder reflections is the Q of QR.
func TestFactors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a, b := matrix(), torch.FromSlice([]float64{1, 2, 0, 3, 5, 1}, 3, 2)
		ld, pivots := linalg.LDLFactor(a)
		torchtest.AllClose(t, linalg.Solve(a, b), linalg.LDLSolve(ld, pivots, b))
		same(t, "LDLFactorEx", tensors{ld, pivots, torch.Zeros(nil, torch.Int32)}, three(linalg.LDLFactorEx(a)))
		h := torch.Complex(a, a.Triu(1).Sub(a.Tril(-1)))
		ld, pivots = linalg.LDLFactor(h, linalg.Hermitian(true))
		z := b.To(torch.Complex128)
		torchtest.AllClose(t, linalg.Solve(h, z), linalg.LDLSolve(ld, pivots, z, linalg.Hermitian(true)))

		q, r := linalg.QR(b)
		factors, tau := b.Geqrf()
		torchtest.AllClose(t, r, factors.Narrow(0, 0, 2).Triu())
		torchtest.AllClose(t, q, linalg.HouseholderProduct(factors, tau))
		torchtest.AllClose(t, q, factors.Orgqr(tau))
		full, _ := linalg.QR(b, linalg.ModeComplete)
		torchtest.AllClose(t, full.MatMul(a), factors.Ormqr(tau, a))
		torchtest.AllClose(t, full.T().MatMul(a), factors.Ormqr(tau, a, torch.Transposed(true)))
		torchtest.AllClose(t, a.MatMul(full), factors.Ormqr(tau, a, torch.Left(false)))
		lu, p := a.LUFactor()
		same(t, "LUUnpack", three(a.LU()), three(torch.LUUnpack(lu, p)))
		_, l, _ := torch.LUUnpack(lu, p, torch.UnpackData(false))
		assert.Zero(t, l.Numel())
		perm, _, _ := torch.LUUnpack(lu, p, torch.UnpackPivots(false))
		assert.Zero(t, perm.Numel())
	})
}
