package aten_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

type (
	list  = []abi.Tensor
	sizes = []int64
	args  = []any
)

// guarded is a call that would end the process without its guard.
type guarded struct {
	op      string
	typed   any // the operator's Go function, if it has its own C++ function
	hostile args
	says    string
	legal   args // arguments of a similar call that works; nil if there is none to test
}

func check(t *testing.T, rows []guarded) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.op, func(t *testing.T) {
			if st := operator(t, r.op).Installed(); st != 0 {
				t.Skip(failure(t, st).Message)
			}
			assert.Equal(t, r.typed != nil, operator(t, r.op).HasTyped, "has a function of its own")
			assert.Contains(t, failure(t, callWords(t, r.op, r.hostile)).Message, r.says)
			if r.legal != nil {
				done(t, callWords(t, r.op, r.legal))
			}
			if r.typed != nil {
				assert.Contains(t, failure(t, callTyped(t, r.typed, r.hostile)).Message, r.says)
				done(t, callTyped(t, r.typed, r.legal))
			}
		})
	}
}

// ones returns a float32 tensor of ones.
func ones(t *testing.T, shape ...int64) abi.Tensor {
	t.Helper()
	return ok(t, aten.Ones(noGrad, shape, float32Type, none, none, nil))
}

// ints32 returns an int32 vector.
func ints32(t *testing.T, data ...int32) abi.Tensor {
	t.Helper()
	return ok(t, cgotorch.FromData(0, unsafe.Pointer(unsafe.SliceData(data)), int64(len(data))*4,
		[]int64{int64(len(data))}, int32Type, 0))
}

const int32Type = 3

// A list whose length is fixed by the schema is not read beyond its end.
func TestGuardsOfLengths(t *testing.T) {
	x, y, img, vol := ones(t, 1, 4), ones(t, 1, 8), ones(t, 1, 1, 4, 4), ones(t, 1, 1, 3, 3, 3)
	w, w3 := ones(t, 1, 1, 2, 2), ones(t, 1, 1, 2, 2, 2)
	out := ones(t, 1, 1, 3, 3)
	check(t, []guarded{
		{
			"reflection_pad1d_backward", nil,
			args{y, x, sizes{}},
			"padding: expected 2 numbers, got 0",
			args{y, x, sizes{2, 2}},
		},
		{"reflection_pad1d_backward", nil, args{y, x, sizes{2}}, "padding: expected 2 numbers, got 1", nil},
		{"replication_pad1d_backward", nil, args{y, x, sizes{2}}, "padding: expected 2", args{y, x, sizes{2, 2}}},
		{"reflection_pad3d", nil, args{vol, sizes{}}, "padding: expected 6", args{vol, sizes{1, 1, 1, 1, 1, 1}}},
		{
			"slow_conv3d", nil,
			args{vol, w3, sizes{}, nil, sizes{1, 1, 1}, sizes{0, 0, 0}},
			"kernel_size: expected 3",
			args{vol, w3, sizes{2, 2, 2}, nil, sizes{1, 1, 1}, sizes{0, 0, 0}},
		},
		{
			"_slow_conv2d_backward.output_mask", nil,
			args{out, img, w, sizes{2, 2}, sizes{1}, sizes{0, 0}, []bool{true, false, false}},
			"stride: expected 2",
			args{out, img, w, sizes{2, 2}, sizes{1, 1}, sizes{0, 0}, []bool{true, false, false}},
		},
		{"fractional_max_pool2d_backward", nil, args{x, x, sizes{1, 1}, sizes{}, x}, "output_size: expected 2", nil},
		{
			"upsample_nearest2d_backward", nil,
			args{out, sizes{3, 3}, sizes{1, 1}, nil, nil},
			"input_size: expected 4",
			args{out, sizes{3, 3}, sizes{1, 1, 6, 6}, nil, nil},
		},
		{
			"max_pool2d", aten.MaxPool2d,
			args{img, sizes{2, 2, 2}, sizes{}, sizes{0}, sizes{1}, false},
			"kernel_size: expected 2 numbers, or one for all, got 3",
			args{img, sizes{2}, sizes{}, sizes{0}, sizes{1}, false},
		},
		{
			"avg_pool2d", aten.AvgPool2d,
			args{img, sizes{2, 2}, sizes{2, 2, 2}, sizes{0}, false, true, nil},
			"stride: expected 2 numbers, or one for all, or none, got 3",
			args{img, sizes{2, 2}, sizes{2, 2}, sizes{0, 0}, false, true, nil},
		},
		{
			"avg_pool2d_backward", nil,
			args{ones(t, 1, 1, 2, 2), img, sizes{2, 2}, sizes{2, 2, 2}, sizes{0}, false, true, nil},
			"stride: expected 2 numbers, or one for all, or none, got 3",
			args{ones(t, 1, 1, 2, 2), img, sizes{2, 2}, sizes{}, sizes{0}, false, true, nil},
		},
		{
			"conv2d", aten.Conv2d,
			args{img, w, nil, sizes{}, sizes{0}, sizes{1}, 1},
			"stride: expected 2",
			args{img, w, nil, sizes{1}, sizes{0, 0}, sizes{1}, 1},
		},
		{
			"adaptive_avg_pool2d", aten.AdaptiveAvgPool2d,
			args{img, sizes{2}},
			"output_size: expected 2",
			args{img, sizes{2, 2}},
		},
	})
}

