package models_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

// Make a model for ten classes, and freeze all layers except the last.
func Example() {
	model := models.NewResNet18()
	defer model.Close()
	model.SetRequiresGrad(false)
	old := model.FC
	model.FC = nn.NewLinear(512, 10, model.As("fc")) // model.fc = nn.Linear(512, 10)
	_ = old.Close()
	torch.Scope(func() {
		logits := model.Forward(torch.Randn(torch.Shape{2, 3, 64, 64}))
		fmt.Println(logits.Shape())
	})
	for _, p := range model.NamedParameters() {
		if p.Tensor.RequiresGrad() {
			fmt.Println(p.Name, p.Tensor.Shape())
		}
	}
	// Output:
	// (2, 10)
	// fc.weight (10, 512)
	// fc.bias (10,)
}

// summary prints a model's parameter count and its last layer. The model is created on
// the meta device, so no initial values are drawn.
func summary(make func() nn.Layer) {
	torch.WithDevice(torch.Meta, func() {
		model := make()
		defer model.Close()
		var parameters int64
		for _, p := range model.Parameters() {
			parameters += p.Numel()
		}
		modules := nn.Modules(model)
		fmt.Println(parameters, modules[len(modules)-1])
	})
}

func ExampleAlexNet() {
	summary(func() nn.Layer { return models.NewAlexNet() })
	// Output: 61100840 Linear(in_features=4096, out_features=1000, bias=True)
}

func ExampleVGG() {
	summary(func() nn.Layer { return models.NewVGG16BN(models.NumClasses(10)) })
	// Output: 134309962 Linear(in_features=4096, out_features=10, bias=True)
}

// The layers of a block have the same names as in Python.
func ExampleResNet() {
	model := models.NewResNet18(models.NumClasses(10))
	defer model.Close()
	fmt.Println(model.Layer2.At(0).(*models.BasicBlock).Downsample)
	fmt.Println(model.Get("layer2.0.conv1"))
	// Output:
	// Sequential(
	//   (0): Conv2d(64, 128, kernel_size=(1, 1), stride=(2, 2), bias=False)
	//   (1): BatchNorm2d(128, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)
	// )
	// Conv2d(64, 128, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), bias=False)
}

func ExampleSqueezeNet() {
	summary(func() nn.Layer { return models.NewSqueezeNet1_1() })
	// Output: 1235496 AdaptiveAvgPool2d(output_size=(1, 1))
}

func ExampleDenseNet() {
	summary(func() nn.Layer { return models.NewDenseNet121(models.DropRate(0.2)) })
	// Output: 7978856 Linear(in_features=1024, out_features=1000, bias=True)
}

func ExampleMobileNetV2() {
	summary(func() nn.Layer { return models.NewMobileNetV2(models.WidthMult(0.5)) })
	// Output: 1968680 Linear(in_features=1280, out_features=1000, bias=True)
}

func ExampleMobileNetV3() {
	summary(func() nn.Layer { return models.NewMobileNetV3Small(models.Dilated(true)) })
	// Output: 2542856 Linear(in_features=1024, out_features=1000, bias=True)
}

func ExampleEfficientNet() {
	summary(func() nn.Layer { return models.NewEfficientNetB0(models.StochasticDepthProb(0.1)) })
	// Output: 5288548 Linear(in_features=1280, out_features=1000, bias=True)
}

func ExampleConvNeXt() {
	summary(func() nn.Layer { return models.NewConvNeXtTiny() })
	// Output: 28589128 Linear(in_features=768, out_features=1000, bias=True)
}

// A Vision Transformer for larger images.
func ExampleVisionTransformer() {
	summary(func() nn.Layer { return models.NewViTB16(models.ImageSize(384)) })
	// Output: 86859496 Linear(in_features=768, out_features=1000, bias=True)
}

// Get a model by name.
func ExampleGetModel() {
	model, err := models.GetModel("squeezenet1_1", models.NumClasses(10))
	if err != nil {
		panic(err)
	}
	defer model.Close()
	torch.Scope(func() { fmt.Println(model.Forward(torch.Randn(torch.Shape{1, 3, 64, 64})).Shape()) })
	_, err = models.GetModel("resnet19")
	fmt.Println(err)
	// Output:
	// (1, 10)
	// torch: models.GetModel: argument name: no model "resnet19"
}

// The weights files of a model, and the preparation of images.
func ExampleWeights() {
	files, err := models.GetModelWeights("resnet50")
	if err != nil {
		panic(err)
	}
	for _, w := range files {
		fmt.Println(w.Name, w.File, w.Default)
	}
	fmt.Println(files[1].Transforms())
	// Output:
	// ResNet50_Weights.IMAGENET1K_V1 resnet50-0676ba61.pth false
	// ResNet50_Weights.IMAGENET1K_V2 resnet50-11ad3fa6.pth true
	// Compose(
	//       Resize(size=[232], interpolation=InterpolationMode.BILINEAR, antialias=True)
	//       CenterCrop(size=(224, 224))
	//       ConvertImageDtype()
	//       Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225], inplace=False)
	// )
}
