package nn

import "github.com/gotorch/gotorch/internal/opt"

// The options of recurrent layers. All take [Base.As].
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

// NumLayers is the number of recurrent layers, each of which reads the results of
// the one before. The default is 1. For example NumLayers(2).
type NumLayers = opt.NumLayers

// Nonlinearity is what an [RNN] or [RNNCell] applies. The default is
// [NonlinearityTanh].
type Nonlinearity = opt.Nonlinearity

// The words of [Nonlinearity].
const (
	NonlinearityTanh Nonlinearity = "tanh"
	NonlinearityReLU Nonlinearity = "relu"
)

// Bidirectional says whether a recurrent layer also reads the sequence from its
// end, with parameters of its own, and returns both results side by side. The
// default is false.
type Bidirectional = opt.Bidirectional

// ProjSize is the size that an [LSTM] projects its hidden state to, smaller than the
// hidden size. The default, 0, projects nothing. For example ProjSize(8).
type ProjSize = opt.ProjSize
