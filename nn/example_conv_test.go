package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The layer applies four filters to a signal of one channel. The padding keeps the
// length.
func ExampleConv1d() {
	conv := nn.NewConv1d(1, 4, 3, nn.Padding(1))
	defer conv.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 1, 100})
		fmt.Println(conv.Forward(x).Shape())
	})
	// Output: (8, 4, 100)
}

// A stride of 2 halves the height and width.
func ExampleConv2d() {
	conv := nn.NewConv2d(3, 16, 3, nn.Stride(2), nn.Padding(1))
	defer conv.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 3, 32, 32})
		fmt.Println(conv.Forward(x).Shape())
	})
	fmt.Println(conv)
	// Output:
	// (8, 16, 16, 16)
	// Conv2d(3, 16, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1))
}

// Assign your own kernel to the weight. This one computes the difference between each
// pixel and its right neighbor.
func ExampleConv2d_kernel() {
	conv := nn.NewConv2d(1, 1, []int{1, 2}, nn.Bias(false))
	defer conv.Close()
	torch.NoGrad(func() {
		torch.Scope(func() {
			conv.Weight.Copy_(torch.FromSlice([]float32{-1, 1}, 1, 1, 1, 2))
			x := torch.FromSlice([]float32{1, 4, 9, 16}, 1, 1, 1, 4)
			fmt.Println(conv.Forward(x).Float32s())
		})
	})
	// Output: [3 5 7]
}

// The input is a video, with the dimensions batch, channels, time, height and width.
func ExampleConv3d() {
	conv := nn.NewConv3d(3, 8, []int{3, 5, 5}, nn.Paddings{1, 2, 2})
	defer conv.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 3, 4, 16, 16})
		fmt.Println(conv.Forward(x).Shape())
	})
	// Output: (1, 8, 4, 16, 16)
}

// The signal becomes twice as long.
func ExampleConvTranspose1d() {
	up := nn.NewConvTranspose1d(4, 2, 4, nn.Stride(2), nn.Padding(1))
	defer up.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 4, 50})
		fmt.Println(up.Forward(x).Shape())
	})
	// Output: (8, 2, 100)
}

// In an image decoder, this layer restores the size that a Conv2d of stride 2 halved.
func ExampleConvTranspose2d() {
	up := nn.NewConvTranspose2d(16, 3, 4, nn.Stride(2), nn.Padding(1))
	defer up.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 16, 16, 16})
		fmt.Println(up.Forward(x).Shape())
	})
	// Output: (8, 3, 32, 32)
}

func ExampleConvTranspose3d() {
	up := nn.NewConvTranspose3d(8, 3, 2, nn.Stride(2))
	defer up.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, 8, 2, 4, 4})
		fmt.Println(up.Forward(x).Shape())
	})
	// Output: (1, 3, 4, 8, 8)
}

// Each column of the result is a patch of 2 x 2 pixels.
func ExampleUnfold() {
	unfold := nn.NewUnfold(2, nn.Stride(2))
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1, torch.Float32).Reshape(1, 1, 4, 4)
		fmt.Println(unfold.Forward(x))
	})
	// Output:
	// tensor([[[ 0.,  2.,  8., 10.],
	//          [ 1.,  3.,  9., 11.],
	//          [ 4.,  6., 12., 14.],
	//          [ 5.,  7., 13., 15.]]])
}

// Fold puts patches together and adds them where they overlap.
func ExampleFold() {
	fold := nn.NewFold([]int{2, 3}, 2)
	torch.Scope(func() {
		patches := torch.Ones(torch.Shape{1, 4, 2})
		fmt.Println(fold.Forward(patches))
	})
	// Output:
	// tensor([[[[1., 2., 1.],
	//           [1., 2., 1.]]]])
}

// Four channels become one channel of twice the height and width.
func ExamplePixelShuffle() {
	shuffle := nn.NewPixelShuffle(2)
	torch.Scope(func() {
		x := torch.Arange(0, 4, 1).Reshape(1, 4, 1, 1)
		fmt.Println(shuffle.Forward(x))
	})
	// Output:
	// tensor([[[[0, 1],
	//           [2, 3]]]])
}

// One channel becomes four channels of half the height and width.
func ExamplePixelUnshuffle() {
	unshuffle := nn.NewPixelUnshuffle(2)
	torch.Scope(func() {
		x := torch.Arange(0, 16, 1).Reshape(1, 1, 4, 4)
		fmt.Println(unshuffle.Forward(x).Shape())
	})
	// Output: (1, 4, 2, 2)
}

// The channels of two groups are interleaved.
func ExampleChannelShuffle() {
	shuffle := nn.NewChannelShuffle(2)
	torch.Scope(func() {
		x := torch.Arange(0, 4, 1, torch.Float32).Reshape(1, 4, 1, 1)
		fmt.Println(shuffle.Forward(x).Float32s())
	})
	// Output: [0 2 1 3]
}

// The height and width of an image are doubled.
func ExampleUpsample() {
	up := nn.NewUpsample(nn.ScaleFactor(2), nn.ModeBilinear)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(up.Forward(x))
	})
	// Output:
	// tensor([[[[1.0000, 1.2500, 1.7500, 2.0000],
	//           [1.5000, 1.7500, 2.2500, 2.5000],
	//           [2.5000, 2.7500, 3.2500, 3.5000],
	//           [3.0000, 3.2500, 3.7500, 4.0000]]]])
}

func ExampleUpsamplingNearest2d() {
	up := nn.NewUpsamplingNearest2d(nn.ScaleFactor(2))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2}, 1, 1, 1, 2)
		fmt.Println(up.Forward(x))
	})
	// Output:
	// tensor([[[[1., 1., 2., 2.],
	//           [1., 1., 2., 2.]]]])
}

// The corners keep their values.
func ExampleUpsamplingBilinear2d() {
	up := nn.NewUpsamplingBilinear2d(nn.Size(3))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3, 4}, 1, 1, 2, 2)
		fmt.Println(up.Forward(x))
	})
	// Output:
	// tensor([[[[1.0000, 1.5000, 2.0000],
	//           [2.0000, 2.5000, 3.0000],
	//           [3.0000, 3.5000, 4.0000]]]])
}
