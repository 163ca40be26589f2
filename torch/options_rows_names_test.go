package torch_test

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/nested"
)

// nameRows returns rows of less common operators and of functions with explicit strides.
func nameRows() map[string]optionRow {
	x := someNumbers()
	shape := torch.Shape{1, 2, 3, 4}
	blank := func(call any, args ...any) optionRow {
		r := row(call, args...).with(creating...)
		r.blank = true
		return r
	}
	at := []*torch.Tensor{torch.FromSlice([]int64{1, 0, 1}), torch.FromSlice([]int64{2, 0, 2})}
	put := func(call any) optionRow {
		return row(call, x, at, torch.FromSlice([]float32{4, 5, 4})).with(torch.Accumulate(true),
			torch.Accumulate(false))
	}
	kaiser := row(torch.KaiserWindow, int64(5)).with(torch.Beta(0), torch.Beta(5), torch.Periodic(false),
		torch.Periodic(true))
	resize := row((*torch.Tensor).ResizeAs_, torch.Zeros(shape), torch.Zeros(torch.Shape{2, 2, 2, 3})).with(formats...)
	resize.blank = true
	return map[string]optionRow{
		"Tensor.IndexPut":  put((*torch.Tensor).IndexPut),
		"Tensor.IndexPut_": put((*torch.Tensor).IndexPut_),
		"Tensor.Trapz": row((*torch.Tensor).Trapz, x).with(torch.Dx(0), torch.Dx(2), torch.Dim(0),
			torch.Dim(1)),
		"Tensor.NonzeroStatic": row((*torch.Tensor).NonzeroStatic, x, int64(9)).with(torch.FillValue(0),
			torch.FillValue(7)),
		"Tensor.HashTensor": row((*torch.Tensor).HashTensor, x).with(torch.Dim(0), torch.Dim(1), torch.Dims{0},
			torch.Dims{}).
			with(torch.KeepDim(true), torch.KeepDim(false)),
		"Tensor.NewEmptyStrided": blank((*torch.Tensor).NewEmptyStrided, x, shape, []int64{24, 12, 1, 3}),
		"Tensor.ResizeAs_":       resize,
		"EmptyStrided":           blank(torch.EmptyStrided, shape, []int64{24, 12, 1, 3}),
		"EmptyPermuted":          blank(torch.EmptyPermuted, shape, []int64{0, 1, 3, 2}),
		"Range":                  row(torch.Range, any(0), any(4), any(2)).with(creating...),
		"KaiserWindow":           kaiser.with(typing...),
		"Binomial": row(torch.Binomial, torch.Full(torch.Shape{9}, 40.0), torch.Full(torch.Shape{9}, 0.5)).
			with(torch.NewGenerator(torch.CPU).ManualSeed(3), torch.NewGenerator(torch.CPU).ManualSeed(4)),
	}
}

