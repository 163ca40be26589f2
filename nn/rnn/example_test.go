package rnn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/rnn"
	"github.com/gotorch/gotorch/torch"
)

// Runs a GRU on sequences of several lengths without computing the padding.
func Example() {
	net := nn.NewGRU(2, 3, nn.BatchFirst(true))
	defer net.Close()
	torch.Scope(func() {
		sequences := []*torch.Tensor{torch.Ones(torch.Shape{4, 2}), torch.Ones(torch.Shape{2, 2})}
		batch := rnn.PadSequence(sequences, rnn.BatchFirst(true))
		packed := rnn.PackPaddedSequence(batch, []int64{4, 2}, rnn.BatchFirst(true))
		fmt.Println(packed.BatchSizes.Int64s())
		out, _ := net.ForwardPacked(packed, nil)
		padded, lengths := rnn.PadPackedSequence(out, rnn.BatchFirst(true))
		fmt.Println(padded.Shape(), lengths.Int64s())
	})
	// Output:
	// [2 2 1 1]
	// (2, 4, 3) [4 2]
}
