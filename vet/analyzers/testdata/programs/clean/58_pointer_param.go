// A function appends through a pointer to a list that its caller creates for each group
// of requests.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func predict(model *nn.Linear, x *torch.Tensor, out *[]*torch.Tensor) {
	*out = append(*out, model.Forward(x).Sigmoid())
}

func serve(model *nn.Linear, groups <-chan [][]float32) {
	for group := range groups {
		torch.Scope(func() {
			var answers []*torch.Tensor
			for _, r := range group {
				predict(model, torch.FromSlice(r, int64(len(r))), &answers)
			}
			fmt.Println(torch.Cat(answers, 0).Float32s())
		})
	}
}

func main() {
	model := nn.NewLinear(16, 1)
	defer model.Close()
	groups := make(chan [][]float32)
	go func() {
		for {
			groups <- [][]float32{make([]float32, 16), make([]float32, 16)}
		}
	}()
	serve(model, groups)
}
