package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Zeros around the input. The numbers are for left and right.
func ExampleZeroPad1d() {
	pad := nn.NewZeroPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[0., 1., 2., 3., 0., 0.]]])
}

// Zeros on all four sides of an image.
func ExampleZeroPad2d() {
	pad := nn.NewZeroPad2d(1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(pad.Forward(x))
	})
	// Output:
	// tensor([[[[0., 0., 0., 0.],
	//           [0., 1., 2., 0.],
	//           [0., 3., 4., 0.],
	//           [0., 0., 0., 0.]]]])
}

// One layer of zeros on each of the six sides of a volume.
func ExampleZeroPad3d() {
	pad := nn.NewZeroPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// A constant around the input. The numbers are for left and right.
func ExampleConstantPad1d() {
	pad := nn.NewConstantPad1d([]int{1, 2}, 7)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[7., 1., 2., 3., 7., 7.]]])
}

// A constant on all four sides of an image.
func ExampleConstantPad2d() {
	pad := nn.NewConstantPad2d(1, 7)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(pad.Forward(x))
	})
	// Output:
	// tensor([[[[7., 7., 7., 7.],
	//           [7., 1., 2., 7.],
	//           [7., 3., 4., 7.],
	//           [7., 7., 7., 7.]]]])
}

// One layer of a constant on each of the six sides of a volume.
func ExampleConstantPad3d() {
	pad := nn.NewConstantPad3d(1, 7)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// The input is mirrored at its edges, which are not repeated. The numbers are for left and right.
func ExampleReflectionPad1d() {
	pad := nn.NewReflectionPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[2., 1., 2., 3., 2., 1.]]])
}

// An image is mirrored at all four sides.
func ExampleReflectionPad2d() {
	pad := nn.NewReflectionPad2d(1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(pad.Forward(x))
	})
	// Output:
	// tensor([[[[4., 3., 4., 3.],
	//           [2., 1., 2., 1.],
	//           [4., 3., 4., 3.],
	//           [2., 1., 2., 1.]]]])
}

// A volume grows by one mirrored layer on each of its six sides.
func ExampleReflectionPad3d() {
	pad := nn.NewReflectionPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// The edges are repeated. The numbers are for left and right.
func ExampleReplicationPad1d() {
	pad := nn.NewReplicationPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[1., 1., 2., 3., 3., 3.]]])
}

// The edges are repeated on all four sides of an image.
func ExampleReplicationPad2d() {
	pad := nn.NewReplicationPad2d(1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(pad.Forward(x))
	})
	// Output:
	// tensor([[[[1., 1., 2., 2.],
	//           [1., 1., 2., 2.],
	//           [3., 3., 4., 4.],
	//           [3., 3., 4., 4.]]]])
}

// The outer layer is repeated on each of the six sides of a volume.
func ExampleReplicationPad3d() {
	pad := nn.NewReplicationPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// The input wraps around. The numbers are for left and right.
func ExampleCircularPad1d() {
	pad := nn.NewCircularPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[3., 1., 2., 3., 1., 2.]]])
}

// An image wraps around at all four sides.
func ExampleCircularPad2d() {
	pad := nn.NewCircularPad2d(1)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(pad.Forward(x))
	})
	// Output:
	// tensor([[[[4., 3., 4., 3.],
	//           [2., 1., 2., 1.],
	//           [4., 3., 4., 3.],
	//           [2., 1., 2., 1.]]]])
}

// A volume wraps around at each of its six sides.
func ExampleCircularPad3d() {
	pad := nn.NewCircularPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}
