// A chat keeps the keys and values of the whole conversation and never removes any.
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
	const dim = 64
	wq, wk, wv := nn.NewLinear(dim, dim), nn.NewLinear(dim, dim), nn.NewLinear(dim, dim)
	keys := torch.Zeros(torch.Shape{1, 0, dim})
	values := torch.Zeros(torch.Shape{1, 0, dim})
	in := bufio.NewScanner(os.Stdin)
	torch.NoGrad(func() {
		for in.Scan() {
			n := int64(len(in.Text()) + 1)
			x := torch.Randn(torch.Shape{1, n, dim})
			keys = torch.Cat([]*torch.Tensor{keys, wk.Forward(x)}, 1)     // want leak
			values = torch.Cat([]*torch.Tensor{values, wv.Forward(x)}, 1) // want leak
			y := F.ScaledDotProductAttention(wq.Forward(x), keys, values)
			fmt.Println(y.Norm().Item())
		}
	})
}
