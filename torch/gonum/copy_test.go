package gonum_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/gonum"
	"github.com/gotorch/gotorch/torchtest"
)

// kinds returns matrices of each gonum type: 3 by 3 matrices, and parts of larger
// matrices.
func kinds() map[string]mat.Matrix {
	numbers := make([]float64, 20)
	for i := range numbers {
		numbers[i] = float64(i + 1)
	}
	dense := mat.NewDense(4, 5, numbers)
	return map[string]mat.Matrix{
		"dense":           dense,
		"part":            dense.Slice(1, 4, 2, 4),
		"transposed":      dense.T(),
		"transposed part": dense.Slice(1, 3, 1, 4).T(),
		"row":             dense.RowView(2),
		"column":          dense.ColView(3),
		"row transposed":  dense.RowView(2).T(),
		"symmetric":       mat.NewSymDense(3, numbers[:9]),
		"upper":           mat.NewTriDense(3, mat.Upper, numbers[:9]),
		"lower":           mat.NewTriDense(3, mat.Lower, numbers[:9]),
		"lower part":      mat.NewTriDense(4, mat.Lower, numbers[:16]).SliceTri(1, 3),
		"diagonal":        mat.NewDiagDense(3, numbers[:3]),
		"band":            mat.NewBandDense(4, 5, 1, 1, numbers[:12]),
		"symmetric band":  mat.NewSymBandDense(4, 1, numbers[:8]),
		"triangular band": mat.NewTriBandDense(4, 1, mat.Upper, numbers[:8]),
		"tridiagonal":     mat.NewTridiag(3, numbers[:2], numbers[2:5], numbers[5:7]),
		"empty":           &mat.Dense{},
		"empty vector":    &mat.VecDense{},
		"empty symmetric": &mat.SymDense{},
		"a user's":        outer{3, 2},
	}
}

// outer is a program's own matrix type.
type outer struct{ rows, cols int }

func (m outer) Dims() (r, c int)    { return m.rows, m.cols }
func (m outer) At(i, j int) float64 { return float64((i + 1) * (j + 2)) }
func (m outer) T() mat.Matrix       { return mat.Transpose{Matrix: m} }

// A matrix converted to a tensor and back keeps its elements.
func TestFromMatrix(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, m := range kinds() {
		torch.Scope(func() {
			x := gonum.FromMatrix(m)
			rows, cols := m.Dims()
			require.Equal(t, torch.Shape{int64(rows), int64(cols)}, x.Shape(), name)
			assert.Equal(t, torch.Float64, x.DType(), name)
			assert.True(t, x.IsContiguous(), name)
			got := x.Float64s()
			for i := range rows {
				for j := range cols {
					assert.InDelta(t, m.At(i, j), got[i*cols+j], 0, "%s (%d, %d)", name, i, j)
				}
			}
			back := gonum.ToDense(x)
			assert.True(t, rows == 0 && back.IsEmpty() || mat.Equal(m, back), name)
			x.Zero_()
			assert.True(t, rows == 0 || mat.Equal(m, back), "a copy: %s", name)
		})
	}
}

func TestKinds(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		all := kinds()
		assert.True(t, mat.Equal(all["symmetric"], gonum.ToSymDense(gonum.FromMatrix(all["symmetric"]))))
		assert.True(t, mat.Equal(all["upper"], gonum.ToTriDense(gonum.FromMatrix(all["upper"]), mat.Upper)))
		assert.True(t, mat.Equal(all["lower"], gonum.ToTriDense(gonum.FromMatrix(all["lower"]), mat.Lower)))
		column := all["column"].(mat.Vector)
		x := gonum.FromVector(column)
		assert.Equal(t, []float64{4, 9, 14, 19}, x.Float64s())
		assert.True(t, mat.Equal(column, gonum.ToVecDense(x)))
		assert.Equal(t, torch.Shape{0}, gonum.FromVector(&mat.VecDense{}).Shape())
		none := torch.Empty(torch.Shape{0, 0})
		assert.True(t, gonum.ToSymDense(none).IsEmpty())
		assert.True(t, gonum.ToTriDense(none, mat.Lower).IsEmpty())
		assert.True(t, gonum.ToCDense(none.To(torch.Complex64)).IsEmpty())
		assert.True(t, gonum.ToVecDense(none.Reshape(0)).IsEmpty())
		nan := torch.Full(torch.Shape{2, 2}, math.NaN())
		assert.True(t, math.IsNaN(gonum.ToSymDense(nan).At(1, 0)), "NaN is like NaN")
	})
}

