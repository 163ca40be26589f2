package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
	tv "github.com/gotorch/gotorch/vision/transforms"
)

// street returns a sample of a grey image with two boxes.
func street() tv.Sample {
	return tv.Sample{
		Image: torch.Full(torch.Shape{3, 60, 80}, 128, torch.Uint8),
		Boxes: tv.BoundingBoxes{
			Tensor:     torch.FromSlice([]float32{10, 10, 30, 50, 60, 20, 79, 40}, 2, 4),
			Format:     tv.BoundingBoxFormatXYXY,
			CanvasSize: [2]int64{60, 80},
		},
		Mask:      tv.Mask{Tensor: torch.Zeros(torch.Shape{2, 60, 80}, torch.Uint8)},
		KeyPoints: tv.KeyPoints{Tensor: torch.FromSlice([]float32{20, 15}, 1, 2), CanvasSize: [2]int64{60, 80}},
		Labels:    torch.FromSlice([]int64{1, 7}),
	}
}

// show prints a transform, and the boxes of the result.
func show(f tv.Transform) {
	torch.Scope(func() {
		torch.ManualSeed(1)
		y := f.Forward(street())
		fmt.Println(f)
		fmt.Println(y.Image.Shape(), y.Boxes.Tensor.Int().ToList())
	})
}

// Transform images and boxes for the training of a detector.
func Example() {
	train := tv.NewCompose(
		tv.NewImageOnly(images.NewColorJitter(images.Brightness(0.2))),
		tv.NewRandomIoUCrop(),
		tv.NewRandomHorizontalFlip(),
		tv.NewResize([]int{32, 32}),
		tv.NewSanitizeBoundingBoxes(),
		tv.NewImageOnly(images.NewToDType(torch.Float32, images.WithScale(true))),
	)
	torch.ManualSeed(3)
	torch.Scope(func() {
		y := train.Forward(street())
		fmt.Println(y)
	})
	// Output: Image float32 (3, 32, 32), Boxes float32 (1, 4) XYXY, Mask uint8 (1, 32, 32), KeyPoints float32 (1, 2), Labels int64 (1,)
}

func ExampleSample() {
	s := street()
	defer s.Close()
	fmt.Println(s)
	// Output: Image uint8 (3, 60, 80), Boxes float32 (2, 4) XYXY, Mask uint8 (2, 60, 80), KeyPoints float32 (1, 2), Labels int64 (2,)
}

func ExampleRandomHorizontalFlip() {
	show(tv.NewRandomHorizontalFlip(tv.P(1)))
	// Output:
	// RandomHorizontalFlip(p=1.0)
	// (3, 60, 80) [[50 10 70 50] [1 20 20 40]]
}

func ExampleRandomVerticalFlip() {
	show(tv.NewRandomVerticalFlip(tv.P(1)))
	// Output:
	// RandomVerticalFlip(p=1.0)
	// (3, 60, 80) [[10 10 30 50] [60 20 79 40]]
}

func ExampleResize() {
	show(tv.NewResize(30))
	// Output:
	// Resize(size=[30], interpolation=InterpolationMode.BILINEAR, antialias=True)
	// (3, 30, 40) [[5 5 15 25] [30 10 39 20]]
}

func ExampleRandomResize() {
	show(tv.NewRandomResize(30, 60))
	// Output:
	// RandomResize(min_size=30, max_size=60, interpolation=InterpolationMode.BILINEAR, antialias=True)
	// (3, 55, 73) [[9 9 27 45] [54 18 72 36]]
}

func ExampleRandomShortestSize() {
	show(tv.NewRandomShortestSize([]int{30, 60, 90}, tv.MaxSize(100)))
	// Output:
	// RandomShortestSize(min_size=[30, 60, 90], max_size=100, interpolation=InterpolationMode.BILINEAR, antialias=True)
	// (3, 60, 80) [[10 10 30 50] [60 20 79 40]]
}

func ExampleScaleJitter() {
	show(tv.NewScaleJitter([]int{80, 60}, tv.ScaleRange(0.5, 1.5)))
	// Output:
	// ScaleJitter(target_size=(80, 60), scale_range=(0.5, 1.5), interpolation=InterpolationMode.BILINEAR, antialias=True)
	// (3, 75, 100) [[12 12 37 62] [75 25 98 50]]
}

func ExampleCenterCrop() {
	show(tv.NewCenterCrop(40))
	// Output:
	// CenterCrop(size=(40, 40))
	// (3, 40, 40) [[0 0 10 40] [40 10 40 30]]
}

