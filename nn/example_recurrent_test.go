package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The input is a batch of 3 sequences of 5 steps. Without an initial state, the LSTM
// starts with zeros.
func ExampleLSTM() {
	lstm := nn.NewLSTM(10, 20, nn.NumLayers(2), nn.BatchFirst(true))
	defer lstm.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 5, 10})
		output, h, c := lstm.Forward(x, nil, nil)
		fmt.Println(output.Shape(), h.Shape(), c.Shape())
	})
	fmt.Println(lstm)
	// Output:
	// (3, 5, 20) (2, 3, 20) (2, 3, 20)
	// LSTM(10, 20, num_layers=2, batch_first=True)
}

// A GRU that reads the sequence in both directions has twice as many output features.
func ExampleGRU() {
	gru := nn.NewGRU(10, 20, nn.Bidirectional(true), nn.BatchFirst(true))
	defer gru.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 5, 10})
		output, h := gru.Forward(x, nil)
		fmt.Println(output.Shape(), h.Shape())
	})
	// Output: (3, 5, 40) (2, 3, 20)
}

// The second call continues the sequence with the state after the first half.
func ExampleRNN() {
	net := nn.NewRNN(10, 20, nn.BatchFirst(true))
	defer net.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 6, 10})
		whole, _ := net.Forward(x, nil)
		_, h := net.Forward(x.Narrow(1, 0, 3), nil)
		second, _ := net.Forward(x.Narrow(1, 3, 3), h)
		fmt.Println(second.AllClose(whole.Narrow(1, 3, 3), torch.ATol(1e-6)))
	})
	// Output: true
}

// With a cell, you write the loop over the steps yourself.
func ExampleLSTMCell() {
	cell := nn.NewLSTMCell(10, 20)
	defer cell.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{6, 3, 10}) // time, batch, features
		h, c := torch.Zeros(torch.Shape{3, 20}), torch.Zeros(torch.Shape{3, 20})
		for step := range 6 {
			h, c = cell.Forward(x.Select(0, int64(step)), h, c)
		}
		fmt.Println(h.Shape(), c.Shape())
	})
	// Output: (3, 20) (3, 20)
}

func ExampleGRUCell() {
	cell := nn.NewGRUCell(10, 20)
	defer cell.Close()
	torch.Scope(func() {
		x, h := torch.Randn(torch.Shape{3, 10}), torch.Zeros(torch.Shape{3, 20})
		fmt.Println(cell.Forward(x, h).Shape())
	})
	// Output: (3, 20)
}

func ExampleRNNCell() {
	cell := nn.NewRNNCell(10, 20, nn.NonlinearityReLU)
	defer cell.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{3, 10})
		h := cell.Forward(x, nil) // nil stands for a state of zeros
		fmt.Println(h.Shape())
	})
	// Output: (3, 20)
}

// Each of 5 positions attends to all 5 positions, with 4 heads.
func ExampleMultiheadAttention() {
	attention := nn.NewMultiheadAttention(16, 4, nn.BatchFirst(true))
	defer attention.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 5, 16})
		out, weights := attention.Forward(x, x, x)
		fmt.Println(out.Shape(), weights.Shape())
	})
	// Output: (2, 5, 16) (2, 5, 5)
}

// The mask hides later positions from each position.
func ExampleMultiheadAttention_causal() {
	attention := nn.NewMultiheadAttention(16, 4, nn.BatchFirst(true))
	defer attention.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 16})
		mask := torch.Ones(torch.Shape{3, 3}, torch.Bool).Triu(1) // true is hidden
		_, weights := attention.Forward(x, x, x, nn.AttnMask(mask))
		fmt.Println(weights.GtScalar(0))
	})
	// Output:
	// tensor([[[ True, False, False],
	//          [ True,  True, False],
	//          [ True,  True,  True]]])
}

// A translator takes the source text and the translation so far.
func ExampleTransformer() {
	model := nn.NewTransformer(nn.DModel(32), nn.NHead(4), nn.NumEncoderLayers(2), nn.NumDecoderLayers(2),
		nn.BatchFirst(true))
	defer model.Close()
	torch.Scope(func() {
		src, tgt := torch.Randn(torch.Shape{8, 10, 32}), torch.Randn(torch.Shape{8, 7, 32})
		fmt.Println(model.Forward(src, tgt).Shape())
	})
	// Output: (8, 7, 32)
}

// An encoder contains copies of a layer; it does not use the layer itself.
func ExampleTransformerEncoder() {
	layer := nn.NewTransformerEncoderLayer(32, 4, nn.BatchFirst(true))
	defer layer.Close()
	encoder := nn.NewTransformerEncoder(layer, 3)
	defer encoder.Close()
	torch.Scope(func() {
		fmt.Println(encoder.Forward(torch.Randn(torch.Shape{8, 10, 32})).Shape())
	})
	// Output: (8, 10, 32)
}

func ExampleTransformerEncoderLayer() {
	layer := nn.NewTransformerEncoderLayer(32, 4, nn.BatchFirst(true), nn.NormFirst(true), nn.ActivationGELU)
	defer layer.Close()
	torch.Scope(func() {
		fmt.Println(layer.Forward(torch.Randn(torch.Shape{8, 10, 32})).Shape())
	})
	// Output: (8, 10, 32)
}

func ExampleTransformerDecoder() {
	layer := nn.NewTransformerDecoderLayer(32, 4, nn.BatchFirst(true))
	defer layer.Close()
	decoder := nn.NewTransformerDecoder(layer, 3)
	defer decoder.Close()
	torch.Scope(func() {
		memory := torch.Randn(torch.Shape{8, 10, 32}) // the output of an encoder
		fmt.Println(decoder.Forward(torch.Randn(torch.Shape{8, 7, 32}), memory).Shape())
	})
	// Output: (8, 7, 32)
}

// With this mask, no position of the target attends to later positions.
func ExampleTransformerDecoderLayer() {
	layer := nn.NewTransformerDecoderLayer(32, 4, nn.BatchFirst(true))
	defer layer.Close()
	torch.Scope(func() {
		memory, tgt := torch.Randn(torch.Shape{8, 10, 32}), torch.Randn(torch.Shape{8, 7, 32})
		mask := nn.GenerateSquareSubsequentMask(7)
		fmt.Println(layer.Forward(tgt, memory, nn.TgtMask(mask), nn.TgtIsCausal(true)).Shape())
	})
	// Output: (8, 7, 32)
}
