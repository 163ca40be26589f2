// The sum of the losses is detached from their graphs.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{16, 1}).RequiresGrad_()
	b := torch.Zeros(torch.Shape{1}).RequiresGrad_()
	total := torch.Zeros(torch.Shape{})
	for i := range 100000 {
		x := torch.Randn(torch.Shape{32, 16})
		diff := x.MatMul(w).Add(b).Sub(x.Sum(torch.Dim(1), torch.KeepDim(true)))
		loss := diff.Square().Mean()
		loss.Backward()
		torch.NoGrad(func() {
			w.Sub_(w.Grad().MulScalar(1e-3))
			b.Sub_(b.Grad().MulScalar(1e-3))
		})
		torch.ZeroGrad(w, b)
		total = total.Add(loss.Detach())
		if i%1000 == 999 {
			fmt.Printf("%d: mean loss %.4f\n", i+1, total.Item()/float64(i+1))
		}
	}
}
