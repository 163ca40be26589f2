package nn

import (
	"fmt"
	"slices"

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
		// run modifies the list of states, so it gets a copy: hooks receive the
		// original list.
		return r.run(in[0], slices.Clone(in[1:]))
	})
}

// forwardState is forward for a list of states: none, or as many as the layer has. It
// panics with ErrValue for any other number.
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
			fmt.Sprintf("expected %d tensors, or none for zeros, got %d", n, len(states))))
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
	if p == nil {
		p = new(rnn.PackedSequence) // its nil data leads to an error that names the layer
	}
	res := callLayerN(m, append([]*torch.Tensor{p.Data}, state...), func(in []*torch.Tensor) []*torch.Tensor {
		return r.runPacked(in[0], p, slices.Clone(in[1:]))
	})
	return &rnn.PackedSequence{
		Data: res[0], BatchSizes: p.BatchSizes, SortedIndices: p.SortedIndices,
		UnsortedIndices: p.UnsortedIndices,
	}, res[1:]
}

func (r *RNNBase) runPacked(x *torch.Tensor, p *rnn.PackedSequence, state []*torch.Tensor) []*torch.Tensor {
	op := r.kind.opName()
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
	r.sortState(op, x, p, state)
	out := r.runKernel(op, x, p.BatchSizes, state, weights)
	if p.UnsortedIndices != nil {
		for i := range state {
			out[i+1] = own.Instead(out[i+1], out[i+1].IndexSelect(1, p.UnsortedIndices))
		}
	}
	return out
}

// sortState sorts the initial state in the order of the packed sequences, or makes an
// initial state of zeros if there is none.
func (r *RNNBase) sortState(op string, x *torch.Tensor, p *rnn.PackedSequence, state []*torch.Tensor) {
	has := r.hasState(op, state)
	first := p.BatchSizes.Select(0, 0)
	n := first.ItemInt()
	own.ReleaseAll(first)
	for i, h := range state {
		if !has {
			state[i] = r.zeroState(i, n, x)
			continue
		}
		r.mustFitState(op, i, h, torch.Shape{r.NumLayers * r.directions(), n, r.stateSize(i)})
		if p.SortedIndices != nil {
			state[i] = h.IndexSelect(1, p.SortedIndices)
		}
	}
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
			fmt.Sprintf("dtype %v does not match the weights' dtype %v: convert one of them with To", x.DType(),
				weight.DType())))
	}
	if x.Size(-1) != r.InputSize {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected a last dimension of size %d, got size %v", r.InputSize, x.Shape())))
	}
}

// hasState reports whether an initial state is given, and panics if only one of its two
// parts is given.
func (r *RNNBase) hasState(op string, state []*torch.Tensor) bool {
	if len(state) == 2 && (state[0] == nil) != (state[1] == nil) {
		panic(torch.NewError(op, torch.ErrNil, "h0, c0", "give both tensors, or neither for zeros"))
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
