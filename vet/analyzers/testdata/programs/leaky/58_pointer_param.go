// A function appends through a pointer to its caller's list.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func predict(model *nn.Linear, x *torch.Tensor, out *[]*torch.Tensor) {
	p := model.Forward(x).Sigmoid()
	*out = append(*out, p) // want leak
}

func serve(model *nn.Linear, requests <-chan []float32) {
	var answers []*torch.Tensor
	for r := range requests {
		x := torch.FromSlice(r, int64(len(r)))
		predict(model, x, &answers)
		fmt.Println(answers[len(answers)-1].Item())
	}
}

func main() {
	model := nn.NewLinear(16, 1)
	defer model.Close()
	requests := make(chan []float32)
	go func() {
		for {
			requests <- make([]float32, 16)
		}
	}()
	serve(model, requests)
}
