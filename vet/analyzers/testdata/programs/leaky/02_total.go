// A regression adds up its losses as tensors, so the sum holds every graph.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{16, 1}).RequiresGrad_()
	b := torch.Zeros(torch.Shape{1}).RequiresGrad_()
	const lr = 1e-3
	total := torch.Zeros(torch.Shape{})
	for i := range 100000 {
		x := torch.Randn(torch.Shape{32, 16})
		y := x.Sum(torch.Dim(1), torch.KeepDim(true))
		diff := x.MatMul(w).Add(b).Sub(y)
		loss := diff.Square().Mean()
		loss.Backward()
		torch.NoGrad(func() {
			w.Sub_(w.Grad().MulScalar(lr))
			b.Sub_(b.Grad().MulScalar(lr))
		})
		torch.ZeroGrad(w, b)
		total = total.Add(loss) // want leak
		if i%1000 == 999 {
			fmt.Printf("%d: mean loss %.4f\n", i+1, total.Item()/float64(i+1))
		}
	}
}
