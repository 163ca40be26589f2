// Truncated backpropagation through time: the state is detached between two chunks.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	const vocab, hidden, chunk = 128, 64, 32
	embed := nn.NewEmbedding(vocab, hidden)
	lstm := nn.NewLSTM(hidden, hidden, nn.BatchFirst(true))
	head := nn.NewLinear(hidden, vocab)
	params := append(append(embed.Parameters(), lstm.Parameters()...), head.Parameters()...)
	opt := optim.NewAdam(params, optim.LR(3e-4))
	defer opt.Close()
	text := torch.RandInt(0, vocab, torch.Shape{8, 100*chunk + 1})
	var h, c *torch.Tensor
	for i := int64(0); i < 100; i++ {
		x := text.Narrow(1, i*chunk, chunk)
		y := text.Narrow(1, i*chunk+1, chunk)
		out, hn, cn := lstm.Forward(embed.Forward(x), h, c)
		loss := F.CrossEntropy(head.Forward(out).Reshape(-1, vocab), y.Reshape(-1))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		h, c = hn.Detach(), cn.Detach()
	}
	fmt.Println(h.Norm().Item(), c.Norm().Item())
}
