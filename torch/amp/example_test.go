package amp_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
)

// The matrix product runs in bfloat16, the loss in float32.
func ExampleAutocast() {
	torch.Scope(func() {
		layer := nn.NewLinear(4, 2)
		defer layer.Close()
		x := torch.Ones(torch.Shape{3, 4})
		amp.Autocast(torch.CPU, torch.BFloat16, func() {
			y := layer.Forward(x)
			loss := F.MSELoss(y, torch.Zeros(torch.Shape{3, 2}))
			fmt.Println(y.DType(), loss.DType())
		})
		fmt.Println(layer.Forward(x).DType())
	})
	// Output:
	// bfloat16 float32
	// float32
}

// The example trains in float16. If a gradient is infinite, the step is skipped and the scale is
// halved.
func ExampleGradScaler() {
	layer := nn.NewLinear(4, 2)
	defer layer.Close()
	opt := optim.NewSGD(layer.Parameters(), optim.LR(0.1))
	defer opt.Close()
	scaler := amp.NewGradScaler(amp.Device(torch.CPU))
	defer scaler.Close()
	step := func(x float64) {
		torch.Scope(func() {
			var loss *torch.Tensor
			amp.Autocast(torch.CPU, torch.Float16, func() {
				y := layer.Forward(torch.Full(torch.Shape{3, 4}, x))
				loss = F.MSELoss(y, torch.Zeros(torch.Shape{3, 2}))
			})
			opt.ZeroGrad()
			scaler.Scale(loss).Backward()
			scaler.Step(opt)
			scaler.Update()
		})
	}
	step(0.01)
	fmt.Println(scaler.GetScale())
	step(10000) // times 65536, this exceeds the range of float16
	fmt.Println(scaler.GetScale())
	// Output:
	// 65536
	// 32768
}
