package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

var addedOps = goldOps{
	"Concat":   {torch.Cat, from[torch.Dim]},
	"RowStack": {torch.VStack},
	"MoveAxis": {"MoveDim"},
	"NDim": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.ScalarTensor(a.x(0).Dim(), torch.Int64))
	}},
	"MoveAxes":     {"MoveDims"},
	"Clip":         {"Clamp"},
	"Clip_":        {"Clamp_"},
	"UnravelIndex": {torch.UnravelIndex},

	"ToSparse": {func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ToSparse().ToDense()) }},
	"ToSparseCSR": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Detach().ToSparse(torch.SparseCSR).ToDense())
	}},
	"SparseCOOTensor": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.SparseCOOTensor(a.x(0), a.x(1), a.ints(2)).ToDense())
	}},
	"HannWindow":     {torch.HannWindow, from[torch.Periodic]},
	"HammingWindow":  {torch.HammingWindow, from[torch.Periodic]},
	"BlackmanWindow": {torch.BlackmanWindow, from[torch.Periodic]},
	"BartlettWindow": {torch.BartlettWindow, from[torch.Periodic]},

	"Coalesce": {func(a *goldArgs) []*torch.Tensor {
		c := a.x(0).Detach().ToSparse().Coalesce()
		return goldOut(c.Indices(), c.Values())
	}},

	"STFT": {func(a *goldArgs) []*torch.Tensor {
		opts := []torch.STFTOption{
			torch.Center(!a.bool(5)), torch.Center(a.bool(5)), // the second Center overrides the first
			torch.PadMode(a.str(6)), torch.Normalized(a.bool(7)), torch.Window(a.x(4)),
		}
		if n := a.optInt(2); n != nil {
			opts = append(opts, torch.HopLength(*n))
		}
		if n := a.optInt(3); n != nil {
			opts = append(opts, torch.WinLength(*n))
		}
		if one, ok := a.any(8).(bool); ok {
			opts = append(opts, torch.Onesided(one))
		}
		return goldOut(a.x(0).STFT(a.int(1), opts...).ViewAsReal())
	}},
	"ISTFT": {func(a *goldArgs) []*torch.Tensor {
		opts := []torch.ISTFTOption{
			torch.Center(a.bool(5)), torch.Normalized(a.bool(6)), torch.Window(a.x(4)),
			torch.ReturnComplex(false),
		}
		if n := a.optInt(2); n != nil {
			opts = append(opts, torch.HopLength(*n))
		}
		if n := a.optInt(3); n != nil {
			opts = append(opts, torch.WinLength(*n))
		}
		if one, ok := a.any(7).(bool); ok {
			opts = append(opts, torch.Onesided(one))
		}
		if n := a.optInt(8); n != nil {
			opts = append(opts, torch.Length(*n))
		}
		return goldOut(a.x(0).ISTFT(a.int(1), opts...))
	}},
}

func TestAddedLikePython(t *testing.T) { runGolden(t, "added.json", addedOps, 20) }

func TestEveryAddedOperatorHasGoldens(t *testing.T) {
	checkGoldCover(t, "added.json", "shape_split_axes.go", "index_unravel.go", "op_stft.go", "create_window.go")
}

func TestToList(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
		assert.Equal(t, []any{[]any{1., 2., 3.}, []any{4., 5., 6.}}, x.ToList())
		assert.Equal(t, []any{[]any{1., 4.}, []any{2., 5.}, []any{3., 6.}}, x.T().ToList())
		assert.Equal(t, 3., x.Index(0, 2).ToList())
		assert.Equal(t, []any{int64(7)}, torch.FromSlice([]uint8{7}).ToList())
		assert.Equal(t, []any{true, false}, torch.FromSlice([]bool{true, false}).ToList())
		assert.Equal(t, []any{1 + 2i}, torch.FromSlice([]complex64{1 + 2i}).ToList())
		assert.Equal(t, []any{[]any{}, []any{}}, torch.Zeros(torch.Shape{2, 0}).ToList())
		assert.Equal(t, int64(2), x.Dim())
		err := torch.Try(func() { (*torch.Tensor)(nil).ToList() })
		assert.ErrorIs(t, err, torch.ErrNil)
		assert.ErrorContains(t, err, "ToList")
	})
}

// Autograd notices a change made through Detach, but not a change made through Data.
func TestDataSharesMemory(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float32{1, 2})
		x.SetRequiresGrad(true)
		d := x.Data()
		d.MulScalar_(2)
		assert.False(t, d.RequiresGrad())
		assert.Equal(t, []float32{2, 4}, x.Float32s())
		assert.Equal(t, int64(0), x.TensorVersion())
	})
}

