package nn

import "github.com/gotorch/gotorch/internal/opt"

// The option types of recurrent layers. Every type includes [Base.As].
type (
	// An RNNOption is [NumLayers], [Nonlinearity], [Bias], [BatchFirst],
	// [DropoutP], [Bidirectional], [Device], [DType] or [Base.As].
	RNNOption interface{ opt.RNNLayer }
	// An LSTMOption is [NumLayers], [Bias], [BatchFirst], [DropoutP],
	// [Bidirectional], [ProjSize], [Device], [DType] or [Base.As].
	LSTMOption interface{ opt.LSTMLayer }
	// A GRUOption is [NumLayers], [Bias], [BatchFirst], [DropoutP],
	// [Bidirectional], [Device], [DType] or [Base.As].
	GRUOption interface{ opt.GRULayer }
	// An RNNCellOption is [Nonlinearity], [Bias], [Device], [DType] or [Base.As].
	RNNCellOption interface{ opt.RNNCellLayer }
	// A CellOption is [Bias], [Device], [DType] or [Base.As].
	CellOption interface{ opt.CellLayer }
)

// NumLayers is the number of stacked recurrent layers; each reads the output of the
// previous one. The default is 1. For example NumLayers(2).
type NumLayers = opt.NumLayers

// Nonlinearity is the activation of an [RNN] or [RNNCell]. The default is
// [NonlinearityTanh].
type Nonlinearity = opt.Nonlinearity

// The values of [Nonlinearity].
const (
	NonlinearityTanh Nonlinearity = "tanh"
	NonlinearityReLU Nonlinearity = "relu"
)

// Bidirectional says whether a recurrent layer also reads the sequence backwards,
// with separate parameters, and concatenates both outputs. The default is false.
type Bidirectional = opt.Bidirectional

// ProjSize is the size to which an [LSTM] projects its hidden state. It must be
// smaller than the hidden size. The default is 0, no projection. For example
// ProjSize(8).
type ProjSize = opt.ProjSize