// These lists of tensors are too short: libtorch reads the first tensor, or as many
// tensors as another list contains.
func TestGuardsOfTensorLists(t *testing.T) {
	x, out, other := ones(t, 2), ones(t, 0), ones(t, 2)
	rows := []guarded{
		{"align_tensors", nil, args{list{}}, "tensors: expected a non-empty list", nil},
		{"cat.out", nil, args{list{}, 0, out}, "tensors: expected a non-empty list", args{list{x, x}, 0, out}},
		{
			"_foreach_copy", nil,
			args{list{x}, list{x, x}, false},
			"lists of the same length, got 1 and 2",
			args{list{x, x}, list{x, x}, false},
		},
		{
			"_foreach_abs.out", nil,
			args{list{x, x}, list{other}},
			"lists of the same length, got 2 and 1",
			args{list{x}, list{other}},
		},
		{"_chunk_cat", nil, args{list{ones(t)}, 0, 2}, "tensors: expected 1 to", args{list{x, x}, 0, 2}},
	}
	// The call fails on an arm64 processor without SVE.
	if st := callWords(t, "_stack", args{list{x, x}, 0}); st != 0 {
		assert.EqualValues(t, cgotorch.KindNotImplemented, failure(t, st).Kind)
	} else {
		rows = append(rows, guarded{
			"_stack", nil,
			args{list{}, 0},
			"tensors: expected a non-empty list",
			args{list{x, x}, 0},
		})
	}
	check(t, rows)
}

