package torch_test

import "github.com/gotorch/gotorch/torch"

// These are pairs of values for each option of functions that create tensors. None of
// the dtypes is a default.
var (
	typing   = []any{torch.Float64, torch.Float16, torch.Meta, torch.CPU}
	flags    = []any{torch.RequiresGrad(true), torch.RequiresGrad(false), torch.PinMemory(true), torch.PinMemory(false)}
	layouts  = []any{torch.SparseCOO, torch.Strided}
	formats  = []any{torch.ChannelsLast, torch.ContiguousFormat}
	creating = append(append(typing[:4:4], flags...), layouts...)
)

func createRows() map[string]optionRow {
	shape := torch.Shape{1, 2, 3, 4}
	x := someNumbers()
	plain := func(call any, args ...any) optionRow { return row(call, args...).with(creating...) }
	data := func(call any, args ...any) optionRow { return row(call, args...).with(typing...).with(flags...) }
	triangle := func(call any) optionRow {
		return row(call, int64(3), int64(3), int64(0)).with(torch.Int32, torch.Int64, torch.Meta,
			torch.CPU).with(flags[2:]...).with(layouts...)
	}
	window := func(call any) optionRow {
		return row(call, int64(5)).with(torch.Periodic(false), torch.Periodic(true)).with(typing...)
	}
	empty := plain(torch.Empty, shape).with(formats...)
	empty.blank = true
	newEmpty := plain((*torch.Tensor).NewEmpty, x, shape)
	newEmpty.blank = true
	return map[string]optionRow{
		"Empty":          empty,
		"Zeros":          plain(torch.Zeros, shape),
		"Ones":           plain(torch.Ones, shape),
		"Full":           plain(torch.Full, shape, any(2)),
		"Eye":            plain(torch.Eye, int64(2)),
		"EyeNM":          plain(torch.EyeNM, int64(2), int64(3)),
		"ScalarTensor":   plain(torch.ScalarTensor, any(2)),
		"Linspace":       plain(torch.Linspace, any(0), any(1), int64(3)),
		"Logspace":       plain(torch.Logspace, any(0), any(1), int64(3)).with(torch.Base(0), torch.Base(10)),
		"TrilIndices":    triangle(torch.TrilIndices),
		"TriuIndices":    triangle(torch.TriuIndices),
		"HannWindow":     window(torch.HannWindow),
		"HammingWindow":  window(torch.HammingWindow),
		"BlackmanWindow": window(torch.BlackmanWindow),
		"BartlettWindow": window(torch.BartlettWindow),
		"FromSliceWith":  data(torch.FromSliceWith, []float32{1, 2}, torch.Shape{2}),
		"NewTensor":      data(torch.NewTensor, [][]float32{{1, 2}, {3, 4}}),
		"AsTensor":       row(torch.AsTensor, x).with(typing...),
		"SparseCOOTensor": row(torch.SparseCOOTensor, torch.FromSlice([]int64{0, 1}, 1, 2),
			torch.FromSlice([]float32{1, 2}, 2), torch.Shape{3}).with(typing...).with(flags[:2]...),

		"Tensor.NewEmpty":  newEmpty,
		"Tensor.NewZeros":  plain((*torch.Tensor).NewZeros, x, shape),
		"Tensor.NewOnes":   plain((*torch.Tensor).NewOnes, x, shape),
		"Tensor.NewFull":   plain((*torch.Tensor).NewFull, x, shape, any(2)),
		"Tensor.NewTensor": data((*torch.Tensor).NewTensor, x, []float32{1, 2}),
	}
}

func likeRows() map[string]optionRow {
	x := torch.Ones(torch.Shape{1, 2, 3, 4})
	like := func(call any, args ...any) optionRow {
		return row(call, append([]any{x}, args...)...).with(creating...).with(formats...)
	}
	empty := like(torch.EmptyLike)
	empty.blank = true
	return map[string]optionRow{
		"EmptyLike":   empty,
		"ZerosLike":   like(torch.ZerosLike),
		"OnesLike":    like(torch.OnesLike),
		"FullLike":    like(torch.FullLike, any(2)),
		"RandLike":    like(torch.RandLike),
		"RandnLike":   like(torch.RandnLike),
		"RandIntLike": like(torch.RandIntLike, int64(0), int64(9)),
	}
}

func drawRows() map[string]optionRow {
	x, shape := torch.FromSlice([]float32{0.25, 0.5, 0.125, 0.75}, 2, 2), torch.Shape{2, 3}
	sources := []any{torch.NewGenerator(torch.CPU).ManualSeed(1), torch.NewGenerator(torch.CPU).ManualSeed(2)}
	drawn := func(call any, args ...any) optionRow { return row(call, args...).with(sources...) }
	made := func(call any, args ...any) optionRow { return drawn(call, args...).with(creating...) }
	return map[string]optionRow{
		"Rand":              made(torch.Rand, shape),
		"Randn":             made(torch.Randn, shape),
		"RandInt":           made(torch.RandInt, int64(0), int64(99), shape),
		"RandIntTo":         made(torch.RandIntTo, int64(99), shape),
		"RandPerm":          made(torch.RandPerm, int64(9)),
		"Normal":            made(torch.Normal, 0.0, 1.0, shape),
		"NormalTensor":      drawn(torch.NormalTensor, x, x),
		"Tensor.Uniform_":   drawn((*torch.Tensor).Uniform_, x, 0.0, 1.0),
		"Tensor.Normal_":    drawn((*torch.Tensor).Normal_, x, 0.0, 1.0),
		"Tensor.LogNormal_": drawn((*torch.Tensor).LogNormal_, x, 0.0, 1.0),
		"Tensor.Bernoulli_": drawn((*torch.Tensor).Bernoulli_, torch.Zeros(torch.Shape{40}), 0.5),
		"Tensor.BernoulliTensor_": drawn((*torch.Tensor).BernoulliTensor_, torch.Zeros(torch.Shape{40}),
			torch.Full(torch.Shape{40}, 0.5)),
		"Tensor.Exponential_": drawn((*torch.Tensor).Exponential_, x, 1.0),
		"Tensor.Geometric_":   drawn((*torch.Tensor).Geometric_, torch.Zeros(torch.Shape{40}), 0.1),
		"Tensor.Cauchy_":      drawn((*torch.Tensor).Cauchy_, x, 0.0, 1.0),
		"Tensor.Random_":      drawn((*torch.Tensor).Random_, x),
		"Tensor.RandomTo_":    drawn((*torch.Tensor).RandomTo_, x, int64(999)),
		"Tensor.RandomRange_": drawn((*torch.Tensor).RandomRange_, x, int64(9), int64(999)),
		"Tensor.Bernoulli":    drawn((*torch.Tensor).Bernoulli, torch.Full(torch.Shape{40}, 0.5)),
		"Tensor.BernoulliP":   drawn((*torch.Tensor).BernoulliP, torch.Zeros(torch.Shape{40}), 0.5),
		"Tensor.Poisson":      drawn((*torch.Tensor).Poisson, torch.Full(torch.Shape{40}, 5.0)),
		"Tensor.Multinomial": drawn((*torch.Tensor).Multinomial, torch.Rand(torch.Shape{50}), int64(40)).
			with(torch.Replacement(true), torch.Replacement(false)),
	}
}
