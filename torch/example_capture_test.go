package torch_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A step is captured once and then replayed in one call. The loss falls just as it does
// without a graph.
func ExampleCapture() {
	x := torch.FromSliceWith([]float32{1, 2, 3, 4}, torch.Shape{4, 1})
	y := x.MulScalar(3)
	w := torch.Zeros(torch.Shape{1, 1}).RequiresGrad_()
	g := torch.Capture(func() []*torch.Tensor {
		w.SetGrad(nil)
		loss := x.MatMul(w).Sub(y).Square().Mean()
		loss.Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
		return []*torch.Tensor{loss}
	}, torch.Inputs{x, y})
	defer g.Close()
	for range 10 {
		g.Replay()
	}
	fmt.Printf("w %.2f\n", w.Item())

	// Another batch uses the same memory.
	bx := torch.FromSliceWith([]float32{5, 6, 7, 8}, torch.Shape{4, 1})
	g.Feed(bx, bx.MulScalar(3))
	loss := g.Replay()[0]
	fmt.Println(loss == g.Results()[0])
	// Output:
	// w 2.64
	// true
}
