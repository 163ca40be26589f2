package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// This ZeroPad1d adds one zero on the left and two on the right.
func ExampleZeroPad1d() {
	pad := nn.NewZeroPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[0., 1., 2., 3., 0., 0.]]])
}

// ZeroPad2d adds zeros on all four sides of an image.
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

// ZeroPad3d adds one layer of zeros on each of the six sides of a volume.
func ExampleZeroPad3d() {
	pad := nn.NewZeroPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// This ConstantPad1d adds a constant once on the left and twice on the right.
func ExampleConstantPad1d() {
	pad := nn.NewConstantPad1d([]int{1, 2}, 7)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[7., 1., 2., 3., 7., 7.]]])
}

// ConstantPad2d adds a constant on all four sides of an image.
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

// ConstantPad3d adds one layer of a constant on each of the six sides of a volume.
func ExampleConstantPad3d() {
	pad := nn.NewConstantPad3d(1, 7)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}

// ReflectionPad1d mirrors the input at its first and last element, which are not
// repeated. This one adds one element on the left and two on the right.
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

// This ReplicationPad1d repeats the first element once and the last element twice.
func ExampleReplicationPad1d() {
	pad := nn.NewReplicationPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[1., 1., 2., 3., 3., 3.]]])
}

// ReplicationPad2d repeats the pixels at the edges on all four sides of an image.
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

// CircularPad1d continues each end of the input with the elements at the other end.
// This one adds one element on the left and two on the right.
func ExampleCircularPad1d() {
	pad := nn.NewCircularPad1d([]int{1, 2})
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 1, 3)
		fmt.Println(pad.Forward(x))
	})
	// Output: tensor([[[3., 1., 2., 3., 1., 2.]]])
}

// CircularPad2d continues an image, on each of its four sides, with the pixels at the
// opposite side.
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

// CircularPad3d continues a volume, on each of its six sides, with the elements at the
// opposite side.
func ExampleCircularPad3d() {
	pad := nn.NewCircularPad3d(1)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1, 2, 4, 4})
		fmt.Println(pad.Forward(x).Shape())
	})
	// Output: (1, 1, 4, 6, 6)
}