// compressedRows returns rows of compressed sparse tensors, segments, histograms and low-rank
// decompositions.
func compressedRows() map[string]optionRow {
	deep := torch.FromSlice([]float64{0, 0, 1, 2, 0, 0, 0, 3}, 2, 2, 2)
	starts, places, values := torch.FromSlice([]int64{0, 1, 2}), torch.FromSlice([]int64{1, 0}),
		torch.FromSlice([]float32{5, 6})
	parts := func(call any, v *torch.Tensor, more ...any) optionRow {
		return row(call,
			append([]any{starts, places, v, torch.Shape{2, 2}}, more...)...).with(typing...).with(flags[:2]...)
	}
	dense := func(call any, args ...any) optionRow {
		return row(call, append([]any{deep}, args...)...).with(torch.DenseDim(1), torch.DenseDim(0))
	}
	sparse := deep.Select(0, 0).ToSparse()
	points := torch.FromSlice([]float32{0, 0, 1, 1, 2, 2, 2, 1}, 4, 2)
	segments := torch.FromSlice([]int64{2, 1})
	ragged := nested.NestedTensor([]*torch.Tensor{points.Select(0, 0), segments.To(torch.Float32)})
	low := torch.Arange(70, torch.Float64).Sin().View(10, 7)
	return map[string]optionRow{
		"SegmentReduce": row(func(opts ...torch.SegmentReduceOption) *torch.Tensor {
			all := append(make([]torch.SegmentReduceOption, 0, 4), torch.Lengths(segments))
			return torch.SegmentReduce(torch.Ones(torch.Shape{3, 3}), torch.ReduceSum, append(all, opts...)...)
		}).with(torch.Axis(1), torch.Axis(0), torch.Initial(3), torch.Initial(nil)).
			with(torch.Lengths(torch.FromSlice([]int64{1, 1, 1})), torch.Lengths(segments)).
			with(torch.Offsets(torch.FromSlice([]int64{0, 1, 3})), torch.Offsets(nil)),
		"Tensor.Histogramdd": row((*torch.Tensor).Histogramdd, points, []int64{2, 3}).with(torch.Density(true),
			torch.Density(false)).
			with(torch.Weight(torch.FromSlice([]float32{1, 2, 3, 4})), torch.Weight(nil), torch.Ranges{0, 4, 0, 4},
				torch.Ranges{}),
		"Tensor.TriangularSolve": row((*torch.Tensor).TriangularSolve, points.Narrow(0, 0, 2), points.Narrow(0, 1, 2)).
			with(torch.Upper(false), torch.Upper(true), torch.Transposed(true), torch.Transposed(false)).
			with(torch.Unitriangular(true), torch.Unitriangular(false)),
		"Tensor.Gradient": row((*torch.Tensor).Gradient, low).
			with(torch.Spacing(2), torch.Spacing(0.5), torch.Spacings{2, 0.5}, torch.Spacings{1, 3}).
			with(torch.SpacingTensors{low.Select(1, 0), low.Select(0, 0)}, torch.SpacingTensors(nil)).
			with(torch.Dim(0), torch.Dim(1), torch.Dims{1, 0}, torch.Dims{0}).
			with(torch.EdgeOrder(2), torch.EdgeOrder(1)),
		"Tensor.ToPaddedTensor": row((*torch.Tensor).ToPaddedTensor, ragged, 0.0).with(torch.OutputSizes{2, 4},
			torch.OutputSizes{2, 3}),
		"SVDLowrank": row(func(opts ...torch.SVDLowrankOption) []*torch.Tensor { // the same random numbers in each call
			torch.ManualSeed(4)
			u, s, v := torch.SVDLowrank(low, opts...)
			return []*torch.Tensor{u, s, v}
		}).with(torch.Q(1), torch.Q(2), torch.Niter(0), torch.Niter(1), torch.M(low.Narrow(0, 0, 1)), torch.M(nil)),
		"PcaLowrank": row(func(opts ...torch.PcaLowrankOption) []*torch.Tensor {
			torch.ManualSeed(4)
			u, s, v := torch.PcaLowrank(low, opts...)
			return []*torch.Tensor{u, s, v}
		}).with(torch.Q(1), torch.Q(2), torch.Niter(0), torch.Niter(1), torch.Center(false), torch.Center(true)),
		"SparseCSRTensor":        parts(torch.SparseCSRTensor, values),
		"SparseCSCTensor":        parts(torch.SparseCSCTensor, values),
		"SparseBSRTensor":        parts(torch.SparseBSRTensor, values.View(2, 1, 1)),
		"SparseBSCTensor":        parts(torch.SparseBSCTensor, values.View(2, 1, 1)),
		"SparseCompressedTensor": parts(torch.SparseCompressedTensor, values, torch.SparseCSC),
		"Tensor.ToSparseCSR":     dense((*torch.Tensor).ToSparseCSR),
		"Tensor.ToSparseCSC":     dense((*torch.Tensor).ToSparseCSC),
		"Tensor.ToSparseBSR":     dense((*torch.Tensor).ToSparseBSR, torch.BlockSize{1, 2}),
		"Tensor.ToSparseBSC":     dense((*torch.Tensor).ToSparseBSC, torch.BlockSize{1, 2}),
		"Tensor.Sspaddmm": row((*torch.Tensor).Sspaddmm, sparse, sparse, deep.Select(0, 1)).
			with(torch.Beta(0), torch.Beta(2.5), torch.Alpha(0), torch.Alpha(2.5)),
	}
}
