package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// RNNCellBase holds the fields common to [RNNCell], [LSTMCell] and [GRUCell]. Follows
// torch.nn.RNNCellBase.
type RNNCellBase struct {
	Base
	WeightIH *torch.Tensor // shape (gates * hidden, input)
	WeightHH *torch.Tensor // shape (gates * hidden, hidden)
	BiasIH   *torch.Tensor // shape (gates * hidden), or nil
	BiasHH   *torch.Tensor // shape (gates * hidden), or nil

	InputSize, HiddenSize int64

	kind recurrence
}

// build makes and registers the parameters of a cell.
func (c *RNNCellBase) build(self Module, op string, kind recurrence, input, hidden int64, o recurrentOptions) {
	o.setSizes(op, size{"inputSize", input}, size{"hiddenSize", hidden})
	c.kind, c.InputSize, c.HiddenSize = kind, input, hidden
	c.startLayer(self)
	returned := false
	defer o.closeAfterPanic(&c.Base, &returned)
	rows := kind.gates() * hidden
	c.parameter("weight_ih", &c.WeightIH, o.empty(rows, input))
	c.parameter("weight_hh", &c.WeightHH, o.empty(rows, hidden))
	c.parameter("bias_ih", &c.BiasIH, o.emptyIf(o.bias, rows))
	c.parameter("bias_hh", &c.BiasHH, o.emptyIf(o.bias, rows))
	c.ResetParameters()
	o.as.register(self)
	returned = true
}

func (c *RNNCellBase) describe() string {
	text := fmt.Sprintf("%d, %d", c.InputSize, c.HiddenSize)
	if c.BiasIH == nil && !c.IsDerived("bias_ih") {
		text += ", bias=False"
	}
	if c.kind == rnnReLU {
		text += ", nonlinearity=relu"
	}
	return text
}

// ResetParameters draws new values for all parameters, as the constructor does.
func (c *RNNCellBase) ResetParameters() {
	mustBeMade("RNNCellBase.ResetParameters", c)
	if c.HiddenSize > 0 {
		resetRecurrent(&c.Base, c.HiddenSize)
	}
}

// RNNCell is one step of a recurrent network with tanh or ReLU.
// Follows torch.nn.RNNCell.
type RNNCell struct{ RNNCellBase }

// NewRNNCell makes a cell for inputs of inputSize features with hiddenSize units. It
// panics with ErrValue for sizes that are negative or too large and for an unknown
// [Nonlinearity]. Follows torch.nn.RNNCell.
func NewRNNCell(inputSize, hiddenSize int64, opts ...RNNCellOption) *RNNCell {
	const op = "NewRNNCell"
	o := readRecurrent(op, opts)
	l := new(RNNCell)
	l.build(l, op, kindOf(op, o.nonlinearity), inputSize, hiddenSize, o)
	return l
}

// Forward returns the next state as a new tensor. The input has shape (N, in) or
// (in), and the state h has shape (N, hidden) or (hidden); a nil h is zeros. It
// panics with ErrShape or ErrDType for an input or state that does not fit.
func (l *RNNCell) Forward(input, h *torch.Tensor) *torch.Tensor {
	mustBeMade("RNNCell.Forward", l)
	return l.forward(l, input, h)[0]
}

// GRUCell is one step of a [GRU]. Follows torch.nn.GRUCell.
type GRUCell struct{ RNNCellBase }

// NewGRUCell makes a cell for inputs of inputSize features with hiddenSize units. It
// panics as [NewRNNCell] does. Follows torch.nn.GRUCell.
func NewGRUCell(inputSize, hiddenSize int64, opts ...CellOption) *GRUCell {
	const op = "NewGRUCell"
	l := new(GRUCell)
	l.build(l, op, gru, inputSize, hiddenSize, readRecurrent(op, opts))
	return l
}

// Forward has the arguments and result of [RNNCell.Forward].
func (l *GRUCell) Forward(input, h *torch.Tensor) *torch.Tensor {
	mustBeMade("GRUCell.Forward", l)
	return l.forward(l, input, h)[0]
}

// LSTMCell is one step of an [LSTM]. Follows torch.nn.LSTMCell.
type LSTMCell struct{ RNNCellBase }

// NewLSTMCell makes a cell for inputs of inputSize features with hiddenSize units. It
// panics as [NewRNNCell] does. Follows torch.nn.LSTMCell.
func NewLSTMCell(inputSize, hiddenSize int64, opts ...CellOption) *LSTMCell {
	const op = "NewLSTMCell"
	l := new(LSTMCell)
	l.build(l, op, lstm, inputSize, hiddenSize, readRecurrent(op, opts))
	return l
}

// Forward is [RNNCell.Forward] with a cell state of the same shape:
//
//	h, c = cell.Forward(x, h, c) // h, c = cell(x, (h, c))
//
// Give both h0 and c0, or nil for both, which stands for zeros. It panics with ErrNil
// if only one is nil, and otherwise as [RNNCell.Forward] does.
func (l *LSTMCell) Forward(input, h0, c0 *torch.Tensor) (h, c *torch.Tensor) {
	mustBeMade("LSTMCell.Forward", l)
	res := l.forward(l, input, h0, c0)
	return res[0], res[1]
}

