package aten_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// The equivalent of Python's torch.mm(a, b, out=c): results go into tensors that exist before the
// loop, and iterations allocate nothing.
func Example_out() {
	torch.Scope(func() {
		a, b := torch.Ones(torch.Shape{2, 3}), torch.Ones(torch.Shape{3, 2})
		product, total := torch.Empty(torch.Shape{2, 2}), torch.Empty(torch.Shape{2, 2})
		total.Zero_()
		at, open := product.DataPtr(), torch.NumLiveTensors()
		for range 3 {
			aten.MmOut(product, a, b)
			aten.AddOut(total, total, product, 2)
		}
		fmt.Println(total.Float32s(), product.DataPtr() == at, torch.NumLiveTensors()-open)
	})
	// Output: [18 18 18 18] true 0
}
