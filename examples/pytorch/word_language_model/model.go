package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/examples/pytorch/internal/text"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// Shapes are (T, B, C): the numbers of words, texts and features. V is the size of the
// vocabulary.

// model computes the log probabilities of the next word, (T*B, V), for ids (T, B). Forward
// takes and returns the hidden state of a recurrent model. A transformer has no state.
type model interface {
	nn.Module
	Forward(ids *torch.Tensor, hidden []*torch.Tensor) (scores *torch.Tensor, after []*torch.Tensor)
	start(texts int64) (hidden []*torch.Tensor)
}

func newModel(c *config, words int64) (model, error) {
	switch c.model {
	case "Transformer":
		return newTransformerModel(c, words), nil
	case "RNN_TANH", "RNN_RELU", "LSTM", "GRU":
		return newRNNModel(c, words), nil
	}
	return nil, fmt.Errorf("-model: expected RNN_TANH, RNN_RELU, LSTM, GRU or Transformer, got %q", c.model)
}

// rnnModel is a recurrent network with a word embedding and a layer that computes scores
// for the next word.
type rnnModel struct {
	nn.Base
	drop         *nn.Dropout
	encoder      *nn.Embedding
	rnn          nn.Recurrent
	decoder      *nn.Linear
	layers, nhid int64
}

func newRNNModel(c *config, words int64) *rnnModel {
	m := &rnnModel{layers: c.nlayers, nhid: c.nhid}
	m.Init(m)
	m.drop = nn.NewDropout(c.dropout)
	m.encoder = nn.NewEmbedding(words, c.emsize)
	layers, drop := nn.NumLayers(c.nlayers), nn.DropoutP(c.dropout)
	switch c.model {
	case "LSTM":
		m.rnn = nn.NewLSTM(c.emsize, c.nhid, layers, drop)
	case "GRU":
		m.rnn = nn.NewGRU(c.emsize, c.nhid, layers, drop)
	case "RNN_RELU":
		m.rnn = nn.NewRNN(c.emsize, c.nhid, layers, drop, nn.NonlinearityReLU)
	default:
		m.rnn = nn.NewRNN(c.emsize, c.nhid, layers, drop)
	}
	m.decoder = nn.NewLinear(c.nhid, words)
	draw(m.encoder, m.decoder, c.tied)
	return m
}

func (m *rnnModel) Forward(ids *torch.Tensor, hidden []*torch.Tensor) (scores *torch.Tensor, after []*torch.Tensor) {
	out := m.CallN(append([]*torch.Tensor{ids}, hidden...), func(in []*torch.Tensor) []*torch.Tensor {
		x, after := m.rnn.ForwardState(m.drop.Forward(m.encoder.Forward(in[0])), in[1:]...)
		x = m.decoder.Forward(m.drop.Forward(x))
		return append([]*torch.Tensor{F.LogSoftmax(x.Flatten(0, 1), 1)}, after...)
	})
	return out[0], out[1:]
}

func (m *rnnModel) start(texts int64) (hidden []*torch.Tensor) {
	shape := torch.Shape{m.layers, texts, m.nhid}
	if _, ok := m.rnn.(*nn.LSTM); ok {
		hidden = append(hidden, torch.Zeros(shape))
	}
	return append(hidden, torch.Zeros(shape))
}

// draw initializes the weights of the embedding and of the layer that scores words. If tied
// is true, both use the same weight.
func draw(encoder *nn.Embedding, decoder *nn.Linear, tied bool) {
	if tied {
		drawn := decoder.Weight
		decoder.Weight = encoder.Weight
		drawn.Close()
	}
	nninit.Uniform_(encoder.Weight, -0.1, 0.1)
	nninit.Zeros_(decoder.Bias)
	nninit.Uniform_(decoder.Weight, -0.1, 0.1)
}

// transformerModel is a transformer with an encoder only. Instead of a decoder it has a
// layer that scores words.
type transformerModel struct {
	*nn.Transformer
	drop     *nn.Dropout
	position *torch.Tensor // (5000, 1, C), positional encodings
	input    *nn.Embedding `torch:"input_emb"`
	decoder  *nn.Linear
}

func newTransformerModel(c *config, words int64) *transformerModel {
	m := &transformerModel{Transformer: nn.NewTransformer(nn.DModel(c.emsize), nn.NHead(c.nhead),
		nn.DimFeedforward(c.nhid), nn.NumEncoderLayers(c.nlayers), nn.NumDecoderLayers(0), nn.DropoutP(c.dropout))}
	m.Init(m)
	m.Transformer.Decoder.Close()
	m.Transformer.Decoder = nil
	m.drop = nn.NewDropout(c.dropout)
	m.position = m.RegisterBuffer("position", text.Positions(5000, c.emsize))
	m.input = nn.NewEmbedding(words, c.emsize)
	m.decoder = nn.NewLinear(c.emsize, words, m.As("decoder")) // replaces the transformer's decoder
	draw(m.input, m.decoder, c.tied)
	return m
}

// Forward hides from each word the words after it: their attention scores are -inf.
func (m *transformerModel) Forward(ids *torch.Tensor, _ []*torch.Tensor) (scores *torch.Tensor, after []*torch.Tensor) {
	return m.Call(ids, func(ids *torch.Tensor) *torch.Tensor {
		n := ids.Size(0)
		mask := torch.Ones(torch.Shape{n, n}).Tril().Log()
		x := m.input.Forward(ids).MulScalar(math.Sqrt(float64(m.DModel)))
		x = m.drop.Forward(x.Add(m.position.Narrow(0, 0, n)))
		x = m.decoder.Forward(m.Encoder.Forward(x, nn.Mask(mask)))
		return F.LogSoftmax(x.Flatten(0, 1), 1)
	}), nil
}

func (m *transformerModel) start(int64) []*torch.Tensor { return nil }
