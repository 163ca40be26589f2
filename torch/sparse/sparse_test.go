package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/sparse"
	"github.com/gotorch/gotorch/torchtest"
)

// Products, sums and softmax of sparse matrices equal the results for dense matrices.
func TestSparse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		a := torch.FromSlice([]float64{0, 2, 0, 1, 0, 3}, 2, 3)
		b := torch.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 3, 2)
		c := torch.Ones(torch.Shape{2, 2}, torch.Float64)
		s := a.ToSparse()
		torchtest.AllClose(t, a.MatMul(b), sparse.Mm(s, b))
		torchtest.AllClose(t, a.MatMul(b), sparse.Mm(s, b.ToSparse()).ToDense())
		torchtest.AllClose(t, c.Addmm(a, b, torch.Beta(0.5), torch.Alpha(2)),
			sparse.Addmm(c, s, b, sparse.Beta(0.5), sparse.Alpha(2)))
		csr := a.ToSparseCSR()
		torchtest.AllClose(t, torch.FromSlice([]float64{6, 8, 15, 18}, 2, 2), sparse.MmReduce(csr, b, "amax"))
		eye := torch.Eye(2, torch.Float64).ToSparseCSR()
		torchtest.AllClose(t, a.MatMul(b).Mul(torch.Eye(2, torch.Float64)).AddScalar(0),
			sparse.SampledAddmm(eye, a, b, sparse.Beta(0)).ToDense())
		torchtest.AllClose(t, a.Sum(), sparse.Sum(s))
		torchtest.AllClose(t, a.Sum(torch.Dim(0)), sparse.Sum(s, sparse.Dim(0)).ToDense())
		torchtest.AllClose(t, a.Sum(), sparse.Sum(s, sparse.Dims{0, 1}))
		assert.Equal(t, torch.Float32, sparse.Sum(s, torch.Float32).DType())
		assert.Equal(t, torch.Float32, sparse.Sum(s, torch.Float32, sparse.Dim(1)).DType())
		torchtest.AllClose(t, torch.FromSlice([]float64{0, 1, 0, 0.11920292202211755, 0, 0.8807970779778825}, 2, 3),
			sparse.Softmax(s, 1).ToDense())
		torchtest.AllClose(t, sparse.Softmax(s, 0).Values().Log(), sparse.LogSoftmax(s, 0).Values())
		assert.Equal(t, torch.Float32, sparse.Softmax(s.To(torch.Float32), 0, torch.Float32).DType())
		d := sparse.Spdiags(b.T(), torch.FromSlice([]int64{0, -1}), torch.Shape{3, 3}, 0)
		torchtest.AllClose(t, torch.FromSlice([]float64{1, 0, 0, 2, 3, 0, 0, 4, 5}, 3, 3), d.ToDense())
		assert.Equal(t, torch.SparseCSR,
			sparse.Spdiags(b.T(), torch.FromSlice([]int64{0, -1}), torch.Shape{3, 3}, torch.SparseCSR).Layout())
	})
}

func TestGradientsOfSparse(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := torch.FromSlice([]float64{0, 2, 1, 0}, 2, 2).ToSparse().RequiresGrad_()
		b := torch.FromSliceWith([]float64{1, 2, 3, 4}, torch.Shape{2, 2}, torch.RequiresGrad(true))
		sparse.Mm(s, b).Sum().Backward()
		assert.Equal(t, []float64{1, 1, 2, 2}, b.Grad().Float64s())
		assert.Equal(t, []float64{0, 7, 3, 0}, s.Grad().ToDense().Float64s())
	})
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		s := torch.Eye(2).ToSparse()
		for name, c := range map[string]struct {
			kind error
			f    func()
		}{
			"nil":             {torch.ErrNil, func() { sparse.Mm(s, nil) }},
			"shapes":          {torch.ErrShape, func() { sparse.Mm(s, torch.Ones(torch.Shape{3, 2})) }},
			"a nil option":    {torch.ErrNil, func() { sparse.Addmm(s, s, s, nil) }},
			"keepdim":         {torch.ErrValue, func() { sparse.Sum(s, torch.KeepDim(true)) }},
			"a nil sum":       {torch.ErrNil, func() { sparse.Sum(s, nil) }},
			"nowhere":         {torch.ErrIndex, func() { sparse.Sum(s, sparse.Dim(7)) }},
			"a nil dtype":     {torch.ErrNil, func() { sparse.Softmax(s, 0, nil) }},
			"softmax nowhere": {torch.ErrIndex, func() { sparse.Softmax(s, 7) }},
			"another reduce": {torch.ErrValue, func() {
				sparse.MmReduce(s.ToDense().ToSparseCSR(), torch.Eye(2), "most")
			}},
			"float offsets": {torch.ErrDType, func() {
				sparse.Spdiags(torch.Eye(2), torch.Zeros(torch.Shape{2}), torch.Shape{2, 2}, 0)
			}},
		} {
			assert.ErrorIs(t, torch.Try(c.f), c.kind, name)
		}
		assert.Error(t, torch.Try(func() { sparse.Sum(torch.Ones(nil)) }))
		assert.Error(t, torch.Try(func() { sparse.Softmax(torch.Ones(torch.Shape{2}), 0) }))
	})
}
