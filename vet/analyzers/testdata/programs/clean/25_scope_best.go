// The best output of a search is moved out of its scope.
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
			out := model.Forward(torch.Randn(torch.Shape{1, 10})).Detach()
			if s := out.Max().Item(); s > score {
				score = s
				_ = best.Close()
				best = torch.Keep(out)
			}
		})
	}
	fmt.Println(score, best.ArgMax().ItemInt())
}
