package nn_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var steps = inputOf(5, 2, 4)

// step returns the arguments of a cell: an input and a state.
func step() []*torch.Tensor {
	x := torch.Rand(torch.Shape{2, 4})
	return []*torch.Tensor{x, torch.Rand(torch.Shape{2, 3})}
}

var recurrentMembers = []member{
	{"RNN", "nn.RNN(4, 3)", func(p *holder) nn.Module { return nn.NewRNN(4, 3, p.As("m")) }, steps},
	{
		"RNN/all", `nn.RNN(4, 3, nonlinearity="relu", num_layers=2, bias=False, batch_first=True, dropout=0.5, ` +
			"bidirectional=True)",
		func(p *holder) nn.Module {
			return nn.NewRNN(4, 3, nn.NonlinearityReLU, nn.NumLayers(2), nn.Bias(false), nn.BatchFirst(true),
				nn.DropoutP(0.5), nn.Bidirectional(true), p.As("m"))
		}, steps,
	},
	{"LSTM", "nn.LSTM(4, 3)", func(p *holder) nn.Module { return nn.NewLSTM(4, 3, p.As("m")) }, steps},
	{
		"LSTM/all", "nn.LSTM(4, 3, proj_size=2, num_layers=2, bias=False, batch_first=True, dropout=0.5, " +
			"bidirectional=True)",
		func(p *holder) nn.Module {
			return nn.NewLSTM(4, 3, nn.ProjSize(2), nn.NumLayers(2), nn.Bias(false), nn.BatchFirst(true),
				nn.DropoutP(0.5), nn.Bidirectional(true), p.As("m"))
		}, steps,
	},
	{"GRU", "nn.GRU(4, 3)", func(p *holder) nn.Module { return nn.NewGRU(4, 3, p.As("m")) }, steps},
	{
		"GRU/all", "nn.GRU(4, 3, num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True)",
		func(p *holder) nn.Module {
			return nn.NewGRU(4, 3, nn.NumLayers(2), nn.Bias(false), nn.BatchFirst(true), nn.DropoutP(0.5),
				nn.Bidirectional(true), p.As("m"))
		}, steps,
	},
	{"RNNCell", "nn.RNNCell(4, 3)", func(p *holder) nn.Module { return nn.NewRNNCell(4, 3, p.As("m")) }, step},
	{"RNNCell/all", `nn.RNNCell(4, 3, bias=False, nonlinearity="relu")`, func(p *holder) nn.Module {
		return nn.NewRNNCell(4, 3, nn.Bias(false), nn.NonlinearityReLU, p.As("m"))
	}, step},
	{"LSTMCell", "nn.LSTMCell(4, 3)", func(p *holder) nn.Module { return nn.NewLSTMCell(4, 3, p.As("m")) }, step},
	{
		"LSTMCell/all", "nn.LSTMCell(4, 3, bias=False)",
		func(p *holder) nn.Module { return nn.NewLSTMCell(4, 3, nn.Bias(false), p.As("m")) }, step,
	},
	{"GRUCell", "nn.GRUCell(4, 3)", func(p *holder) nn.Module { return nn.NewGRUCell(4, 3, p.As("m")) }, step},
	{
		"GRUCell/all", "nn.GRUCell(4, 3, bias=False)",
		func(p *holder) nn.Module { return nn.NewGRUCell(4, 3, nn.Bias(false), p.As("m")) }, step,
	},
}

var recurrentElsewhere = map[string]elsewhereFunc{
	"RNN":      func(d nn.Device, t nn.DType) nn.Module { return nn.NewRNN(4, 3, d, t) },
	"LSTM":     func(d nn.Device, t nn.DType) nn.Module { return nn.NewLSTM(4, 3, d, t) },
	"GRU":      func(d nn.Device, t nn.DType) nn.Module { return nn.NewGRU(4, 3, d, t) },
	"RNNCell":  func(d nn.Device, t nn.DType) nn.Module { return nn.NewRNNCell(4, 3, d, t) },
	"LSTMCell": func(d nn.Device, t nn.DType) nn.Module { return nn.NewLSTMCell(4, 3, d, t) },
	"GRUCell":  func(d nn.Device, t nn.DType) nn.Module { return nn.NewGRUCell(4, 3, d, t) },
}

// sequenceResults runs a layer with a state or several inputs, and returns its results.
func sequenceResults(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
	switch m := m.(type) {
	case *nn.MultiheadAttention:
		if len(in) < 3 {
			in = []*torch.Tensor{in[0], in[0], in[0]}
		}
		out, weights := m.Forward(in[0], in[1], in[2])
		return []*torch.Tensor{out, weights}
	case interface {
		Forward(input, h0 *torch.Tensor) (output, h *torch.Tensor)
	}: // RNN and GRU
		out, h := m.Forward(in[0], nil)
		return []*torch.Tensor{out, h}
	case *nn.LSTM:
		out, h, c := m.Forward(in[0], nil, nil)
		return []*torch.Tensor{out, h, c}
	case *nn.LSTMCell:
		h, c := m.Forward(in[0], nil, nil)
		return []*torch.Tensor{h, c}
	}
	return transformerResults(m, in)
}
