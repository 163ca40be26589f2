package torch_test

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// In-place operations where they are safe: on data that nothing else uses, and on parameters
// without gradients. The tensor and its memory stay the same.
func Example_inPlace() {
	torch.Scope(func() {
		images := torch.FromSlice([]uint8{0, 51, 102, 255}).To(torch.Float32) // a copy of its own
		at := images.DataPtr()
		images.DivScalar_(255).SubScalar_(0.2).MulScalar_(10)
		fmt.Printf("%.0f %t\n", images.Float32s(), images.DataPtr() == at)

		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		w.Mul(w).Sum().Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad(), torch.Alpha(0.25)) }) // a step of SGD
		fmt.Println(w.Float32s())
	})
	// Output:
	// [-2 0 2 8] true
	// [0.5 0.5]
}

// The common mistakes with gradients are typed errors that say what to do.
func Example_mistakes() {
	say := func(fn func()) {
		torch.Scope(func() {
			var e *torch.Error
			if errors.As(torch.Try(fn), &e) {
				fmt.Println(errors.Is(e, torch.ErrAutograd), e.Remedy)
			}
		})
	}
	say(func() { // in place on a leaf that requires gradients
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		w.AddScalar_(1)
	})
	say(func() { // backward twice
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		loss := w.Mul(w).Sum()
		loss.Backward()
		loss.Backward()
	})
	say(func() { // a tensor that was saved for the backward pass is modified
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		y := w.Exp()
		loss := y.Sum()
		y.MulScalar_(2)
		loss.Backward()
	})
	// Output:
	// true change it within torch.NoGrad, or change a Clone of it
	// true add the losses up and call Backward once, give the first Backward torch.RetainGraph(true), or Detach the tensors that one step passes to the next
	// true use the form without an underscore, or change a Clone; torch.SetDetectAnomaly(true) names the operator
}
