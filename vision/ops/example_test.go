package ops_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/ops"
)

// In training, this residual block is skipped for a quarter of the images.
func Example() {
	block := nn.NewSequential(
		ops.NewConv2dNormActivation(8, 8, ops.ActivationLayer(func(inplace bool) nn.Layer {
			return nn.NewSiLU(nn.Inplace(inplace))
		})),
		ops.NewSqueezeExcitation(8, 2),
		ops.NewStochasticDepth(0.25, ops.ModeRow),
	)
	defer block.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{4, 8, 16, 16})
		fmt.Println(x.Add(block.Forward(x)).Shape())
	})
	// Output: (4, 8, 16, 16)
}

// The convolution is followed by a normalization and an activation.
func ExampleConv2dNormActivation() {
	l := ops.NewConv2dNormActivation(3, 8, ops.Stride(2))
	defer l.Close()
	fmt.Println(l)
	// Output:
	// Conv2dNormActivation(
	//   (0): Conv2d(3, 8, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False)
	//   (1): BatchNorm2d(8, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
	//   (2): ReLU(inplace=True)
	// )
}

// The layer multiplies each channel of an image by a factor.
func ExampleSqueezeExcitation() {
	l := ops.NewSqueezeExcitation(8, 2)
	defer l.Close()
	fmt.Println(l)
	// Output:
	// SqueezeExcitation(
	//   (avgpool): AdaptiveAvgPool2d(output_size=1)
	//   (fc1): Conv2d(8, 2, kernel_size=(1, 1), stride=(1, 1))
	//   (fc2): Conv2d(2, 8, kernel_size=(1, 1), stride=(1, 1))
	//   (activation): ReLU()
	//   (scale_activation): Sigmoid()
	// )
}

// The layer drops some rows and scales up the others.
func ExampleStochasticDepth() {
	torch.ManualSeed(0)
	l := ops.NewStochasticDepth(0.5, ops.ModeRow)
	torch.Scope(func() { fmt.Println(l, l.Forward(torch.Ones(torch.Shape{4, 2}))) })
	// Output: StochasticDepth(p=0.5, mode=row) tensor([[0., 0.],
	//         [0., 0.],
	//         [2., 2.],
	//         [0., 0.]])
}

// Two linear layers.
func ExampleMLP() {
	l := ops.NewMLP(4, []int64{8, 2}, ops.Dropout(0.1))
	defer l.Close()
	fmt.Println(l)
	// Output:
	// MLP(
	//   (0): Linear(in_features=4, out_features=8, bias=True)
	//   (1): ReLU()
	//   (2): Dropout(p=0.1, inplace=False)
	//   (3): Linear(in_features=8, out_features=2, bias=True)
	//   (4): Dropout(p=0.1, inplace=False)
	// )
}

// The layer moves the channels to the end.
func ExamplePermute() {
	l := ops.NewPermute([]int64{0, 2, 3, 1})
	torch.Scope(func() { fmt.Println(l.Forward(torch.Zeros(torch.Shape{1, 3, 4, 5})).Shape()) })
	// Output: (1, 4, 5, 3)
}