func TestComplex(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := mat.NewCDense(2, 3, []complex128{1, 2i, 3, 4 + 4i, 5, 6})
	for name, c := range map[string]mat.CMatrix{
		"dense": m, "part": m.Slice(0, 2, 1, 3), "H": m.H(), "T": m.T(),
		"empty": &mat.CDense{},
	} {
		torch.Scope(func() {
			x := gonum.FromCMatrix(c)
			assert.Equal(t, torch.Complex128, x.DType(), name)
			back := gonum.ToCDense(x)
			assert.True(t, back.IsEmpty() == (name == "empty") && (back.IsEmpty() || mat.CEqual(c, back)), name)
			assert.True(t, back.IsEmpty() || mat.CEqual(c, gonum.ToCDense(x.To(torch.Complex64))), name)
		})
	}
	torch.Scope(func() {
		x := gonum.FromCMatrix(m)
		assert.True(t, mat.CEqual(m.H(), gonum.ToCDense(x.MH())), "a conjugate view")
		assert.Equal(t, torch.Complex64, gonum.FromCMatrix(m, torch.Complex64).DType())
	})
}

// All floating-point dtypes, with any strides, convert to float64 without loss.
func TestWidths(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, d := range []torch.DType{
		torch.Float64, torch.Float32, torch.Float16, torch.BFloat16, torch.Float8E4M3FN,
		torch.Float8E5M2,
	} {
		torch.Scope(func() {
			x := torch.NewTensor([][]float64{{-1.5, 0, 3}, {-448, 0.0625, 2}}).To(d)
			want := x.T().To(torch.Float64).Float64s()
			assert.Equal(t, want, gonum.ToDense(x.T()).RawMatrix().Data, d)
			assert.Equal(t, want[:2], gonum.ToVecDense(x.T().Select(0, 0)).RawVector().Data, d)
		})
	}
	torch.Scope(func() {
		x := torch.NewTensor([][]float64{{1, 2}}).Expand(3, 2)
		assert.Equal(t, []float64{1, 2, 1, 2, 1, 2}, gonum.ToDense(x).RawMatrix().Data)
		neg := torch.NewTensor([][]complex128{{1i, -2i}}).Conj().Imag()
		require.True(t, neg.IsNeg())
		assert.Equal(t, []float64{-1, 2}, gonum.ToDense(neg).RawMatrix().Data)
	})
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := mat.NewDense(1, 2, []float64{1.5, 2})
		x := gonum.FromMatrix(m, torch.Float32, torch.RequiresGrad(true))
		assert.Equal(t, torch.Float32, x.DType())
		assert.True(t, x.RequiresGrad())
		assert.Equal(t, torch.Int64, gonum.FromVector(m.RowView(0), torch.Int64).DType())
		assert.ErrorIs(t, torch.Try(func() { gonum.FromMatrix(m, nil) }), torch.ErrNil)
	})
}

// Products and solutions equal libtorch's, within rounding.
func TestBesideLibtorch(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	gen := torch.NewGenerator(torch.CPU).ManualSeed(3)
	for n := int64(1); n < 40; n += 3 {
		torch.Scope(func() {
			a := torch.Randn(torch.Shape{n, n}, gen,
				torch.Float64).Add(torch.Eye(n, torch.Float64).MulScalar(float64(2 * n)))
			b := torch.Randn(torch.Shape{n, 5}, gen, torch.Float64)
			var product, solution mat.Dense
			product.Mul(gonum.ToDense(a), gonum.ToDense(b))
			torchtest.AllClose(t, a.MatMul(b), gonum.FromMatrix(&product), torchtest.RTol(1e-12),
				torchtest.ATol(1e-13*float64(n*n)))
			require.NoError(t, solution.Solve(gonum.ToDense(a), gonum.ToDense(b)))
			torchtest.AllClose(t, b, a.MatMul(gonum.FromMatrix(&solution)), torchtest.RTol(1e-11),
				torchtest.ATol(1e-13*float64(n*n)))
			var transposed mat.Dense
			err := gonum.ViewMatrix(a.T(), func(m mat.Matrix) error {
				transposed.Mul(m, gonum.ToDense(b))
				return nil
			})
			require.NoError(t, err)
			torchtest.AllClose(t, a.T().MatMul(b), gonum.FromMatrix(&transposed), torchtest.RTol(1e-12),
				torchtest.ATol(1e-13*float64(n*n)))
		})
	}
}