// cellOps are the names of the forward passes for errors.
var cellOps = [...]string{
	rnnTanh: "RNNCell(input, h)", rnnReLU: "RNNCell(input, h)", lstm: "LSTMCell(input, h0, c0)",
	gru: "GRUCell(input, h)",
}

var cellStates = [...][]string{rnnTanh: {"h"}, rnnReLU: {"h"}, lstm: stateNames, gru: {"h"}}

func (c *RNNCellBase) forward(m Module, x *torch.Tensor, state ...*torch.Tensor) []*torch.Tensor {
	return callLayerN(m, append([]*torch.Tensor{x}, state...), func(in []*torch.Tensor) []*torch.Tensor {
		// run modifies the list of states, so it gets a copy: hooks receive the
		// original list.
		return c.run(in[0], slices.Clone(in[1:]))
	})
}

func (c *RNNCellBase) run(x *torch.Tensor, state []*torch.Tensor) []*torch.Tensor {
	op := cellOps[c.kind]
	x.HandleFor(op, 0)
	d := x.Dim()
	if d != 1 && d != 2 || x.Size(-1) != c.InputSize {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected 1 or 2 dimensions, the last of size %d, got size %v", c.InputSize, x.Shape())))
	}
	if len(state) == 2 && (state[0] == nil) != (state[1] == nil) {
		panic(torch.NewError(op, torch.ErrNil, "h0, c0", "give both tensors, or neither for zeros"))
	}
	want := slices.Clone(x.Shape())
	want[d-1] = c.HiddenSize
	for i, h := range state {
		if h == nil {
			continue
		}
		h.HandleFor(op, i+1)
		if !h.Shape().Equal(want) {
			panic(torch.NewError(op, torch.ErrShape, cellStates[c.kind][i],
				fmt.Sprintf("expected size %v, got %v", want, h.Shape())))
		}
		if d == 1 {
			state[i] = h.Unsqueeze(0)
		}
	}
	if d == 1 {
		x = x.Unsqueeze(0)
	}
	if state[0] == nil {
		zeros := torch.Zeros(torch.Shape{x.Size(0), c.HiddenSize}, x.DType(), x.Device())
		for i := range state {
			state[i] = zeros
		}
	}
	out := c.runKernel(op, x, state)
	if d == 1 {
		for i := range out {
			out[i] = own.Instead(out[i], out[i].Squeeze(0))
		}
	}
	return out
}

// cellParameters are the names of the parameters for errors.
const cellParameters = "Cell(weight_ih, weight_hh, bias_ih, bias_hh)"

func (c *RNNCellBase) runKernel(op string, x *torch.Tensor, state []*torch.Tensor) []*torch.Tensor {
	if c.kind == lstm {
		return c.runLSTMKernel(op, x, state[0], state[1])
	}
	kind, h0 := c.kind, state[0]
	xh, h := x.HandleFor(op, 0), h0.HandleFor(op, 1)
	wi, wh := c.WeightIH.HandleFor(cellParameters, 0), c.WeightHH.HandleFor(cellParameters, 1)
	bi, bh := c.BiasIH.OptionalHandleFor(cellParameters, 2), c.BiasHH.OptionalHandleFor(cellParameters, 3)
	var ret abi.Ret
	r := torch.BeginRaw(op, x, h0)
	r.Use(c.WeightIH, c.WeightHH, c.BiasIH, c.BiasHH)
	switch kind {
	case gru:
		ret = aten.GruCell(r.Ctx, xh, h, wi, wh, bi, bh)
	case rnnReLU:
		ret = aten.RnnReluCell(r.Ctx, xh, h, wi, wh, bi, bh)
	default:
		ret = aten.RnnTanhCell(r.Ctx, xh, h, wi, wh, bi, bh)
	}
	return []*torch.Tensor{r.Tensor(ret)}
}

func (c *RNNCellBase) runLSTMKernel(op string, x, h0, c0 *torch.Tensor) []*torch.Tensor {
	xh := x.HandleFor(op, 0)
	hs := []abi.Tensor{h0.HandleFor(op, 1), c0.HandleFor(op, 2)}
	wi, wh := c.WeightIH.HandleFor(cellParameters, 0), c.WeightHH.HandleFor(cellParameters, 1)
	bi, bh := c.BiasIH.OptionalHandleFor(cellParameters, 2), c.BiasHH.OptionalHandleFor(cellParameters, 3)
	r := torch.BeginRaw(op, x, h0, c0)
	r.Use(c.WeightIH, c.WeightHH, c.BiasIH, c.BiasHH)
	res, st := aten.LstmCell(r.Ctx, xh, hs, wi, wh, bi, bh)
	r.Status(st)
	return r.WrapAll(res[:])
}
