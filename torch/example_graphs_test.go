package torch_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The batches have two sizes, and after three steps each size has its own graph. The same
// loop without graphs computes the same numbers.
func ExampleCaptureByShape() {
	w := torch.Zeros(torch.Shape{1, 1}).RequiresGrad_()
	step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
		w.SetGrad(nil)
		loss := in[0].MatMul(w).Sub(in[1]).Square().Mean()
		loss.Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.05)) })
		return []*torch.Tensor{loss}
	})
	defer step.Close()
	for i := range 20 {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{int64(4 - i%2), 1})
			loss := step.Call(x, x.MulScalar(3))[0]
			if i == 0 {
				fmt.Println("first loss", loss.Item())
			}
		})
	}
	fmt.Printf("w %.3f, %d graphs\n", w.Item(), step.Len())
	// Output:
	// first loss 9
	// w 2.635, 2 graphs
}

// A step that cannot be captured runs without a graph. Refused returns the reason.
func ExampleGraphs_Refused() {
	step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
		in[0].RequiresGrad() // reading a property does not prevent a capture
		return []*torch.Tensor{in[0].Exp()}
	})
	defer step.Close()
	x := torch.Ones(torch.Shape{2}).RequiresGrad_()
	for range 3 {
		step.Call(x)
	}
	fmt.Println(step.Len(), step.Refused())
	// Output: 0 [input 0 requires a gradient, but a graph would not set its gradient]
}
