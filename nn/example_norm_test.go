package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// In training each feature gets mean 0 and variance 1 over the batch. After Eval the
// running statistics are used.
func ExampleBatchNorm1d() {
	norm := nn.NewBatchNorm1d(2)
	defer norm.Close()
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 10}, {3, 30}})
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
		fmt.Printf("%.2f\n", norm.RunningMean.Float32s())
		norm.Eval()
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
	})
	// Output:
	// [-1.00 -1.00 1.00 1.00]
	// [0.20 2.00]
	// [0.76 1.75 2.67 6.12]
}

// BatchNorm2d uses one mean and one variance for each channel, over all images and
// pixels.
func ExampleBatchNorm2d() {
	norm := nn.NewBatchNorm2d(3)
	defer norm.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 3, 16, 16})
		y := norm.Forward(x.MulScalar(5).AddScalar(2))
		fmt.Println(y.Shape())
		fmt.Printf("%.1f\n", y.Std(torch.Dims{0, 2, 3}).Float32s())
	})
	// Output:
	// (8, 3, 16, 16)
	// [1.0 1.0 1.0]
}

func ExampleBatchNorm3d() {
	norm := nn.NewBatchNorm3d(3)
	defer norm.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 3, 4, 8, 8})
		fmt.Println(norm.Forward(x).Shape())
	})
	// Output: (2, 3, 4, 8, 8)
}

// Each example gets mean 0 and variance 1 over its own features.
func ExampleLayerNorm() {
	norm := nn.NewLayerNorm(torch.Shape{4})
	defer norm.Close()
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 2, 3, 4}, {10, 20, 30, 40}})
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
	})
	// Output: [-1.34 -0.45 0.45 1.34 -1.34 -0.45 0.45 1.34]
}

// Each example is divided by the root of its mean square.
func ExampleRMSNorm() {
	norm := nn.NewRMSNorm(torch.Shape{2})
	defer norm.Close()
	torch.Scope(func() {
		x := torch.NewTensor([][]float32{{1, 7}})
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
	})
	// Output: [0.20 1.40]
}

// GroupNorm splits six channels into two groups and normalizes each group with its own
// mean and variance.
func ExampleGroupNorm() {
	norm := nn.NewGroupNorm(2, 6)
	defer norm.Close()
	torch.Scope(func() {
		x := torch.Arange(0, 6, 1, torch.Float32).Reshape(1, 6)
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
	})
	// Output: [-1.22 0.00 1.22 -1.22 0.00 1.22]
}

func ExampleInstanceNorm1d() {
	norm := nn.NewInstanceNorm1d(2)
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 6, 10, 20, 60}, 1, 2, 3)
		fmt.Printf("%.2f\n", norm.Forward(x).Float32s())
	})
	// Output: [-0.93 -0.46 1.39 -0.93 -0.46 1.39]
}

// InstanceNorm2d normalizes each channel of each image separately. Networks for style
// transfer use it.
func ExampleInstanceNorm2d() {
	norm := nn.NewInstanceNorm2d(3, nn.Affine(true))
	defer norm.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 3, 16, 16})
		fmt.Println(norm.Forward(x).Shape(), norm.Weight.Shape())
	})
	// Output: (8, 3, 16, 16) (3,)
}

func ExampleInstanceNorm3d() {
	norm := nn.NewInstanceNorm3d(3)
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{2, 3, 4, 8, 8})
		fmt.Println(norm.Forward(x).Shape())
	})
	// Output: (2, 3, 4, 8, 8)
}

// Large values in neighboring channels make a channel smaller.
func ExampleLocalResponseNorm() {
	norm := nn.NewLocalResponseNorm(2, nn.Alpha(1))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 3, 1)
		fmt.Printf("%.3f\n", norm.Forward(x).Float32s())
	})
	// Output: [0.738 0.782 0.662]
}

func ExampleCrossMapLRN2d() {
	norm := nn.NewCrossMapLRN2d(3, nn.Alpha(1))
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2, 3}, 1, 3, 1, 1)
		fmt.Printf("%.3f\n", norm.Forward(x).Float32s())
	})
	// Output: [0.479 0.545 0.817]
}

// In training about every other element becomes 0, and the rest is doubled. After Eval
// nothing changes.
func ExampleDropout() {
	drop := nn.NewDropout(0.5)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1000})
		y := drop.Forward(x)
		fmt.Println(y.Unique())
		drop.Eval()
		fmt.Println(drop.Forward(x).Equal(x))
	})
	// Output:
	// tensor([0., 2.])
	// true
}

// Whole channels become 0.
func ExampleDropout1d() {
	drop := nn.NewDropout1d(0.5)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1000, 3})
		fmt.Println(drop.Forward(x).Sum(torch.Dim(2)).Unique())
	})
	// Output: tensor([0., 6.])
}

func ExampleDropout2d() {
	drop := nn.NewDropout2d(0.5)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1000, 2, 2})
		fmt.Println(drop.Forward(x).Sum(torch.Dims{2, 3}).Unique())
	})
	// Output: tensor([0., 8.])
}

func ExampleDropout3d() {
	drop := nn.NewDropout3d(0.5)
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{1, 1000, 2, 2, 2})
		fmt.Println(drop.Forward(x).Sum(torch.Dims{2, 3, 4}).Unique())
	})
	// Output: tensor([ 0., 16.])
}

// AlphaDropout is for networks with SELU. It gives dropped elements a value that
// preserves mean and variance.
func ExampleAlphaDropout() {
	drop := nn.NewAlphaDropout(0.5)
	torch.Scope(func() {
		y := drop.Forward(torch.Zeros(torch.Shape{1000}))
		fmt.Printf("%.3f\n", y.Unique().Float32s())
	})
	// Output: [-0.779 0.779]
}

// FeatureAlphaDropout is an AlphaDropout of whole channels.
func ExampleFeatureAlphaDropout() {
	drop := nn.NewFeatureAlphaDropout(0.5)
	torch.Scope(func() {
		y := drop.Forward(torch.Zeros(torch.Shape{1, 1000, 4}))
		fmt.Printf("%.3f\n", y.Unique().Float32s())
	})
	// Output: [-0.779 0.779]
}