func TestSparseTensors(t *testing.T) {
	leakFree(t, func() {
		dense := torch.FromSlice([]float64{0, 1, 2, 0}, 2, 2)
		s := dense.ToSparse()
		assert.True(t, s.IsSparse())
		assert.False(t, dense.IsSparse())
		assert.Equal(t, torch.SparseCOO, s.Layout())
		assert.Equal(t, torch.SparseCSR, dense.ToSparse(torch.SparseCSR).Layout())
		assert.Equal(t, torch.SparseCOO, dense.ToSparse(torch.SparseCSR, torch.Layout(0)).Layout())
		assert.Equal(t, torch.SparseBSR, torch.Eye(4).ToSparse(torch.SparseBSR, torch.BlockSize{2, 2}).Layout())
		assert.Equal(t, int64(1), dense.ToSparse(torch.DenseDim(0), torch.DenseDim(1)).DenseDim())
		require.ErrorIs(t, torch.Try(func() { dense.ToSparse(torch.SparseCSR, nil) }), torch.ErrNil)
		three := torch.Arange(0, 3, 1)
		assert.Equal(t, torch.Shape{3, 2}, three.Combinations(2).Shape())
		assert.Equal(t, torch.Shape{6, 2}, three.Combinations(2, torch.WithReplacement(true)).Shape())
		assert.Equal(t, torch.Shape{3, 2},
			three.Combinations(2, torch.WithReplacement(true), torch.WithReplacement(false)).Shape())
		require.ErrorIs(t, torch.Try(func() { three.Combinations(2, nil) }), torch.ErrNil)
		assert.Equal(t, int64(2), s.SparseDim())
		assert.Equal(t, int64(0), s.DenseDim())
		assert.Equal(t, int64(0), dense.SparseDim())
		assert.Equal(t, int64(2), dense.DenseDim())
		assert.True(t, s.IsCoalesced())
		assert.True(t, s.Values().SharesStorage(s.Coalesce().Values()))
		assert.True(t, dense.ToDense().SharesStorage(dense))
	})
}

func TestMistakesWithAddedOperators(t *testing.T) {
	leakFree(t, func() {
		x, ints := torch.Ones(torch.Shape{2, 3}), torch.FromSlice([]int64{0, 1})
		for name, c := range map[string]struct {
			kind error
			call func()
		}{
			"hsplit of a number":       {torch.ErrShape, func() { x.Index(0, 0).HSplit(1) }},
			"hsplit in unequal pieces": {torch.ErrShape, func() { x.HSplit(2) }},
			"vsplit of a vector":       {torch.ErrShape, func() { ints.VSplit(2) }},
			"dsplit of a matrix":       {torch.ErrShape, func() { x.DSplitAt(1) }},
			"unravel floats":           {torch.ErrDType, func() { torch.UnravelIndex(x, torch.Shape{2}) }},
			"unravel negative":         {torch.ErrShape, func() { torch.UnravelIndex(ints, torch.Shape{-2}) }},
			"unravel nil":              {torch.ErrNil, func() { torch.UnravelIndex(nil, torch.Shape{2}) }},
			"unravel into nothing":     {torch.ErrShape, func() { torch.UnravelIndex(ints, torch.Shape{2, 0}) }},
			"indices of dense":         {torch.ErrRuntime, func() { x.Indices() }},
			"values of dense":          {torch.ErrRuntime, func() { x.Values() }},
			"coalesce dense":           {torch.ErrRuntime, func() { x.Coalesce() }},
			"coalesced dense":          {torch.ErrRuntime, func() { x.IsCoalesced() }},
			"sparse of a number":       {torch.ErrIndex, func() { x.Index(0, 0).ToSparse(torch.SparseCSR) }},
			"concat nothing":           {torch.ErrValue, func() { torch.Cat(nil) }},
			"nil option":               {torch.ErrNil, func() { x.STFT(2, nil) }},
			"nil option of istft":      {torch.ErrNil, func() { x.ISTFT(2, nil) }},
			"unknown pad mode":         {torch.ErrValue, func() { x.STFT(2, torch.PadMode("mirror")) }},
			"closed window": {torch.ErrClosed, func() {
				w := torch.Ones(torch.Shape{2})
				_ = w.Close()
				x.STFT(2, torch.Window(w))
			}},
			"window too long": {torch.ErrShape, func() {
				x.STFT(2, torch.HopLength(1), torch.Window(torch.Ones(torch.Shape{5})))
			}},
			"transform too large": {torch.ErrValue, func() { x.STFT(9, torch.Center(false)) }},
			"no hop":              {torch.ErrValue, func() { x.STFT(2, torch.HopLength(0)) }},
			"signal of integers":  {torch.ErrDType, func() { ints.STFT(2) }},
			"frames of reals":     {torch.ErrDType, func() { x.ISTFT(2) }},
			"signal of many dims": {torch.ErrShape, func() { torch.Ones(torch.Shape{1, 1, 1, 9}).STFT(2) }},
		} {
			assert.ErrorIs(t, torch.Try(c.call), c.kind, name)
		}
	})
}
