// The best output of a search is freed with its scope, but used after it.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewLinear(10, 10)
	defer model.Close()
	var best *torch.Tensor
	score := -1e9
	for range 500 {
		torch.Scope(func() {
			out := model.Forward(torch.Randn(torch.Shape{1, 10}))
			if s := out.Max().Item(); s > score {
				score = s
				best = out // want leak
			}
		})
	}
	fmt.Println(score, best.ArgMax().ItemInt())
}