func TestGuardsOfIntegers(t *testing.T) {
	least, ones64 := longs(t, []int64{2}, 5, math.MinInt64), longs(t, []int64{2}, -1, 1)
	minus := longs(t, []int64{2}, -1, -1)
	one, bad := longs(t, []int64{}, -1), longs(t, []int64{}, math.MinInt64)
	low := ints32(t, math.MinInt32, 1)
	low32 := longs(t, []int64{}, math.MinInt32)
	minus32 := ints32(t, -1, 2)
	out := ones(t, 0)
	longOut := longs(t, []int64{0})
	zeros := ok(t, aten.UnderEfficientzerotensor(noGrad, sizes{2}, int64Type, none, none, nil)) // has no memory
	check(t, []guarded{
		{
			"div.Tensor_mode", aten.DivTensorMode,
			args{least, minus, "trunc"},
			"other: -9223372036854775808 / -1",
			args{least, ones64, "trunc"},
		},
		{
			"div.Tensor_mode", aten.DivTensorMode,
			args{bad, minus, "trunc"},
			"cannot be represented",
			args{least, minus, "floor"},
		},
		{
			"div.Tensor_mode", aten.DivTensorMode,
			args{least, one, "trunc"},
			"cannot be represented",
			args{ones64, one, "trunc"},
		},
		{
			"div.Tensor_mode", aten.DivTensorMode,
			args{low, one, "trunc"},
			"other: -2147483648 / -1",
			args{low, ints32(t, 1, -1), "trunc"},
		},
		{
			"div.Tensor_mode", aten.DivTensorMode,
			args{low32, minus32, "trunc"},
			"other: -2147483648 / -1",
			args{low32, ints32(t, 1, 2), "trunc"},
		},
		{
			"div_.Scalar_mode", aten.Div_ScalarMode,
			args{least, -1, "trunc"},
			"cannot be represented",
			args{longs(t, []int64{1}, 5), -1, "trunc"},
		},
		{"divide.Tensor_mode", nil, args{least, minus, "trunc"}, "cannot be represented", args{least, minus, nil}},
		{
			"lcm", aten.Lcm,
			args{least, longs(t, []int64{2}, 3, 6148914691236517205)},
			"self: the multiples of -9223372036854775808",
			args{least, longs(t, []int64{2}, 3, 0)},
		},
		{
			"lcm", aten.Lcm,
			args{least, longs(t, []int64{2}, 3, 6148914691236517205)},
			"cannot be represented",
			args{zeros, ones64},
		},
		{
			"arange.start_step", aten.ArangeStartStep,
			args{0.5, 1.5, 0.25, int64Type, nil, nil, nil},
			"step: expected a step that is not 0",
			args{0.5, 1.5, 0.25, float32Type, nil, nil, nil},
		},
		{
			"arange.start_step", aten.ArangeStartStep,
			args{0, 5, 0.5, int64Type, nil, nil, nil},
			"step: expected a step that is not 0",
			args{0, 5, 0.5, int32Type, nil, nil, nil},
		},
		{
			"range.step", nil,
			args{0, 5, 0.5, int32Type, nil, nil, nil},
			"step: expected a step that is not 0",
			args{0, 5, 1.5, int32Type, nil, nil, nil},
		},
		{
			"range.step", nil,
			args{0, 2, 0.25, int64Type, nil, nil, nil},
			"step: expected a step that is not 0",
			args{0, 2, 1, int64Type, nil, nil, nil},
		},
		{
			"range.out", nil,
			args{0, math.MinInt64, -1, longOut},
			"end: -9223372036854775808 is too far",
			args{0, -2, -1, longOut},
		},
		{"matrix_power", nil, args{ones(t, 2, 2), math.MinInt64}, "n: expected a number from", args{ones(t, 2, 2), 3}},
		{
			"linalg_matrix_power", aten.LinalgMatrixPower,
			args{ones(t, 2, 2), math.MinInt64},
			"n: expected",
			args{ones(t, 2, 2), 3},
		},
		{
			"combinations", aten.Combinations,
			args{ones(t, 2), 1 << 40, false},
			"r: expected a number from",
			args{ones(t, 2), 3, false},
		},
		{
			"random_.from", aten.Random_From,
			args{ones(t, 1), math.MaxInt64, nil, nil},
			"from: expected a number from",
			args{ones(t, 1), 5, 6, nil},
		},
		{
			"arange.start_out", nil,
			args{0, 2, 0.25, longOut},
			"step: expected a step that is not 0",
			args{0, 2, 1, longOut},
		},
		{
			"replication_pad2d", nil,
			args{ones(t, 1, 1, 2, 2), sizes{0, -2, 2, 1 << 32}},
			"padding: expected numbers from",
			args{ones(t, 1, 1, 2, 2), sizes{0, -1, 2, 1}},
		},
		{
			"special_laguerre_polynomial_l", nil,
			args{ones(t, 1), longs(t, []int64{1}, 1<<40)},
			"n: expected degrees of at most",
			args{ones(t, 1), longs(t, []int64{1}, 9)},
		},
		{
			"special_legendre_polynomial_p.n_scalar", nil,
			args{ones(t, 1), 1e10},
			"n: expected a number",
			args{ones(t, 1), 9.0},
		},
		{
			"smooth_l1_loss_backward", nil,
			args{least, least, least, 0, 0.5},
			"beta: expected a number that is not 0 as an integer of the dtype",
			args{out, out, out, 0, 0.5},
		},
	})
}

