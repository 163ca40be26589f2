// Each prompt starts with an empty cache of keys and values, and has a maximum length.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	const dim, limit = 64, 128
	wq, wk, wv := nn.NewLinear(dim, dim), nn.NewLinear(dim, dim), nn.NewLinear(dim, dim)
	in := bufio.NewScanner(os.Stdin)
	torch.NoGrad(func() {
		for in.Scan() {
			keys, values := torch.Zeros(torch.Shape{1, 0, dim}), torch.Zeros(torch.Shape{1, 0, dim})
			x := torch.Randn(torch.Shape{1, 1, dim})
			for range limit {
				keys = torch.Cat([]*torch.Tensor{keys, wk.Forward(x)}, 1)
				values = torch.Cat([]*torch.Tensor{values, wv.Forward(x)}, 1)
				x = F.ScaledDotProductAttention(wq.Forward(x), keys, values)
			}
			fmt.Println(x.Norm().Item())
		}
	})
}
