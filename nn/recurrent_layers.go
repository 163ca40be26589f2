package nn

import (
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

// Recurrent is an [RNN], a [GRU] or an [LSTM], for programs that choose one at run
// time.
type Recurrent interface {
	Module
	// ForwardState is Forward with the states in a list: h of an RNN or GRU, h and c of
	// an LSTM. An empty list stands for zeros. The final states are also returned in a
	// list. It panics with ErrValue for any other number of states, and as Forward does.
	ForwardState(input *torch.Tensor, states ...*torch.Tensor) (output *torch.Tensor, after []*torch.Tensor)
}

// RNN is a recurrent network with tanh or ReLU. Follows torch.nn.RNN.
type RNN struct{ RNNBase }

// NewRNN makes an RNN for inputs of inputSize features with hiddenSize units. It
// panics with ErrValue for sizes that are not positive or too large, for a dropout
// that is not a probability and for an unknown [Nonlinearity]. Follows torch.nn.RNN.
func NewRNN(inputSize, hiddenSize int64, opts ...RNNOption) *RNN {
	const op = "NewRNN"
	o := readRecurrent(op, opts)
	l := new(RNN)
	l.build(l, op, kindOf(op, o.nonlinearity), inputSize, hiddenSize, o)
	return l
}

// Forward reads input of shape (L, N, in), or (L, in) for one sequence; with
// [BatchFirst], (N, L, in). The initial state h0 has shape (layers * directions, N,
// hidden), or (layers * directions, hidden) for one sequence; nil is zeros.
//
// It returns the output of the last layer at every step, (L, N, directions * hidden),
// and the final state of every layer, in h0's shape. It panics with ErrShape or
// ErrDType for an input or state that does not fit.
func (l *RNN) Forward(input, h0 *torch.Tensor) (output, h *torch.Tensor) {
	mustBeMade("RNN.Forward", l)
	res := l.forward(l, input, h0)
	return res[0], res[1]
}

// ForwardState implements [Recurrent].
func (l *RNN) ForwardState(input *torch.Tensor,
	states ...*torch.Tensor,
) (output *torch.Tensor, after []*torch.Tensor) {
	mustBeMade("RNN.ForwardState", l)
	return l.forwardState(l, "RNN.ForwardState", input, states)
}

// ForwardPacked is Forward for packed sequences. The states are in the order in which
// the sequences were packed. The output shares the input's indices and batch sizes.
// Hooks see input.Data and output.Data.
func (l *RNN) ForwardPacked(input *rnn.PackedSequence, h0 *torch.Tensor) (output *rnn.PackedSequence, h *torch.Tensor) {
	mustBeMade("RNN.ForwardPacked", l)
	output, res := l.forwardPacked(l, input, h0)
	return output, res[0]
}

// GRU is a network of gated recurrent units. Follows torch.nn.GRU.
type GRU struct{ RNNBase }

// NewGRU makes a GRU for inputs of inputSize features with hiddenSize units. It
// panics as [NewRNN] does. Follows torch.nn.GRU.
func NewGRU(inputSize, hiddenSize int64, opts ...GRUOption) *GRU {
	const op = "NewGRU"
	l := new(GRU)
	l.build(l, op, gru, inputSize, hiddenSize, readRecurrent(op, opts))
	return l
}

// Forward has the arguments and results of [RNN.Forward].
func (l *GRU) Forward(input, h0 *torch.Tensor) (output, h *torch.Tensor) {
	mustBeMade("GRU.Forward", l)
	res := l.forward(l, input, h0)
	return res[0], res[1]
}

// ForwardState implements [Recurrent].
func (l *GRU) ForwardState(input *torch.Tensor,
	states ...*torch.Tensor,
) (output *torch.Tensor, after []*torch.Tensor) {
	mustBeMade("GRU.ForwardState", l)
	return l.forwardState(l, "GRU.ForwardState", input, states)
}

// ForwardPacked is Forward for packed sequences; see [RNN.ForwardPacked].
func (l *GRU) ForwardPacked(input *rnn.PackedSequence, h0 *torch.Tensor) (output *rnn.PackedSequence, h *torch.Tensor) {
	mustBeMade("GRU.ForwardPacked", l)
	output, res := l.forwardPacked(l, input, h0)
	return output, res[0]
}

// LSTM is a long short-term memory network. Follows torch.nn.LSTM.
type LSTM struct{ RNNBase }

// NewLSTM makes an LSTM for inputs of inputSize features with hiddenSize units. It
// panics as [NewRNN] does, and with ErrValue unless [ProjSize] is smaller than
// hiddenSize. Follows torch.nn.LSTM.
func NewLSTM(inputSize, hiddenSize int64, opts ...LSTMOption) *LSTM {
	const op = "NewLSTM"
	l := new(LSTM)
	l.build(l, op, lstm, inputSize, hiddenSize, readRecurrent(op, opts))
	return l
}

// Forward is [RNN.Forward] with a cell state:
//
//	output, h, c := lstm.Forward(x, nil, nil) // output, (h, c) = lstm(x)
//	output, h, c = lstm.Forward(x, h, c)      // output, (h, c) = lstm(x, (h, c))
//
// Give both h0 and c0, or nil for both, which stands for zeros. c0 and c have the
// shape (layers * directions, N, hidden). With [ProjSize], h0, h and output use that
// size instead of hidden. It panics with ErrNil if only one of h0 and c0 is nil, and
// otherwise as [RNN.Forward] does.
func (l *LSTM) Forward(input, h0, c0 *torch.Tensor) (output, h, c *torch.Tensor) {
	mustBeMade("LSTM.Forward", l)
	res := l.forward(l, input, h0, c0)
	return res[0], res[1], res[2]
}

// ForwardState implements [Recurrent].
func (l *LSTM) ForwardState(input *torch.Tensor,
	states ...*torch.Tensor,
) (output *torch.Tensor, after []*torch.Tensor) {
	mustBeMade("LSTM.ForwardState", l)
	return l.forwardState(l, "LSTM.ForwardState", input, states)
}

// ForwardPacked is Forward for packed sequences; see [RNN.ForwardPacked].
func (l *LSTM) ForwardPacked(input *rnn.PackedSequence, h0,
	c0 *torch.Tensor,
) (output *rnn.PackedSequence, h, c *torch.Tensor) {
	mustBeMade("LSTM.ForwardPacked", l)
	output, res := l.forwardPacked(l, input, h0, c0)
	return output, res[0], res[1]
}
