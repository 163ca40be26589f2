package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
)

// recurrentRows returns the rows of the option table for recurrent layers and cells.
func recurrentRows(p *holder) map[string]optiontest.Row {
	bias := values(nn.Bias(false), nn.Bias(true))
	relu := values(nn.NonlinearityReLU, nn.Nonlinearity("tanh"))
	shared := joinPairs(places(),
		bias,
		values(nn.NumLayers(3), nn.NumLayers(2)),
		values(nn.BatchFirst(true), nn.BatchFirst(false)),
		values(nn.DropoutP(0.5), nn.DropoutP(0)),
		values(nn.Bidirectional(true), nn.Bidirectional(false)),
	)
	cell := joinPairs(places(), bias)
	// With a second layer, dropout has an effect.
	return map[string]optiontest.Row{
		"NewRNN": rowOf(p, steps, func(opts ...nn.RNNOption) nn.Module {
			return nn.NewRNN(4, 3, prepend([]nn.RNNOption{nn.NumLayers(2)}, opts)...)
		}, joinPairs(shared, relu.Hides(printed, notInRepr))...),
		"NewLSTM": rowOf(p, steps, func(opts ...nn.LSTMOption) nn.Module {
			return nn.NewLSTM(4, 3, prepend([]nn.LSTMOption{nn.NumLayers(2)}, opts)...)
		}, joinPairs(shared, values(nn.ProjSize(2), nn.ProjSize(0)))...),
		"NewGRU": rowOf(p, steps, func(opts ...nn.GRUOption) nn.Module {
			return nn.NewGRU(4, 3, prepend([]nn.GRUOption{nn.NumLayers(2)}, opts)...)
		}, shared...),
		"NewRNNCell": rowOf(p, step, func(opts ...nn.RNNCellOption) nn.Module {
			return nn.NewRNNCell(4, 3, opts...)
		}, joinPairs(cell, relu)...),
		"NewLSTMCell": rowOf(p, step, func(opts ...nn.CellOption) nn.Module {
			return nn.NewLSTMCell(4, 3, opts...)
		}, cell...),
		"NewGRUCell": rowOf(p, step, func(opts ...nn.CellOption) nn.Module {
			return nn.NewGRUCell(4, 3, opts...)
		}, cell...),
	}
}
