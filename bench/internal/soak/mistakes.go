package soak

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// bad contains invalid calls, which must panic with a *torch.Error and must not leak
// memory.
var bad = []struct {
	name string
	call func(x *torch.Tensor) // x is a float32 tensor of shape (16, 16).
}{
	{"adding sizes that do not broadcast", func(x *torch.Tensor) { x.Add(torch.Ones(torch.Shape{5})) }},
	{"a product of sizes that do not fit", func(x *torch.Tensor) { x.MatMul(torch.Ones(torch.Shape{5, 5})) }},
	{"a view of another size", func(x *torch.Tensor) { x.View(3, 5) }},
	{"joining different sizes", func(x *torch.Tensor) {
		torch.Cat([]*torch.Tensor{x, torch.Ones(torch.Shape{3, 3})})
	}},
	{"a dimension that is not there", func(x *torch.Tensor) { x.Sum(torch.Dim(4)) }},
	{"an index out of range", func(x *torch.Tensor) { x.Index(99) }},
	{"an element type that does not fit", func(x *torch.Tensor) { x.MatMul(x.Double()) }},
	//torchvet:ignore useafterclose the mistake that is made here
	{"a closed tensor", func(x *torch.Tensor) { y := x.Exp(); _ = y.Close(); y.Exp() }},
	{"a nil tensor", func(x *torch.Tensor) { x.Add(nil) }},
	{"a gradient of nothing", func(x *torch.Tensor) { x.Sum().Backward() }},
	{"a second backward pass", func(x *torch.Tensor) {
		y := x.Detach().RequiresGrad_().Exp().Sum()
		y.Backward()
		y.Backward()
	}},
	{"a leaf changed in place", func(x *torch.Tensor) { x.Detach().RequiresGrad_().Add_(x) }},
	{"a layer of another width", func(x *torch.Tensor) {
		l := nn.NewLinear(3, 4)
		defer l.Close()
		l.Forward(x)
	}},
}

// mistakes makes each of the invalid calls, in a scope or outside, and checks that it
// fails.
func mistakes(w *Worker) error {
	for _, b := range bad {
		var err error
		w.maybeInScope(func() {
			x := torch.Rand(torch.Shape{16, 16})
			err = torch.Try(func() { b.call(x) })
		})
		if err == nil {
			return fmt.Errorf("%s caused no error", b.name)
		}
	}
	return nil
}