func ExampleRandomCrop() {
	show(tv.NewRandomCrop(40))
	// Output:
	// RandomCrop(size=(40, 40), pad_if_needed=False, fill=0, padding_mode=constant)
	// (3, 40, 40) [[0 3 4 40] [34 13 40 33]]
}

func ExampleRandomResizedCrop() {
	show(tv.NewRandomResizedCrop(40))
	// Output:
	// RandomResizedCrop(size=(40, 40), scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), interpolation=InterpolationMode.BILINEAR, antialias=True)
	// (3, 40, 40) [[0 2 13 40] [37 12 40 30]]
}

// The box whose center is outside of the crop becomes zeros.
func ExampleRandomIoUCrop() {
	show(tv.NewRandomIoUCrop(tv.SamplerOptions{0.3}))
	// Output:
	// RandomIoUCrop(min_scale=0.3, max_scale=1.0, min_aspect_ratio=0.5, max_aspect_ratio=2.0, options=[0.3], trials=40)
	// (3, 35, 35) [[0 2 18 35] [0 0 0 0]]
}

func ExampleRandomZoomOut() {
	show(tv.NewRandomZoomOut(tv.SideRange(2, 3), tv.P(1)))
	// Output:
	// RandomZoomOut(p=1.0, fill=0, side_range=(2.0, 3.0))
	// (3, 136, 182) [[51 65 71 105] [101 75 120 95]]
}

func ExamplePad() {
	show(tv.NewPad([]int{10, 20}, tv.Fill(255)))
	// Output:
	// Pad(padding=[10, 20], fill=255, padding_mode=constant)
	// (3, 100, 100) [[20 30 40 70] [70 40 89 60]]
}

func ExampleSanitizeBoundingBoxes() {
	show(tv.NewSanitizeBoundingBoxes(tv.MinSize(20)))
	// Output:
	// SanitizeBoundingBoxes(min_size=20.0, min_area=1.0, labels_getter=default)
	// (3, 60, 80) [[10 10 30 50]]
}

func ExampleSanitizeKeyPoints() {
	torch.Scope(func() {
		y := tv.NewCompose(tv.NewCenterCrop(20), tv.NewSanitizeKeyPoints()).Forward(street())
		fmt.Println(y.KeyPoints.Tensor.Shape())
	})
	// Output: (0, 2)
}

func ExampleConvertBoundingBoxFormat() {
	show(tv.NewConvertBoundingBoxFormat(tv.BoundingBoxFormatXYWH))
	// Output:
	// ConvertBoundingBoxFormat(format=XYWH)
	// (3, 60, 80) [[10 10 20 40] [60 20 19 20]]
}

func ExampleClampBoundingBoxes() {
	torch.Scope(func() {
		s := street()
		s.Boxes.Tensor.SubScalar_(15)
		y := tv.NewClampBoundingBoxes().Forward(s)
		fmt.Println(y.Boxes.Tensor.Int().ToList())
	})
	// Output: [[0 0 15 35] [45 5 64 25]]
}

func ExampleClampKeyPoints() {
	torch.Scope(func() {
		y := tv.NewCompose(tv.NewCenterCrop(20), tv.NewClampKeyPoints()).Forward(street())
		fmt.Println(y.KeyPoints.Tensor.Int().ToList())
	})
	// Output: [[0 0]]
}

// Boxes may reach beyond the image.
func ExampleSetClampingMode() {
	torch.Scope(func() {
		y := tv.NewCompose(tv.NewSetClampingMode(tv.ClampingModeNone), tv.NewCenterCrop(20)).Forward(street())
		fmt.Println(y.Boxes.Tensor.Int().ToList())
	})
	// Output: [[-20 -10 0 30] [30 0 49 20]]
}

func ExampleCompose() {
	show(tv.NewCompose(tv.NewCenterCrop(40), tv.NewRandomVerticalFlip(tv.P(1))))
	// Output:
	// Compose(
	//       CenterCrop(size=(40, 40))
	//       RandomVerticalFlip(p=1.0)
	// )
	// (3, 40, 40) [[0 0 10 40] [40 10 40 30]]
}

func ExampleImageOnly() {
	show(tv.NewImageOnly(images.NewGrayscale()))
	// Output:
	// Grayscale(num_output_channels=1)
	// (1, 60, 80) [[10 10 30 50] [60 20 79 40]]
}

func ExampleScale() {
	fmt.Println(tv.NewRandomResizedCrop(8, tv.Scale(0.5, 1), tv.Ratio(1, 1)))
	// Output: RandomResizedCrop(size=(8, 8), scale=(0.5, 1.0), ratio=(1.0, 1.0), interpolation=InterpolationMode.BILINEAR, antialias=True)
}