func TestGuardsOfNumbers(t *testing.T) {
	x, nan := ones(t, 2, 2), vec(t, []int64{2, 2}, 1, float32(math.NaN()), 1, 1)
	half := vec(t, []int64{2, 2}, 0.5, 0.5, 0.5, 0.5)
	double := ok(t, aten.ToDtype(noGrad, x, float64Type, false, false, none))
	check(t, []guarded{
		{"linalg_eigvals", aten.LinalgEigvals, args{nan}, "self: expected finite values", args{x}},
		{"_linalg_eigvals", nil, args{nan}, "self: expected finite values", args{x}},
		{"binomial", nil, args{nan, half, nil}, "count: expected numbers, got NaN", args{nan, x, nil}},
		{"binomial", nil, args{nan, half, nil}, "count: expected numbers, got NaN", args{x, nan, nil}},
		{
			"binomial", nil,
			args{nan, half, nil},
			"count: expected numbers, got NaN",
			args{x, vec(t, []int64{2, 2}, -0.5, 0.5, 1.5, 2), nil},
		},
		{
			"choose_qparams_optimized", nil,
			args{x, 5, 20, 0.5, 8},
			"numel: expected a number from 0 to 4, got 5",
			args{x, 4, 20, 0.5, 8},
		},
		{"choose_qparams_optimized", nil, args{x, 4, math.MinInt64, 0.5, 8}, "n_bins: expected", nil},
		{
			"_upsample_bicubic2d_aa", nil,
			args{ones(t, 2, 3, 50, 50), sizes{30, 30}, false, nil, 1e-5},
			"scales_w: a scale of 1e-05 and 30 pixels go beyond the 50 pixels of the image",
			args{ones(t, 2, 3, 50, 50), sizes{30, 30}, false, nil, 0.6},
		},
		{
			"_upsample_bilinear2d_aa_backward", nil,
			args{ones(t, 1, 1, 30, 30), sizes{30, 30}, sizes{1, 1, 50, 50}, false, 1e-5, nil},
			"scales_h: a scale of",
			args{ones(t, 1, 1, 30, 30), sizes{30, 30}, sizes{1, 1, 50, 50}, false, 0.6, nil},
		},
		{
			"upsample_nearest2d", nil,
			args{ones(t, 1, 1, 2, 2), sizes{2, 2}, nil, 5e-324},
			"scales_w: expected a scale of at least",
			args{ones(t, 1, 1, 2, 2), sizes{2, 2}, nil, 0.5},
		},
		{
			"native_channel_shuffle", nil,
			args{ones(t, 1, 2, 2), 0},
			"groups: expected a number from 1",
			args{ones(t, 1, 2, 2), 2},
		},
		{
			"_fft_c2c", nil,
			args{ok(t, aten.Complex(noGrad, x, x)), sizes{0, 1 << 31}, 0, true},
			"dim: expected dimensions from 0 to 1",
			args{ok(t, aten.Complex(noGrad, x, x)), sizes{0, 1}, 0, true},
		},
		{"_fft_r2c", nil, args{x, sizes{}, 0, true}, "dim: expected a non-empty list", args{x, sizes{1}, 0, true}},
		{"_logcumsumexp.out", nil, args{x, 0, double}, "out: expected the dtype of self", args{x, 0, ones(t, 2, 2)}},
		{
			"rrelu_with_noise.out", nil,
			args{x, ones(t, 2, 2), 0.1, 0.3, true, nil, ones(t, 0)},
			"out: expected the shape of self",
			args{x, ones(t, 2, 2), 0.1, 0.3, false, nil, ones(t, 0)},
		},
	})
}
