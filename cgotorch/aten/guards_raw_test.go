package aten_test

import (
	"testing"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// These calls have invalid indices, which libtorch writes to without checking them.
func TestGuardsOfIndices(t *testing.T) {
	x, img, vol := ones(t, 3, 2), ones(t, 1, 1, 4, 4), ones(t, 1, 1, 2, 2, 2)
	g, g3 := ones(t, 1, 1, 2, 2), ones(t, 1, 1, 1, 1, 1)
	good, bad := longs(t, []int64{1, 1, 2, 2}, 0, 3, 12, 15), longs(t, []int64{1, 1, 2, 2}, 0, 3, 12, 1<<40)
	good3, bad3 := longs(t, []int64{1, 1, 1, 1, 1}, 7), longs(t, []int64{1, 1, 1, 1, 1}, 8)
	rows3, beyond, pad := longs(t, []int64{3}, 0, 1, 3), longs(t, []int64{3}, 0, 1, 4), longs(t, []int64{3}, 0, 1, -1)
	bag, none3 := longs(t, []int64{3}, 0, 0, 1), longs(t, []int64{0})
	two := ones(t, 2, 2)
	sizes2 := longs(t, []int64{2}, 2, 1)
	starts := longs(t, []int64{2}, 0, 2)
	lu := ones(t, 2, 2)
	piv, badPiv := ints32(t, 1, 2), ints32(t, 1, 1<<20)
	check(t, []guarded{
		{
			"adaptive_max_pool2d_backward", nil,
			args{g, img, bad},
			"indices: expected values from 0 to 15, got 1099511627776",
			args{g, img, good},
		},
		{
			"adaptive_max_pool3d_backward", nil,
			args{g3, vol, bad3},
			"indices: expected values from 0 to 7",
			args{g3, vol, good3},
		},
		{
			"max_pool2d_with_indices_backward", nil,
			args{g, img, sizes{2, 2}, sizes{2, 2}, sizes{0, 0}, sizes{1, 1}, false, bad},
			"indices: expected values from -1 to 15",
			args{
				g, img,
				sizes{2, 2},
				sizes{2, 2},
				sizes{0, 0},
				sizes{1, 1},
				false, good,
			},
		},
		{
			"max_pool3d_with_indices_backward", nil,
			args{g3, vol, sizes{2}, sizes{2}, sizes{0}, sizes{1}, false, bad3},
			"indices: expected values",
			args{
				g3, vol,
				sizes{2, 2, 2},
				sizes{2, 2, 2},
				sizes{0, 0, 0},
				sizes{1, 1, 1},
				false,
				good3,
			},
		},
		{
			"fractional_max_pool2d_backward", nil,
			args{g, img, sizes{2, 2}, sizes{2, 2}, bad},
			"indices: expected values",
			args{g, img, sizes{2, 2}, sizes{2, 2}, good},
		},
		{
			"fractional_max_pool3d_backward", nil,
			args{g3, vol, sizes{2, 2, 2}, sizes{1, 1, 1}, bad3},
			"indices: expected values",
			args{g3, vol, sizes{2, 2, 2}, sizes{1, 1, 1}, good3},
		},
		{
			"embedding_dense_backward", nil,
			args{x, beyond, 4, -1, false},
			"indices: expected values from 0 to 3, got 4",
			args{x, rows3, 4, -1, false},
		},
		{
			"embedding_dense_backward", nil,
			args{x, pad, 4, -1, true},
			"indices: expected values from 0 to 3, got -1",
			args{x, pad, 4, -1, false},
		},
		{
			"_embedding_bag_dense_backward", nil,
			args{two, rows3, bag, rows3, none3, 4, false, 1, nil, -1},
			"bag_size: expected shape [2]",
			args{two, rows3, bag, rows3, none3, 4, false, 0, nil, -1},
		},
		{
			"embedding_backward", nil,
			args{x, beyond, 4, -1, true, false},
			"indices: expected values",
			args{x, rows3, 4, -1, true, false},
		},
		{
			"_embedding_bag_dense_backward", nil,
			args{two, beyond, bag, sizes2, none3, 4, false, 0, nil, -1},
			"indices: expected values",
			args{two, rows3, bag, sizes2, none3, 4, false, 0, nil, -1},
		},
		{
			"_embedding_bag_dense_backward", nil,
			args{two, rows3, beyond, sizes2, none3, 4, false, 0, nil, -1},
			"offset2bag: expected values from 0 to 1", nil,
		},
		{
			"_embedding_bag", nil,
			args{
				ones(t, 4, 2), rows3,
				ok(t, aten.Zeros(noGrad, []int64{5, 0}, int64Type, none, none, nil)), false, 0, false, nil, false, -1,
			},
			"offsets: expected 1 dimensions",
			args{ones(t, 4, 2), rows3, starts, false, 0, false, nil, false, -1},
		},
		{
			"_cummax_helper", nil,
			args{x, ones(t, 1), longs(t, []int64{1}, 0), 0},
			"values: expected the shape of self",
			args{x, ones(t, 3, 2), longs(t, []int64{3, 2}, 0, 0, 0, 0, 0, 0), 0},
		},
		{
			"_convert_indices_from_coo_to_csr", nil,
			args{beyond, 4, false},
			"self: expected values from 0 to 3",
			args{rows3, 4, false},
		},
		{"_convert_indices_from_coo_to_csr", nil, args{rows3, -1, false}, "size: expected a number from 0", nil},
		{
			"_convert_indices_from_csr_to_coo", nil,
			args{beyond, rows3, false, false},
			"crow_indices: expected numbers in order",
			args{rows3, rows3, false, false},
		},
		{
			"segment_reduce", nil,
			args{ones(t, 3), "sum", nil, nil, beyond, 0, false, nil},
			"offsets: expected numbers in order within the 3 places",
			args{ones(t, 3), "sum", nil, nil, rows3, 0, false, nil},
		},
		{
			"segment_reduce", nil,
			args{ones(t, 3), "sum", longs(t, []int64{2}, 2, 1<<40), nil, nil, 0, true, nil},
			"lengths: expected lengths within the 3 places",
			args{ones(t, 3), "sum", sizes2, nil, nil, 0, true, nil},
		},
		{
			"lu_unpack", nil,
			args{lu, badPiv, true, true},
			"LU_pivots: expected values from 1 to 2",
			args{lu, piv, true, true},
		},
		{
			"lu_unpack.out", nil,
			args{lu, badPiv, true, true, ones(t, 0), ones(t, 0), ones(t, 0)},
			"LU_pivots: expected",
			args{lu, badPiv, true, false, ones(t, 0), ones(t, 0), ones(t, 0)},
		},
		{
			"linalg_lu_solve", aten.LinalgLuSolve,
			args{lu, badPiv, lu, true, false},
			"pivots: expected values from 1 to 2",
			args{lu, piv, lu, true, false},
		},
		{
			"linalg_ldl_solve", nil,
			args{lu, badPiv, lu, false},
			"pivots: expected values from 1 to 2",
			args{lu, ints32(t, -2, -2), lu, false},
		},
	})
}

// These calls have vectors of the wrong length or tensors of the wrong shape. libtorch
// does not check either.
func TestGuardsOfShapes(t *testing.T) {
	x, one, two := ones(t, 4, 2), ones(t, 1), ones(t, 2)
	img, grid := ones(t, 1, 1, 2, 2), ones(t, 1, 3, 3, 2)
	params := list{ones(t, 4, 1), ones(t, 4, 1), ones(t, 4, 1), ones(t, 4, 1)}
	state := longs(t, []int64{1, 30}, make([]int64, 30)...)
	check(t, []guarded{
		{
			"native_batch_norm", nil,
			args{x, one, nil, nil, nil, true, 0.1, 1e-5},
			"weight: expected shape [2]",
			args{x, two, two, nil, nil, true, 0.1, 1e-5},
		},
		{
			"native_batch_norm", nil,
			args{x, nil, nil, nil, nil, false, 0.1, 1e-5},
			"running_mean: expected a tensor",
			args{x, nil, nil, two, two, false, 0.1, 1e-5},
		},
		{
			"_native_batch_norm_legit.no_stats", nil,
			args{x, one, nil, true, 0.1, 1e-5},
			"weight: expected shape [2]",
			args{x, two, nil, true, 0.1, 1e-5},
		},
		{"_native_batch_norm_legit.no_stats", nil, args{x, two, nil, false, 0.1, 1e-5}, "training: expected true", nil},
		{
			"_batch_norm_no_update", nil,
			args{x, two, nil, nil, nil, 0.1, 1e-5},
			"running_mean: expected a tensor",
			args{x, two, nil, two, two, 0.1, 1e-5},
		},
		{
			"native_batch_norm_backward", nil,
			args{x, x, two, nil, nil, nil, nil, true, 1e-5, []bool{true, true, true}},
			"save_mean: expected a tensor",
			args{x, x, two, nil, nil, two, two, true, 1e-5, []bool{true, true, true}},
		},
		{
			"native_batch_norm_backward", nil,
			args{two, x, two, nil, nil, two, two, true, 1e-5, []bool{true, true, true}},
			"grad_out: expected the shape of input", nil,
		},
		{
			"_weight_norm_interface", nil,
			args{ones(t, 0, 2), one, 0},
			"v: expected a size above 0 in dimension 0",
			args{x, ones(t, 4, 1), 0},
		},
		{
			"_weight_norm", aten.UnderWeightNorm,
			args{ones(t, 0, 2), ones(t, 0, 1), 0},
			"v: expected a size above 0",
			args{ones(t, 4, 0), ones(t, 4, 1), 0},
		},
		{
			"grid_sampler_2d_backward", nil,
			args{one, img, grid, 0, 0, false, []bool{true, true}},
			"grad_output: expected the dimensions",
			args{
				ones(t, 1, 1, 3, 3), img, grid, 0, 0, false,
				[]bool{true, true},
			},
		},
		{
			"grid_sampler_2d_backward", nil,
			args{ones(t, 1, 1, 3, 4), img, grid, 0, 0, false, []bool{true, true}},
			"grad_output: expected size 3 in dimension 3", nil,
		},
		{
			"_cholesky_solve_helper", nil,
			args{ones(t, 3, 2), ones(t, 2, 2), false},
			"A: expected square matrices",
			args{ones(t, 2, 2), ones(t, 2, 2), false},
		},
		{"_compute_linear_combination", nil, args{x, x}, "coefficients: expected shape [n, 4]", args{x, ones(t, 3, 4)}},
		{
			"_compute_linear_combination.out", nil,
			args{x, ones(t, 3, 4), ones(t, 0)},
			"out: expected the shape of input",
			args{x, ones(t, 3, 4), ones(t, 3, 2)},
		},
		{
			"_pdist_backward", nil,
			args{one, x, 2.0, one},
			"pdist: expected shape [6]",
			args{ones(t, 6), x, 2.0, ones(t, 6)},
		},
		{"_pdist_forward", nil, args{ones(t, 3, 3, 3), 2.0}, "self: expected 2 dimensions", args{x, 2.0}},
		{
			"_sobol_engine_ff_", nil,
			args{longs(t, []int64{1}, 0), 1, state, 1 << 31, 0},
			"dimension: expected a number from 0 to 1",
			args{longs(t, []int64{1}, 0), 1, state, 1, 0},
		},
		{
			"_thnn_differentiable_lstm_cell_backward", nil,
			args{ones(t, 1, 1), ones(t, 1, 1), ones(t, 1, 2), ones(t, 1, 2), nil, nil, one, one},
			"input_gates: expected shape [batch, 4 x hidden size]",
			args{ones(t, 1, 1), ones(t, 1, 1), ones(t, 1, 4), ones(t, 1, 4), nil, nil, ones(t, 1, 1), ones(t, 1, 1)},
		},
		{
			"lstm.input", aten.LstmInput,
			args{
				ones(t, 1, 1, 1),
				list{ones(t, 2, 1, 1), ones(t, 1, 1, 1)},
				params, false, 2, 0.0, false, false,
				false,
			},
			"hx: expected two states of as many layers",
			args{
				ones(t, 1, 1, 1),
				list{ones(t, 2, 1, 1), ones(t, 2, 1, 1)},
				params, false, 2, 0.0, false, false, false,
			},
		},
		{
			"lstm.input", aten.LstmInput,
			args{
				ones(t, 1, 1, 1),
				list{ones(t, 1, 1, 1), ones(t, 1, 1, 1)},
				list{},
				false, 0, 0.0, false, false,
				false,
			},
			"num_layers: expected a number from 1",
			args{
				ones(t, 1, 1, 1),
				list{ones(t, 2, 1, 1), ones(t, 2, 1, 1)},
				params,
				false, 2, 0.0, false, false, false,
			},
		},
		{
			"_transform_bias_rescale_qkv", nil,
			args{ones(t, 1, 1, 6), ones(t, 6), 0},
			"num_heads: expected a number from 1",
			args{ones(t, 1, 1, 6), ones(t, 6), 1},
		},
		{
			"_dyn_quant_matmul_4bit", nil,
			args{ones(t, 1, 4), ones(t, 99), 0, 4, 1},
			"block_size: expected a number from 1", nil,
		},
		{"_saturate_weight_to_fp16", nil, args{ones(t, 3, 2, 0, 3)}, "weight: expected at least 1 elements", nil},
		{
			"conv_tbc_backward", nil,
			args{one, one, one, one, 0},
			"self: expected 3 dimensions",
			args{ones(t, 1, 1, 1), ones(t, 1, 1, 1), ones(t, 1, 1, 1), one, 0},
		},
		{
			"_remove_batch_dim", nil,
			args{x, 1, 3, 4294967297},
			"out_dim: expected a number from 0 to 2",
			args{x, 1, 3, 0},
		},
	})
}

func TestGuardsOfLayouts(t *testing.T) {
	x := ones(t, 2, 2)
	sparse := ok(t, aten.ToSparseCsr(noGrad, x, nil))
	nested := ok(t, aten.UnderNestedTensorFromTensorList(noGrad, list{x, x}, none, none, none, nil))
	scalars := ok(t, aten.UnderNestedTensorFromTensorList(noGrad, list{ones(t), ones(t)}, none, none, none, nil))
	scales, zeros := ok(t, aten.Ones(noGrad, []int64{2}, float64Type, none, none, nil)), longs(t, []int64{2}, 0, 0)
	q := ok(t, aten.QuantizePerChannel(noGrad, x, scales, zeros, 0, quint8Type))
	check(t, []guarded{
		{"copy", nil, args{sparse, sparse, false}, "self: expected a tensor with a storage", args{x, x, false}},
		{
			"_foreach_copy", nil,
			args{list{sparse}, list{sparse}, false},
			"self: expected a tensor with a storage",
			args{list{x}, list{x}, false},
		},
		{
			"set_data", nil,
			args{ok(t, aten.UnderNegView(noGrad, x)), x},
			"self: expected a tensor that is not a negated",
			args{ones(t, 3), x},
		},
		{
			"replication_pad1d_backward", nil,
			args{ones(t, 0, 5, 1), ones(t, 5, 1), sizes{3, 1}},
			"grad_output: expected the shape of self",
			args{ones(t, 5, 5), ones(t, 5, 1), sizes{3, 1}},
		},
		{"_neg_view_copy", nil, args{q}, "self: expected a dense tensor, got a quantized one", args{x}},
		{"view_copy.dtype", nil, args{q, float32Type}, "self: expected a dense tensor", args{x, int32Type}},
		{
			"_reshape_alias", nil,
			args{x, sizes{3}, sizes{1 << 31}},
			"go beyond the 4 elements of the storage of self",
			args{x, sizes{4}, sizes{1}},
		},
		{
			"_reshape_alias_copy", nil,
			args{x, sizes{2}, sizes{4}},
			"go beyond the 4 elements",
			args{x, sizes{2}, sizes{3}},
		},
		{
			"select.int", aten.SelectInt,
			args{nested, -1, 1},
			"dim: expected a dimension from 0 to 2 of a nested tensor, got -1",
			args{x, -1, 1},
		},
		{"select.int", aten.SelectInt, args{nested, -2, 1}, "got -2", args{nested, -3, 1}},
		{
			"chunk", aten.Chunk,
			args{scalars, 1, 0},
			"self: expected a nested tensor of 2 dimensions or more, got 1",
			args{x, 1, 0},
		},
		{
			"index_copy_", aten.IndexCopy_,
			args{x, 0, ok(t, aten.ToMkldnn(noGrad, x, none)), x},
			"index: expected a dense tensor",
			args{x, 0, longs(t, []int64{2}, 0, 1), ones(t, 2, 2)},
		},
		{
			"cosine_similarity", aten.CosineSimilarity,
			args{
				ok(t, aten.EmptyMemoryFormat(noGrad, sizes{1 << 40, 2}, float32Type, none, abi.DeviceMeta<<8, nil,
					none)),
				ones(t), 1, 1e-8,
			},
			"x1 and x2: expected the same device, got meta and cpu",
			args{x, ones(t), 1, 1e-8},
		},
		{"_nested_select_backward", nil, args{nested, nested, -1, 1}, "dim: expected a dimension from 0", nil},
		{
			"quantized_lstm_cell", nil,
			args{x, list{x}, x, x, x, x, x, x, x, x, 1.0, 1.0, 0, 0},
			"hx: expected 2 tensors, got 1", nil,
		},
		{"fbgemm_pack_quantized_matrix", nil, args{ones(t, 2)}, "input: expected 2 dimensions", nil},
	})
}

// These calls have gradients or states whose shapes do not match the other arguments.
func TestGuardsOfTraining(t *testing.T) {
	x, y, one := ones(t, 3, 2), ones(t, 4, 2), ones(t, 1)
	logp, labels := ones(t, 5, 1, 4), longs(t, []int64{1, 3}, 1, 2, 99)
	vol, nll := ones(t, 2, 2, 2, 2), ones(t, 1)
	alpha := ones(t, 1, 5, 5)
	bits := longs(t, []int64{2, 30}, make([]int64, 60)...)
	states := []any{1e-3, 0.9, 0.99, 0.0, 1e-8, false, false, nil, nil}
	adam := func(grad, step abi.Tensor) args {
		return append(args{list{x}, list{grad}, list{ones(t, 3, 2)}, list{ones(t, 3, 2)}, list{}, list{step}},
			states...)
	}
	sgd := func(buffer abi.Tensor, momentum float64) args {
		return args{
			list{ones(t, 3, 2)},
			list{ones(t, 3, 2)},
			list{buffer},
			0.0, momentum, 1e-3, 0.0, false, false,
			false, nil, nil,
		}
	}
	q := ones(t, 1, 2, 3, 4)
	check(t, []guarded{
		{
			"_cdist_backward", nil,
			args{ones(t, 3, 3), x, y, 2.0, ones(t, 3, 3)},
			"expected size 4 in dimension 1",
			args{ones(t, 3, 4), x, y, 2.0, ones(t, 3, 4)},
		},
		{
			"_cdist_backward", nil,
			args{one, x, y, 2.0, one},
			"expected 2 to",
			args{ones(t, 2, 3, 4), ones(t, 2, 3, 2), ones(t, 1, 4, 2), 2.0, ones(t, 2, 3, 4)},
		},
		{
			"_ctc_loss_backward", nil,
			args{one, logp, labels, sizes{}, sizes{2}, nll, alpha, 0, false},
			"input_lengths: expected 1 numbers",
			args{one, logp, labels, sizes{5}, sizes{2}, nll, alpha, 0, false},
		},
		{
			"_ctc_loss_backward", nil,
			args{one, logp, labels, sizes{5}, sizes{3}, nll, alpha, 0, false},
			"log_alpha: expected shape", nil,
		},
		{
			"_ctc_loss_backward.Tensor", nil,
			args{one, logp, labels, longs(t, []int64{1}, 6), longs(t, []int64{1}, 2), nll, alpha, 0, false},
			"input_lengths: expected numbers from 0 to 5",
			args{
				one, logp, labels, longs(t, []int64{1}, 5),
				longs(t, []int64{1}, 2), nll, alpha, 0, false,
			},
		},
		{
			"_nested_view_from_buffer_copy", nil,
			args{ones(t, 4), longs(t, []int64{1, 1}, 5), longs(t, []int64{1, 1}, 1), longs(t, []int64{1}, 0)},
			"nested_size: expected tensors within the 4 elements",
			args{ones(t, 4), longs(t, []int64{1, 1}, 4), longs(t, []int64{1, 1}, 1), longs(t, []int64{1}, 0)},
		},
		{
			"_pad_packed_sequence", aten.UnderPadPackedSequence,
			args{x, longs(t, []int64{2}, 1, 2), true, 0.0, 0},
			"batch_sizes: expected descending numbers",
			args{x, longs(t, []int64{2}, 2, 1), true, 0.0, 0},
		},
		{
			"_unsafe_masked_index", nil,
			args{x, longs(t, []int64{1}, 1), list{labels, labels, labels}, 0.0},
			"indices: expected at most 2 tensors", nil,
		},
		{
			"_scaled_dot_product_flash_attention_for_cpu_backward", nil,
			args{
				ones(t, 2, 0, 2, 4), ones(t, 2, 0, 2, 4), ones(t, 2, 0, 2, 4), ones(t, 2, 0, 2, 4),
				ones(t, 2, 0, 2, 4),
				ones(t, 2, 0, 2), 0.0, false, nil, nil,
			},
			"query: expected at least 1 elements",
			args{q, q, q, q, q, ones(t, 1, 2, 3), 0.0, false, nil, nil},
		},
		{
			"_scaled_dot_product_flash_attention_for_cpu", nil,
			args{ones(t, 3, 1, 0, 5), ones(t, 3, 1, 0, 5), ones(t, 3, 1, 0, 5), 0.0, true, nil, nil},
			"query: expected at least 1 elements",
			args{q, q, q, 0.0, true, nil, nil},
		},
		{
			"_adaptive_avg_pool3d_backward", nil,
			args{ones(t, 1, 1, 3, 2), ones(t, 5, 2, 3, 1)},
			"grad_output: expected the shape of self",
			args{ones(t, 5, 1, 1, 1), ones(t, 5, 2, 3, 1)},
		},
		{
			"_log_softmax_backward_data", nil,
			args{x, y, 0, float32Type},
			"output: expected the shape of grad_output",
			args{x, x, 0, float32Type},
		},
		{"_fused_adam_", nil, adam(y, one), "grads: expected the shape of self", adam(ones(t, 3, 2), one)},
		{
			"_fused_adamw_", nil, adam(x, x), "state_steps: expected one element",
			adam(ones(t, 3, 2), longs(t, []int64{}, 2)),
		},
		{
			"_fused_sgd_", nil, sgd(one, 0.9), "momentum_buffer_list: expected the shape of self",
			sgd(ones(t, 3, 2), 0.9),
		},
		{
			"adaptive_max_pool3d_backward", nil,
			args{ones(t, 1, 1, 1, 1), vol, longs(t, []int64{1, 1, 1, 1}, 0)},
			"grad_output: expected the shape of self",
			args{
				ones(t, 2, 1, 1, 1), vol,
				longs(t, []int64{2, 1, 1, 1}, 0, 7),
			},
		},
		{
			"scaled_dot_product_attention", aten.ScaledDotProductAttention,
			args{q, ones(t, 1, 0, 3, 4), ones(t, 1, 0, 3, 4), nil, 0.0, false, nil, true},
			"key: expected heads",
			args{q, ones(t, 1, 1, 3, 4), ones(t, 1, 1, 3, 4), nil, 0.0, false, nil, true},
		},
		{
			"_sobol_engine_initialize_state_", nil,
			args{longs(t, []int64{2, 3}, 0, 0, 0, 0, 0, 0), 2},
			"self: expected shape [dimensions, 30]",
			args{bits, 2},
		},
		{"_sobol_engine_scramble_", nil, args{bits, longs(t, []int64{0}), 2}, "ltm: expected 3 dimensions", nil},
		{"fbgemm_linear_quantize_weight", nil, args{ones(t, 2, 0)}, "input: expected at least 1 elements", nil},
		{
			"fused_moving_avg_obs_fake_quant", nil,
			args{x, one, one, ones(t, 3), ones(t, 3), ones(t, 3), ints32(t, 0), 0.1, 0, 255, 0, true, false},
			"zero_point: expected 3 elements",
			args{
				x, one, one, ones(t, 3), ones(t, 3), ones(t, 3), ints32(t, 0, 0, 0),
				0.1, 0, 255, 0, true, false,
			},
		},
	})
}
