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

// Boxes that overlap a better one are dropped.
func ExampleNMS() {
	torch.Scope(func() {
		boxes := torch.FromSlice([]float32{0, 0, 10, 10, 1, 0, 10, 10, 20, 20, 30, 30}, 3, 4)
		scores := torch.FromSlice([]float32{0.6, 0.9, 0.7})
		fmt.Println(ops.NMS(boxes, scores, 0.5))
	})
	// Output: tensor([1, 2])
}

// Two boxes share a third of their area.
func ExampleBoxIoU() {
	torch.Scope(func() {
		a := torch.FromSlice([]float32{0, 0, 2, 2}, 1, 4)
		b := torch.FromSlice([]float32{1, 0, 3, 2}, 1, 4)
		fmt.Println(ops.BoxIoU(a, b))
		fmt.Println(ops.BoxConvert(b, ops.FmtXYXY, ops.FmtCXCYWH))
	})
	// Output:
	// tensor([[0.3333]])
	// tensor([[2., 1., 2., 2.]])
}

// A region of an image is pooled to two by two bins.
func ExampleApplyRoIAlign() {
	torch.Scope(func() {
		image := torch.Arange(16.0).Reshape(1, 1, 4, 4)
		boxes := ops.RoIs([]*torch.Tensor{torch.FromSlice([]float32{0, 0, 2, 2}, 1, 4)})
		fmt.Println(ops.ApplyRoIAlign(image, boxes, 2, ops.SamplingRatio(1)))
	})
	// Output: tensor([[[[2.5000, 3.5000],
	//           [6.5000, 7.5000]]]])
}

// The network adds larger structures to each feature map.
func ExampleFeaturePyramidNetwork() {
	l := ops.NewFeaturePyramidNetwork([]int64{4, 8}, 6, ops.ExtraBlocks(ops.NewLastLevelMaxPool()))
	defer l.Close()
	torch.Scope(func() {
		for _, m := range l.Forward([]nn.NamedTensor{
			{Name: "0", Tensor: torch.Rand(torch.Shape{1, 4, 8, 8})},
			{Name: "1", Tensor: torch.Rand(torch.Shape{1, 8, 4, 4})},
		}) {
			fmt.Println(m.Name, m.Tensor.Shape())
		}
	})
	// Output:
	// 0 (1, 6, 8, 8)
	// 1 (1, 6, 4, 4)
	// pool (1, 6, 2, 2)
}

// The box of each size is pooled from a feature map that suits it.
func ExampleMultiScaleRoIAlign() {
	l := ops.NewMultiScaleRoIAlign([]string{"0", "1"}, 7, 2)
	fmt.Println(l)
	// Output: MultiScaleRoIAlign(featmap_names=['0', '1'], output_size=(7, 7), sampling_ratio=2)
}

// The offsets say where the convolution samples the image.
func ExampleDeformConv2d() {
	l := ops.NewDeformConv2d(4, 6, 3, ops.Padding(1))
	defer l.Close()
	torch.Scope(func() {
		image, offset := torch.Rand(torch.Shape{1, 4, 8, 8}), torch.Zeros(torch.Shape{1, 18, 8, 8})
		fmt.Println(l, l.Forward(image, offset, nil).Shape())
	})
	// Output: DeformConv2d(4, 6, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1)) (1, 6, 8, 8)
}

// The layer replaces a batch normalization whose statistics are not trained.
func ExampleFrozenBatchNorm2d() {
	l := ops.NewFrozenBatchNorm2d(4)
	defer l.Close()
	fmt.Println(l, len(l.Parameters()))
	// Output: FrozenBatchNorm2d(4, eps=1e-05) 0
}

// These layers print as in Python.
func ExampleRoIAlign() {
	fmt.Println(ops.NewRoIAlign(7, 0.25, 2, ops.Aligned(true)))
	fmt.Println(ops.NewRoIPool(7, 0.25))
	fmt.Println(ops.NewPSRoIAlign(7, 0.25, 2))
	fmt.Println(ops.NewPSRoIPool(7, 0.25))
	fmt.Println(ops.NewDropBlock2d(0.1, 7), ops.NewDropBlock3d(0.1, 7))
	// Output:
	// RoIAlign(output_size=7, spatial_scale=0.25, sampling_ratio=2, aligned=True)
	// RoIPool(output_size=7, spatial_scale=0.25)
	// PSRoIAlign(output_size=7, spatial_scale=0.25, sampling_ratio=2)
	// PSRoIPool(output_size=7, spatial_scale=0.25)
	// DropBlock2d(p=0.1, block_size=7, inplace=False) DropBlock3d(p=0.1, block_size=7, inplace=False)
}
