// A generic meter keeps all values that are passed to it. Here the values are tensors.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type meter[T any] struct {
	name string
	vals []T
}

func (m *meter[T]) add(v T) {
	m.vals = append(m.vals, v) // want leak
}

func (m *meter[T]) last() T { return m.vals[len(m.vals)-1] }

func main() {
	net := nn.NewLinear(6, 6)
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters())
	defer opt.Close()
	losses := &meter[*torch.Tensor]{name: "loss"}
	for i := range 1000000 {
		x := torch.Rand(torch.Shape{16, 6})
		loss := F.MSELoss(net.Forward(x), x.Square())
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		losses.add(loss) // want leak
		if i%1000 == 0 {
			fmt.Println(losses.name, losses.last().Item())
		}
	}
}
