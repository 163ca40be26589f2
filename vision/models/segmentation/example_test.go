package segmentation_test

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
	"github.com/gotorch/gotorch/vision/models/segmentation"
)

// Find the class of each pixel.
func Example() {
	model := segmentation.NewLRASPPMobileNetV3Large(segmentation.NumClasses(5))
	defer model.Close()
	model.Eval()
	torch.NoGrad(func() {
		torch.Scope(func() {
			y := model.Forward(torch.Randn(torch.Shape{2, 3, 64, 96}))
			fmt.Println(y.Out.Shape(), y.Out.ArgMax(torch.Dim(1)).Shape())
		})
	})
	// Output: (2, 5, 64, 96) (2, 64, 96)
}

// The second classifier has a loss of its own in training.
func ExampleDeepLabV3() {
	torch.ManualSeed(0)
	model := segmentation.NewDeepLabV3MobileNetV3Large(segmentation.NumClasses(2), segmentation.AuxLoss(true))
	defer model.Close()
	torch.Scope(func() {
		images, masks := torch.Randn(torch.Shape{2, 3, 64, 64}), torch.RandIntTo(2, torch.Shape{2, 64, 64})
		y := model.Forward(images)
		loss := F.CrossEntropy(y.Out, masks).Add(F.CrossEntropy(y.Aux, masks).MulScalar(0.5))
		loss.Backward()
		fmt.Println(loss.Shape())
	})
	// Output: ()
}

// summary prints the number of parameters of a model. The model is made on the meta device, so
// that no initial values are drawn.
func summary(name string, opts ...segmentation.Option) {
	torch.WithDevice(torch.Meta, func() {
		model, err := segmentation.GetModel(name, opts...)
		if err != nil {
			panic(err)
		}
		defer model.Close()
		var parameters int64
		for _, p := range model.Parameters() {
			parameters += p.Numel()
		}
		fmt.Println(parameters)
	})
}

func ExampleFCN() {
	summary("fcn_resnet50", segmentation.AuxLoss(true))
	// Output: 35322218
}

func ExampleLRASPP() {
	summary("lraspp_mobilenet_v3_large")
	// Output: 3221538
}

// Get a model by name.
func ExampleGetModel() {
	summary("deeplabv3_resnet101", segmentation.AuxLoss(true))
	_, err := segmentation.GetModel("fcn_resnet18")
	fmt.Println(err)
	// Output:
	// 60996202
	// torch: segmentation.GetModel: argument name: no model "fcn_resnet18"
}

func ExampleFCNHead() {
	head := segmentation.NewFCNHead(8, 3)
	defer head.Close()
	fmt.Println(head)
	// Output:
	// FCNHead(
	//   (0): Conv2d(8, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)
	//   (1): BatchNorm2d(2, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
	//   (2): ReLU()
	//   (3): Dropout(p=0.1, inplace=False)
	//   (4): Conv2d(2, 3, kernel_size=(1, 1), stride=(1, 1))
	// )
}

func ExampleDeepLabHead() {
	head := segmentation.NewDeepLabHead(8, 3, 2, 4)
	defer head.Close()
	torch.Scope(func() { fmt.Println(head.Forward(torch.Randn(torch.Shape{2, 8, 6, 6})).Shape()) })
	// Output: (2, 3, 6, 6)
}

func ExampleASPP() {
	l := segmentation.NewASPP(8, []int64{2, 4})
	defer l.Close()
	fmt.Println(l.Convs.Len())
	fmt.Println(l.Convs.At(2).(*segmentation.ASPPConv).At(0))
	fmt.Println(l.Convs.At(3).(*segmentation.ASPPPooling).At(0))
	// Output:
	// 4
	// Conv2d(8, 256, kernel_size=(3, 3), stride=(1, 1), padding=(4, 4), dilation=(4, 4), bias=False)
	// AdaptiveAvgPool2d(output_size=1)
}

func ExampleLRASPPHead() {
	head := segmentation.NewLRASPPHead(4, 8, 3, 6)
	defer head.Close()
	torch.Scope(func() {
		low, high := torch.Randn(torch.Shape{2, 4, 16, 16}), torch.Randn(torch.Shape{2, 8, 8, 8})
		fmt.Println(head.Forward(low, high).Shape())
	})
	// Output: (2, 3, 16, 16)
}

// Two results of a classification model's layers.
func ExampleIntermediateLayerGetter() {
	features := segmentation.NewIntermediateLayerGetter(models.NewResNet18(), "layer1", "layer3")
	defer features.Close()
	torch.Scope(func() {
		for _, y := range features.Forward(torch.Randn(torch.Shape{1, 3, 224, 224})) {
			fmt.Println(y.Shape())
		}
	})
	var layers []string
	for _, c := range features.Children() {
		layers = append(layers, c.Name)
	}
	fmt.Println(layers)
	// Output:
	// (1, 64, 56, 56)
	// (1, 256, 14, 14)
	// [conv1 bn1 relu maxpool layer1 layer2 layer3]
}

// The weights file of a model, and the preparation of images.
func ExampleWeights() {
	files, err := segmentation.GetModelWeights("fcn_resnet50")
	if err != nil {
		panic(err)
	}
	w := files[0]
	fmt.Println(w.Name, w.File, w.AuxLoss, w.Categories[15])
	fmt.Println(w.Transforms())
	// Output:
	// FCN_ResNet50_Weights.COCO_WITH_VOC_LABELS_V1 fcn_resnet50_coco-1167a1af.pth true person
	// Compose(
	//       Resize(size=[520], interpolation=InterpolationMode.BILINEAR, antialias=True)
	//       ConvertImageDtype()
	//       Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225], inplace=False)
	// )
}

// An Output frees its tensors, if no scope does.
func ExampleOutput() {
	y := segmentation.Output{Out: torch.Zeros(torch.Shape{1, 2, 4, 4})}
	defer y.Close()
	classes := y.Out.ArgMax(torch.Dim(1))
	defer classes.Close()
	fmt.Println(classes.Shape(), y.Aux == nil)
	// Output: (1, 4, 4) true
}
