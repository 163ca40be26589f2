package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func ExampleMaxPool1d() {
	pool := nn.NewMaxPool1d(2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 5, 2, 4}, 1, 1, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[5., 4.]]])
}

// MaxPool2d takes the largest element of each square of 2 x 2.
func ExampleMaxPool2d() {
	pool := nn.NewMaxPool2d(2)
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 1, 4, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output:
	// tensor([[[[ 5.,  7.],
	//           [13., 15.]]]])
}

func ExampleMaxPool3d() {
	pool := nn.NewMaxPool3d(2)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 8, 16, 16})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 3, 4, 8, 8)
}

// A moving average.
func ExampleAvgPool1d() {
	pool := nn.NewAvgPool1d(2, nn.Stride(1))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 5, 2, 4}, 1, 1, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[3.0000, 3.5000, 3.0000]]])
}

func ExampleAvgPool2d() {
	pool := nn.NewAvgPool2d(2)
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 1, 4, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output:
	// tensor([[[[ 2.5000,  4.5000],
	//           [10.5000, 12.5000]]]])
}

func ExampleAvgPool3d() {
	pool := nn.NewAvgPool3d(2)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 8, 16, 16})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 3, 4, 8, 8)
}

// AdaptiveAvgPool1d returns three averages, however long the input is.
func ExampleAdaptiveAvgPool1d() {
	pool := nn.NewAdaptiveAvgPool1d(3)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 3, 5, 7, 9, 11}, 1, 1, 6)
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[ 2.,  6., 10.]]])
}

// The head of a network for images of any size starts with such a layer, because its
// result always has the same size.
func ExampleAdaptiveAvgPool2d() {
	pool := nn.NewAdaptiveAvgPool2d(1)
	torch.Scope(func() {
		fmt.Println(pool.Forward(torch.Randn(torch.Shape{1, 64, 7, 7})).Shape())
		fmt.Println(pool.Forward(torch.Randn(torch.Shape{1, 64, 10, 12})).Shape())
	})
	// Output:
	// (1, 64, 1, 1)
	// (1, 64, 1, 1)
}

func ExampleAdaptiveAvgPool3d() {
	pool := nn.NewAdaptiveAvgPool3d([]int{1, 2, 2})
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 8, 4, 9, 9})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 8, 1, 2, 2)
}

func ExampleAdaptiveMaxPool1d() {
	pool := nn.NewAdaptiveMaxPool1d(2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 3, 5, 7, 9, 11}, 1, 1, 6)
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[ 5., 11.]]])
}

func ExampleAdaptiveMaxPool2d() {
	pool := nn.NewAdaptiveMaxPool2d(2)
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 1, 4, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output:
	// tensor([[[[ 5.,  7.],
	//           [13., 15.]]]])
}

func ExampleAdaptiveMaxPool3d() {
	pool := nn.NewAdaptiveMaxPool3d(2)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 8, 4, 9, 9})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 8, 2, 2, 2)
}

// LPPool1d with norm 2 returns the Euclidean norm of each window.
func ExampleLPPool1d() {
	pool := nn.NewLPPool1d(2, 2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{3, 4, 6, 8}, 1, 1, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[ 5., 10.]]])
}

// With norm 1, LPPool2d returns the sum of each window.
func ExampleLPPool2d() {
	pool := nn.NewLPPool2d(1, 2)
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 1, 4, 4)
		fmt.Println(pool.Forward(x))
	})
	// Output:
	// tensor([[[[10., 18.],
	//           [42., 50.]]]])
}

func ExampleLPPool3d() {
	pool := nn.NewLPPool3d(1, 2)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 2, 2})
		fmt.Println(pool.Forward(x))
	})
	// Output: tensor([[[[[8.]]]]])
}

// FractionalMaxPool2d shrinks each side to 0.7 of its size, with windows at random
// positions.
func ExampleFractionalMaxPool2d() {
	pool := nn.NewFractionalMaxPool2d(2, nn.OutputRatio(0.7))
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 20, 20})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 3, 14, 14)
}

func ExampleFractionalMaxPool3d() {
	pool := nn.NewFractionalMaxPool3d(2, nn.OutputSize(3))
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 8, 8, 8})
		fmt.Println(pool.Forward(x).Shape())
	})
	// Output: (1, 3, 3, 3, 3)
}

// MaxUnpool1d puts the maxima back at their positions.
func ExampleMaxUnpool1d() {
	pool, unpool := nn.NewMaxPool1d(2), nn.NewMaxUnpool1d(2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 5, 2, 4}, 1, 1, 4)
		largest, at := pool.ForwardWithIndices(x)
		fmt.Println(unpool.Forward(largest, at))
	})
	// Output: tensor([[[0., 5., 0., 4.]]])
}

func ExampleMaxUnpool2d() {
	pool, unpool := nn.NewMaxPool2d(2), nn.NewMaxUnpool2d(2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 4, 3}, 1, 1, 2, 2)
		largest, at := pool.ForwardWithIndices(x)
		fmt.Println(unpool.Forward(largest, at))
	})
	// Output:
	// tensor([[[[0., 0.],
	//           [4., 0.]]]])
}

func ExampleMaxUnpool3d() {
	pool, unpool := nn.NewMaxPool3d(2), nn.NewMaxUnpool3d(2)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 4, 4, 4})
		largest, at := pool.ForwardWithIndices(x)
		fmt.Println(largest.Shape(), unpool.Forward(largest, at).Shape())
	})
	// Output: (1, 3, 2, 2, 2) (1, 3, 4, 4, 4)
}
