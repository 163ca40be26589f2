package nn

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// runKernel runs all layers and steps in one operator. batchSizes is nil unless x is
// packed.
func (r *RNNBase) runKernel(op string, x, batchSizes *torch.Tensor, state, weights []*torch.Tensor) []*torch.Tensor {
	if r.kind == lstm {
		return r.runLSTMKernel(op, x, batchSizes, state[0], state[1], weights)
	}
	kind, packed, train := r.kind, batchSizes != nil, r.Training()
	h0 := state[0]
	xh, sizes, h := x.HandleFor(op, 0), batchSizes.OptionalHandle(), h0.HandleFor(op, 1)
	ws := torch.Handles(op, weights, false)
	var res [2]abi.Tensor
	var st abi.Status
	raw := torch.BeginRaw(op, x, h0)
	raw.Use(batchSizes)
	raw.Use(weights...)
	switch {
	case kind == gru && packed:
		res, st = aten.GruData(raw.Ctx, xh, sizes, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional)
	case kind == gru:
		res, st = aten.GruInput(raw.Ctx, xh, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional,
			r.BatchFirst)
	case kind == rnnReLU && packed:
		res, st = aten.RnnReluData(raw.Ctx, xh, sizes, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional)
	case kind == rnnReLU:
		res, st = aten.RnnReluInput(raw.Ctx, xh, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional,
			r.BatchFirst)
	case packed:
		res, st = aten.RnnTanhData(raw.Ctx, xh, sizes, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional)
	default:
		res, st = aten.RnnTanhInput(raw.Ctx, xh, h, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional,
			r.BatchFirst)
	}
	raw.Status(st)
	return raw.WrapAll(res[:])
}

func (r *RNNBase) runLSTMKernel(op string, x, batchSizes, h0, c0 *torch.Tensor,
	weights []*torch.Tensor,
) []*torch.Tensor {
	packed, train := batchSizes != nil, r.Training()
	xh, sizes := x.HandleFor(op, 0), batchSizes.OptionalHandle()
	hs := []abi.Tensor{h0.HandleFor(op, 1), c0.HandleFor(op, 2)}
	ws := torch.Handles(op, weights, false)
	var res [3]abi.Tensor
	var st abi.Status
	raw := torch.BeginRaw(op, x, h0, c0)
	raw.Use(batchSizes)
	raw.Use(weights...)
	if packed {
		res, st = aten.LstmData(raw.Ctx, xh, sizes, hs, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional)
	} else {
		res, st = aten.LstmInput(raw.Ctx, xh, hs, ws, r.Bias, r.NumLayers, r.Dropout, train, r.Bidirectional,
			r.BatchFirst)
	}
	raw.Status(st)
	return raw.WrapAll(res[:])
}
