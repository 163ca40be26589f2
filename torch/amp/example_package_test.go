package amp_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// In a training step in mixed precision, matrix products run in bfloat16, and parameters stay in
// float32.
func Example() {
	model := nn.NewLinear(4, 2)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	torch.Scope(func() {
		x, target := torch.Ones(torch.Shape{8, 4}), torch.Zeros(torch.Shape{8, 2})
		var loss *torch.Tensor
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			loss = F.MSELoss(model.Forward(x), target)
		})
		opt.ZeroGrad()
		loss.Backward() // outside of Autocast
		opt.Step()
		fmt.Println(loss.DType(), model.Weight.DType(), model.Weight.Grad().DType())
	})
	// Output: float32 float32 float32
}

// A function with a custom backward pass can run in float32 even under autocast.
func ExampleCustomFwd() {
	square := torch.Function{
		Name: "Square",
		Forward: amp.CustomFwd(torch.CPU, func(ctx *torch.Context, in ...*torch.Tensor) []*torch.Tensor {
			ctx.Save(in[0])
			return []*torch.Tensor{in[0].Mul(in[0])}
		}, amp.CastInputs(torch.Float32)),
		Backward: amp.CustomBwd(torch.CPU, func(ctx *torch.Context, grad ...*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{grad[0].Mul(ctx.Saved()[0]).MulScalar(2)}
		}),
	}
	torch.Scope(func() {
		x := torch.Full(torch.Shape{2}, 3, torch.BFloat16, torch.RequiresGrad(true))
		var y *torch.Tensor
		amp.Autocast(torch.CPU, torch.BFloat16, func() { y = square.Apply(x)[0] })
		y.Sum().Backward()
		fmt.Println(y.DType(), y.Float32s(), x.Grad().DType())
	})
	// Output: float32 [9 9] bfloat16
}
