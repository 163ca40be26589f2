package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

// opName returns the name of the forward pass for errors.
func (k recurrence) opName() string {
	switch k {
	case lstm:
		return "LSTM(input, h0, c0)"
	case gru:
		return "GRU(input, h0)"
	default:
		return "RNN(input, h0)"
	}
}

// stateNames are the names of the initial state's arguments.
var stateNames = []string{"h0", "c0"}

// forward runs a layer over a tensor. It returns the output and the state: h, or h
// and c.
func (r *RNNBase) forward(m Module, x *torch.Tensor, state ...*torch.Tensor) []*torch.Tensor {
	return callLayerN(m, append([]*torch.Tensor{x}, state...), func(in []*torch.Tensor) []*torch.Tensor {
		return r.run(in[0], slices.Clone(in[1:])) // hooks see the original arguments
	})
}

// forwardState is forward with no states, or as many as the layer has.
func (r *RNNBase) forwardState(m Module, op string, input *torch.Tensor,
	states []*torch.Tensor,
) (output *torch.Tensor, after []*torch.Tensor) {
	n := 1
	if r.kind == lstm {
		n = 2
	}
	switch len(states) {
	case 0:
		states = make([]*torch.Tensor, n)
	case n:
	default:
		panic(torch.NewError(op, torch.ErrValue, "states",
			fmt.Sprintf("expected %d, or none for zeros, got %d", n, len(states))))
	}
	res := r.forward(m, input, states...)
	return res[0], res[1:]
}

func (r *RNNBase) run(x *torch.Tensor, state []*torch.Tensor) []*torch.Tensor {
	op := r.kind.opName()
	x.HandleFor(op, 0)
	batched := x.Dim() == 3
	if !batched && x.Dim() != 2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected 2 or 3 dimensions, got size %v", x.Shape())))
	}
	weights := r.weights(op)
	r.mustFitInput(op, x, weights[0])
	given := r.hasState(op, state)
	batchDim := int64(1)
	if r.BatchFirst {
		batchDim = 0
	}
	n := int64(1)
	if batched {
		n = x.Size(batchDim)
	} else {
		x = x.Unsqueeze(batchDim)
	}
	for i, h := range state {
		switch {
		case !given:
			state[i] = r.zeroState(i, n, x)
		case batched:
			r.mustFitState(op, i, h, torch.Shape{r.NumLayers * r.directions(), n, r.stateSize(i)})
		default:
			r.mustFitState(op, i, h, torch.Shape{r.NumLayers * r.directions(), r.stateSize(i)})
			state[i] = h.Unsqueeze(1)
		}
	}
	out := r.runKernel(op, x, nil, state, weights)
	if !batched {
		out[0] = own.Instead(out[0], out[0].Squeeze(batchDim))
		for i := range state {
			out[i+1] = own.Instead(out[i+1], out[i+1].Squeeze(1))
		}
	}
	return out
}

// forwardPacked runs a layer over packed sequences.
func (r *RNNBase) forwardPacked(m Module, p *rnn.PackedSequence,
	state ...*torch.Tensor,
) (*rnn.PackedSequence, []*torch.Tensor) {
	op := r.kind.opName()
	if p == nil {
		p = new(rnn.PackedSequence) // its nil data leads to an error that names the layer
	}
	res := callLayerN(m, append([]*torch.Tensor{p.Data}, state...), func(in []*torch.Tensor) []*torch.Tensor {
		x, state := in[0], slices.Clone(in[1:])
		x.HandleFor(op, 0)
		p.BatchSizes.HandleFor(op, 0)
		if x.Dim() != 2 {
			panic(torch.NewError(op, torch.ErrShape, "input",
				fmt.Sprintf("expected packed data of 2 dimensions, got size %v", x.Shape())))
		}
		if p.BatchSizes.Dim() != 1 || p.BatchSizes.Numel() == 0 {
			panic(torch.NewError(op, torch.ErrShape, "input",
				fmt.Sprintf("expected batch sizes of 1 dimension, got size %v", p.BatchSizes.Shape())))
		}
		weights := r.weights(op)
		r.mustFitInput(op, x, weights[0])
		given := r.hasState(op, state)
		first := p.BatchSizes.Select(0, 0)
		n := first.ItemInt()
		own.ReleaseAll(first)
		for i, h := range state {
			if !given {
				state[i] = r.zeroState(i, n, x)
				continue
			}
			r.mustFitState(op, i, h, torch.Shape{r.NumLayers * r.directions(), n, r.stateSize(i)})
			if p.SortedIndices != nil {
				state[i] = h.IndexSelect(1, p.SortedIndices)
			}
		}
		out := r.runKernel(op, x, p.BatchSizes, state, weights)
		if p.UnsortedIndices != nil {
			for i := range state {
				out[i+1] = own.Instead(out[i+1], out[i+1].IndexSelect(1, p.UnsortedIndices))
			}
		}
		return out
	})
	return &rnn.PackedSequence{
		Data: res[0], BatchSizes: p.BatchSizes, SortedIndices: p.SortedIndices,
		UnsortedIndices: p.UnsortedIndices,
	}, res[1:]
}

// stateSize returns the size of state i; the cell state of an LSTM is not projected.
func (r *RNNBase) stateSize(i int) int64 {
	if i == 1 {
		return r.HiddenSize
	}
	return r.outputSize()
}

func (r *RNNBase) zeroState(i int, n int64, like *torch.Tensor) *torch.Tensor {
	return torch.Zeros(torch.Shape{r.NumLayers * r.directions(), n, r.stateSize(i)}, like.DType(), like.Device())
}

func (r *RNNBase) mustFitInput(op string, x, weight *torch.Tensor) {
	if x.DType() != weight.DType() && !underAutocast() {
		panic(torch.NewError(op, torch.ErrDType, "input",
			fmt.Sprintf("%v does not match the weights' %v: convert one of them with To", x.DType(), weight.DType())))
	}
	if x.Size(-1) != r.InputSize {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected a last dimension of size %d, got size %v", r.InputSize, x.Shape())))
	}
}

// hasState reports whether an initial state is given, and panics if only one part
// is.
func (r *RNNBase) hasState(op string, state []*torch.Tensor) bool {
	if len(state) == 2 && (state[0] == nil) != (state[1] == nil) {
		panic(torch.NewError(op, torch.ErrNil, "h0, c0", "give both, or neither for zeros"))
	}
	if state[0] == nil {
		return false
	}
	for i, h := range state {
		h.HandleFor(op, i+1)
	}
	return true
}

func (r *RNNBase) mustFitState(op string, i int, h *torch.Tensor, want torch.Shape) {
	if got := h.Shape(); !got.Equal(want) {
		panic(torch.NewError(op, torch.ErrShape, stateNames[i], fmt.Sprintf("expected size %v, got %v", want, got)))
	}
}

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

func (r *RNNBase) runLSTMKernel(op string, x, batchSizes, h0, c0 *torch.Tensor, weights []*torch.Tensor) []*torch.Tensor {
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
