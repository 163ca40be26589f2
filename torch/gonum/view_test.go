package gonum_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/gonum"
	"github.com/gotorch/gotorch/torchtest"
)

var errDone = errors.New("done")

// Each side sees the other's writes, and no other elements change.
func TestViewDense(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		base := torch.Arange(0, 20, 1, torch.Float64).View(4, 5)
		for name, x := range map[string]*torch.Tensor{
			"all": base, "part": base.Narrow(0, 1, 2).Narrow(1, 2, 3), "row": base.Narrow(0, 3, 1),
			"every other row": base.AsStrided([]int64{2, 5}, []int64{10, 1}, 0), "column": base.Narrow(1, 4, 1),
			"row of strides": base.T().Narrow(0, 0, 1).Narrow(1, 0, 1), "one": base.Narrow(0, 1, 1).Narrow(1, 1, 1),
		} {
			want := gonum.ToDense(x)
			var kept *mat.Dense
			err := gonum.ViewDense(x, func(m *mat.Dense) error {
				kept = m
				assert.True(t, mat.Equal(want, m), name)
				m.Set(0, 0, 100)
				assert.InDelta(t, 100, x.Select(0, 0).Select(0, 0).Item(), 0, name)
				x.Select(0, 0).Select(0, 0).Fill_(want.At(0, 0))
				assert.True(t, mat.Equal(want, m), name)
				return errDone
			})
			require.ErrorIs(t, err, errDone)
			assert.True(t, kept.IsEmpty(), "%s: emptied", name)
			assert.Nil(t, kept.RawMatrix().Data, name)
		}
		assert.Equal(t, torch.Arange(0, 20, 1, torch.Float64).Float64s(), base.Float64s())
		require.NoError(t, gonum.ViewDense(torch.Empty(torch.Shape{0, 0}, torch.Float64), func(m *mat.Dense) error {
			assert.True(t, m.IsEmpty())
			return nil
		}))
	})
}

func TestViewVectorsAndComplex(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		base := torch.Arange(0, 12, 1, torch.Float64).View(3, 4)
		var kept *mat.VecDense
		require.NoError(t, gonum.ViewVecDense(base.Select(1, 2), func(v *mat.VecDense) error {
			kept = v
			assert.Equal(t, 3, v.Len())
			assert.InDelta(t, 18, mat.Sum(v), 0)
			v.SetVec(1, -6)
			return nil
		}))
		assert.True(t, kept.IsEmpty())
		assert.InDelta(t, -6, base.Select(0, 1).Select(0, 2).Item(), 0)
		require.NoError(t, gonum.ViewVecDense(base.Select(0, 1).Narrow(0, 3, 1).Expand(1), func(v *mat.VecDense) error {
			assert.InDelta(t, 7, v.AtVec(0), 0)
			return nil
		}))
		require.NoError(t, gonum.ViewVecDense(torch.Empty(torch.Shape{0}, torch.Float64), func(v *mat.VecDense) error {
			assert.True(t, v.IsEmpty())
			return nil
		}))
		c := torch.NewTensor([][]complex128{{1, 2i}, {3, 4}})
		var keptC *mat.CDense
		require.NoError(t, gonum.ViewCDense(c, func(m *mat.CDense) error {
			keptC = m
			m.Set(1, 0, m.At(0, 1)*2)
			return nil
		}))
		rows, _ := keptC.Dims()
		assert.Zero(t, rows)
		assert.Equal(t, []complex128{1, 2i, 4i, 4}, c.Complex128s())
		require.NoError(t,
			gonum.ViewCDense(torch.Empty(torch.Shape{0, 0}, torch.Complex128), func(m *mat.CDense) error {
				return nil
			}))
	})
}

// Any strides are supported. A matrix that is kept after the function has no elements.
func TestViewMatrix(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, d := range []torch.DType{torch.Float64, torch.Float32} {
		torch.Scope(func() {
			base := torch.Arange(0, 60, 1, d).View(3, 4, 5)
			for name, x := range map[string]*torch.Tensor{
				"rows": base.Select(0, 1), "columns": base.Select(0, 1).T(), "neither": base.Select(2, 1),
				"its transpose":    base.Select(2, 1).T(),
				"expanded":         base.Select(0, 2).Narrow(0, 1, 1).Expand(3, 5),
				"expanded columns": base.Select(0, 2).Narrow(1, 1, 1).Expand(4, 3),
				"one":              base.Select(0, 0).Narrow(0, 0, 1).Narrow(1, 0, 1).Expand(2, 2),
				"row":              base.Select(0, 0).Narrow(0, 1, 1),
				"column":           base.Select(0, 0).Narrow(1, 1, 1), "empty": torch.Empty(torch.Shape{0, 0}, d),
			} {
				want := gonum.ToDense(x)
				var kept mat.Matrix
				err := gonum.ViewMatrix(x, func(m mat.Matrix) error {
					kept = m
					rows, cols := m.Dims()
					if rows == 0 {
						return errDone
					}
					assert.True(t, mat.Equal(want, m), name)
					assert.True(t, mat.Equal(want.T(), m.T()), name)
					assert.True(t, mat.Equal(want, mat.DenseCopyOf(m)), name)
					for _, at := range [][2]int{{rows, 0}, {-1, 0}, {0, cols}, {0, -1}} {
						err := mat.Maybe(func() { m.At(at[0], at[1]) })
						assert.ErrorContains(t, err, "index out of range", "%s %v", name, at)
					}
					return errDone
				})
				require.ErrorIs(t, err, errDone, name)
				assert.Panics(t, func() { kept.At(0, 0) }, name)
			}
		})
	}
}

