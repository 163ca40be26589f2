// Command running_total pretrains an autoencoder and logs the mean loss since the start.
//
// Leaky: Add adds each loss, with its graph, to a tensor. So the total's graph holds the
// nodes of all previous steps. Backward frees only the tensors that the nodes saved, not
// the nodes.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type autoencoder struct {
	nn.Base
	encode, decode *nn.Linear
}

func newAutoencoder(in, code int64) *autoencoder {
	a := &autoencoder{encode: nn.NewLinear(in, code), decode: nn.NewLinear(code, in)}
	a.Init(a)
	return a
}

func (a *autoencoder) Forward(x *torch.Tensor) *torch.Tensor {
	return a.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return a.decode.Forward(F.ReLU(a.encode.Forward(x)))
	})
}

func pretrain(a *autoencoder, steps int, out *log.Logger) {
	opt := optim.NewAdamW(a.Parameters(), optim.LR(3e-3))
	defer opt.Close()
	total := torch.Zeros(torch.Shape{})
	for step := 1; step <= steps; step++ {
		torch.Scope(func() {
			x := torch.Randn(torch.Shape{16, 20})
			loss := F.MSELoss(a.Forward(x), x)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()

			sum := torch.Disown(total.Add(loss)) // want leak
			_ = total.Close()
			total = sum
			if step%100 == 0 {
				out.Printf("step %d: mean loss %.4f", step, total.Item()/float64(step))
			}
		})
	}
	_ = total.Close()
}

func main() {
	torch.ManualSeed(5)
	out := log.New(os.Stdout, "", 0)
	a := newAutoencoder(20, 6)
	defer a.Close()
	pretrain(a, 300, out)
	fmt.Println(a)
}
