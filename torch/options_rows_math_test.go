package torch_test

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

func arithRows() map[string]optionRow {
	x, y := someNumbers(), torch.FromSlice([]float32{1, 3, -2, 2, 4, 8}, 2, 3)
	at, i, j := torch.FromSlice([]int64{1, 0, 1}), torch.FromSlice([]int64{7, -7, 4}),
		torch.FromSlice([]int64{2, 2, -3})
	m, v := torch.FromSlice([]float32{1, 2, 3, 4}, 2, 2), torch.FromSlice([]float32{3, -2})
	batch := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 2, 2)
	adding := func(call any, args ...any) optionRow {
		return row(call, append([]any{x}, args...)...).with(torch.Alpha(0), torch.Alpha(2.5))
	}
	product := func(call any, args ...any) optionRow {
		return row(call, args...).with(torch.Beta(0), torch.Beta(2.5), torch.Alpha(0), torch.Alpha(2.5))
	}
	value := func(call any) optionRow { return row(call, x, y, y).with(torch.Value(0), torch.Value(2.5)) }
	dividing := func(call any, t *torch.Tensor, by any) optionRow {
		return row(call, t, by).with(torch.RoundingModeTrunc, torch.RoundingModeFloor, torch.RoundingModeNone,
			torch.RoundingModeFloor)
	}
	return map[string]optionRow{
		"Tensor.Add":        adding((*torch.Tensor).Add, y),
		"Tensor.Add_":       adding((*torch.Tensor).Add_, y),
		"Tensor.AddScalar":  adding((*torch.Tensor).AddScalar, 3),
		"Tensor.AddScalar_": adding((*torch.Tensor).AddScalar_, 3),
		"Tensor.Sub":        adding((*torch.Tensor).Sub, y),
		"Tensor.Sub_":       adding((*torch.Tensor).Sub_, y),
		"Tensor.SubScalar":  adding((*torch.Tensor).SubScalar, 3),
		"Tensor.SubScalar_": adding((*torch.Tensor).SubScalar_, 3),
		"Tensor.RSub":       adding((*torch.Tensor).RSub, y),
		"Tensor.RSubScalar": adding((*torch.Tensor).RSubScalar, 3),
		"Tensor.IndexAdd":   adding((*torch.Tensor).IndexAdd, int64(1), at, y),
		"Tensor.IndexAdd_":  adding((*torch.Tensor).IndexAdd_, int64(1), at, y),
		"Tensor.Addmm":      product((*torch.Tensor).Addmm, m, m, m),
		"Tensor.Addmm_":     product((*torch.Tensor).Addmm_, m, m, m),
		"Tensor.Addmv":      product((*torch.Tensor).Addmv, v, m, v),
		"Tensor.Addmv_":     product((*torch.Tensor).Addmv_, v, m, v),
		"Tensor.Addr":       product((*torch.Tensor).Addr, m, v, v),
		"Tensor.Addr_":      product((*torch.Tensor).Addr_, m, v, v),
		"Tensor.Addbmm":     product((*torch.Tensor).Addbmm, m, batch, batch),
		"Tensor.Addbmm_":    product((*torch.Tensor).Addbmm_, m, batch, batch),
		"Tensor.Baddbmm":    product((*torch.Tensor).Baddbmm, batch, batch, batch),
		"Tensor.Baddbmm_":   product((*torch.Tensor).Baddbmm_, batch, batch, batch),
		"Tensor.Addcmul":    value((*torch.Tensor).Addcmul),
		"Tensor.Addcmul_":   value((*torch.Tensor).Addcmul_),
		"Tensor.Addcdiv":    value((*torch.Tensor).Addcdiv),
		"Tensor.Addcdiv_":   value((*torch.Tensor).Addcdiv_),
		"Tensor.Div":        dividing((*torch.Tensor).Div, i, j),
		"Tensor.Div_":       dividing((*torch.Tensor).Div_, i, j),
		"Tensor.DivScalar":  dividing((*torch.Tensor).DivScalar, i, 2),
		"Tensor.DivScalar_": dividing((*torch.Tensor).DivScalar_, i, 2),
	}
}

func elementRows() map[string]optionRow {
	x, unit := torch.FromSlice([]float32{0.25, -1.375, 26.25}), torch.FromSlice([]float32{0, 0.25, 1})
	odd := torch.FromSliceWith([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}, nil, torch.Float32)
	one, other := torch.FromSlice([]float64{1, math.NaN()}), torch.FromSlice([]float64{1.5, math.NaN()})
	numbers := []any{torch.NaN(0), torch.NaN(1), torch.PosInf(0), torch.PosInf(1), torch.NegInf(0), torch.NegInf(1)}
	return map[string]optionRow{
		"Tensor.IsClose": row((*torch.Tensor).IsClose, one, other).with(torch.RTol(0), torch.RTol(1), torch.ATol(0),
			torch.ATol(1),
			torch.EqualNaN(true), torch.EqualNaN(false)),
		"Tensor.AllClose": row((*torch.Tensor).AllClose, one, one).with(torch.RTol(0), torch.RTol(-1), torch.ATol(0),
			torch.ATol(-1),
			torch.EqualNaN(true), torch.EqualNaN(false)),
		"Tensor.Round": row((*torch.Tensor).Round, x).with(torch.Decimals(1), torch.Decimals(0), torch.Decimals(-1),
			torch.Decimals(2)),
		"Tensor.Round_":    row((*torch.Tensor).Round_, x).with(torch.Decimals(1), torch.Decimals(0)),
		"Tensor.NaNToNum":  row((*torch.Tensor).NaNToNum, odd).with(numbers...),
		"Tensor.NaNToNum_": row((*torch.Tensor).NaNToNum_, odd).with(numbers...),
		"Tensor.Logit":     row((*torch.Tensor).Logit, unit).with(torch.Eps(0), torch.Eps(0.3)),
		"Tensor.Logit_":    row((*torch.Tensor).Logit_, unit).with(torch.Eps(0), torch.Eps(0.3)),
		"Tensor.GELU":      row((*torch.Tensor).GELU, x).with(torch.ApproximateTanh, torch.ApproximateNone),
		"Tensor.Softplus": row((*torch.Tensor).Softplus, x).with(torch.Beta(0.5), torch.Beta(1),
			torch.WithThreshold(0), torch.WithThreshold(1)),
		"Tensor.Softmax":    row((*torch.Tensor).Softmax, x, int64(0)).with(dtypePair...),
		"Tensor.LogSoftmax": row((*torch.Tensor).LogSoftmax, x, int64(0)).with(dtypePair...),
	}
}