// gonum detects that a destination overlaps its operands.
func TestOverlap(t *testing.T) {
	torch.Scope(func() {
		x := torch.Arange(0, 9, 1, torch.Float64).View(3, 3)
		err := gonum.ViewDense(x, func(m *mat.Dense) error {
			return gonum.ViewMatrix(x.T(), func(r mat.Matrix) error {
				assert.PanicsWithValue(t, "mat: bad region: overlap", func() {
					m.Slice(0, 2, 0, 3).(*mat.Dense).Mul(r.T().(*mat.Dense).Slice(1, 3, 0, 3), r)
				})
				return nil
			})
		})
		require.NoError(t, err)
	})
}

// The memory stays valid while fn uses it, and is freed even if fn panics.
func TestClosedMeanwhile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	x := torch.Full(torch.Shape{500, 500}, 7, torch.Float64)
	require.NoError(t, gonum.ViewDense(x, func(m *mat.Dense) error {
		require.NoError(t, x.Close())
		torch.Scope(func() { torch.Zeros(torch.Shape{500, 500}, torch.Float64) }) // may reuse freed memory
		assert.InDelta(t, 7*250000, mat.Sum(m), 0)
		return nil
	}))
	y := torch.Zeros(torch.Shape{2, 2}, torch.Float64)
	assert.PanicsWithError(t, "done", func() {
		_ = gonum.ViewMatrix(y.T(), func(mat.Matrix) error { panic(errDone) })
	})
	require.NoError(t, y.Close())

	z := torch.Full(torch.Shape{20, 20}, 1, torch.Float64)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				err := torch.Try(func() {
					_ = gonum.ViewDense(z, func(m *mat.Dense) error {
						assert.InDelta(t, 400, mat.Sum(m), 0)
						return nil
					})
				})
				if err != nil {
					assert.ErrorIs(t, err, torch.ErrClosed)
				}
			}
			if i == 3 {
				assert.NoError(t, z.Close())
			}
		})
	}
	wg.Wait()
}

func TestShared(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := mat.NewDense(3, 4, nil)
	torch.Scope(func() {
		x := gonum.FromDenseShared(m)
		part := gonum.FromDenseShared(m.Slice(1, 3, 1, 3).(*mat.Dense))
		column := gonum.FromVecDenseShared(m.ColView(2).(*mat.VecDense))
		assert.Equal(t, []int64{4, 1}, part.Stride())
		m.Set(1, 2, 5)
		part.Select(0, 1).Fill_(3)
		column.Select(0, 0).Fill_(9)
		assert.Equal(t, []float64{0, 0, 9, 0, 0, 0, 5, 0, 0, 3, 3, 0}, x.Float64s())
		assert.Equal(t, x.Float64s(), m.RawMatrix().Data)
		c := mat.NewCDense(2, 2, nil)
		gonum.FromCDenseShared(c).Fill_(2)
		assert.InDelta(t, 2, real(c.At(1, 1)), 0)
		assert.Equal(t, torch.Shape{0, 0}, gonum.FromDenseShared(&mat.Dense{}).Shape())
		assert.Equal(t, torch.Shape{0, 0}, gonum.FromCDenseShared(&mat.CDense{}).Shape())
		assert.Equal(t, torch.Shape{0}, gonum.FromVecDenseShared(&mat.VecDense{}).Shape())
	})
	// The tensor keeps the memory that the matrix no longer uses.
	x := func() *torch.Tensor {
		m := mat.NewDense(300, 300, nil)
		m.Set(299, 299, 4)
		x := gonum.FromDenseShared(m)
		m.Reset()
		return x
	}()
	runtime.GC()
	assert.InDelta(t, 4, x.Sum().Item(), 0)
	require.NoError(t, x.Close())
	runtime.GC()
}
