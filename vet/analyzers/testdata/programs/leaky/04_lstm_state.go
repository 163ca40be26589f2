// The perplexity of a long text: the state of the LSTM is carried from chunk to chunk
// with its graph.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	const vocab, hidden, chunk = 128, 64, 32
	embed := nn.NewEmbedding(vocab, hidden)
	lstm := nn.NewLSTM(hidden, hidden, nn.BatchFirst(true))
	head := nn.NewLinear(hidden, vocab)
	defer embed.Close()
	defer lstm.Close()
	defer head.Close()
	text := torch.RandInt(0, vocab, torch.Shape{8, 100000*chunk + 1})
	var h, c *torch.Tensor
	sum := 0.0
	for i := int64(0); i < 100000; i++ {
		x := text.Narrow(1, i*chunk, chunk)
		y := text.Narrow(1, i*chunk+1, chunk)
		var out *torch.Tensor
		out, h, c = lstm.Forward(embed.Forward(x), h, c) // want leak
		logits := head.Forward(out).Reshape(-1, vocab)
		sum += F.CrossEntropy(logits, y.Reshape(-1)).Item()
	}
	fmt.Println("perplexity", math.Exp(sum/100000))
}
