package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// builder is the name of a model and the function that builds it.
type builder struct {
	name string
	make func(name string, opts []Option) nn.Layer
}

// builders returns the builders of all models, sorted by name.
func builders() []builder {
	return []builder{
		{"alexnet", of(NewAlexNet)},
		{"convnext_base", of(NewConvNeXtBase)},
		{"convnext_large", of(NewConvNeXtLarge)},
		{"convnext_small", of(NewConvNeXtSmall)},
		{"convnext_tiny", of(NewConvNeXtTiny)},
		{"densenet121", of(NewDenseNet121)},
		{"densenet161", of(NewDenseNet161)},
		{"densenet169", of(NewDenseNet169)},
		{"densenet201", of(NewDenseNet201)},
		{"efficientnet_b0", of(NewEfficientNetB0)},
		{"efficientnet_b1", of(NewEfficientNetB1)},
		{"efficientnet_b2", of(NewEfficientNetB2)},
		{"efficientnet_b3", of(NewEfficientNetB3)},
		{"efficientnet_b4", of(NewEfficientNetB4)},
		{"efficientnet_b5", of(NewEfficientNetB5)},
		{"efficientnet_b6", of(NewEfficientNetB6)},
		{"efficientnet_b7", of(NewEfficientNetB7)},
		{"efficientnet_v2_l", of(NewEfficientNetV2L)},
		{"efficientnet_v2_m", of(NewEfficientNetV2M)},
		{"efficientnet_v2_s", of(NewEfficientNetV2S)},
		{"mobilenet_v2", of(NewMobileNetV2)},
		{"mobilenet_v3_large", of(NewMobileNetV3Large)},
		{"mobilenet_v3_small", of(NewMobileNetV3Small)},
		{"resnet101", of(NewResNet101)},
		{"resnet152", of(NewResNet152)},
		{"resnet18", of(NewResNet18)},
		{"resnet34", of(NewResNet34)},
		{"resnet50", of(NewResNet50)},
		{"resnext101_32x8d", of(NewResNeXt101_32x8d)},
		{"resnext101_64x4d", of(NewResNeXt101_64x4d)},
		{"resnext50_32x4d", of(NewResNeXt50_32x4d)},
		{"squeezenet1_0", of(NewSqueezeNet1_0)},
		{"squeezenet1_1", of(NewSqueezeNet1_1)},
		{"vgg11", of(NewVGG11)},
		{"vgg11_bn", of(NewVGG11BN)},
		{"vgg13", of(NewVGG13)},
		{"vgg13_bn", of(NewVGG13BN)},
		{"vgg16", of(NewVGG16)},
		{"vgg16_bn", of(NewVGG16BN)},
		{"vgg19", of(NewVGG19)},
		{"vgg19_bn", of(NewVGG19BN)},
		{"vit_b_16", of(NewViTB16)},
		{"vit_b_32", of(NewViTB32)},
		{"vit_h_14", of(NewViTH14)},
		{"vit_l_16", of(NewViTL16)},
		{"vit_l_32", of(NewViTL32)},
		{"wide_resnet101_2", of(NewWideResNet101_2)},
		{"wide_resnet50_2", of(NewWideResNet50_2)},
	}
}

// of converts a constructor with options of type O to a function that takes options of type
// Option. That function panics if an option belongs to another model.
func of[O any, M nn.Layer](constructor func(opts ...O) M) func(name string, opts []Option) nn.Layer {
	return func(name string, opts []Option) nn.Layer {
		list := make([]O, len(opts))
		for i, o := range opts {
			if o == nil {
				panic(torch.BadOption(getModel, nil))
			}
			fit, ok := o.(O)
			if !ok {
				panic(torch.NewError(getModel, torch.ErrValue, "opts", fmt.Sprintf("%s has no option %T", name, o)))
			}
			list[i] = fit
		}
		return constructor(list...)
	}
}

const getModel = "models.GetModel"

// GetModel creates the model with the given name, one of [ListModels]. The name is not
// case-sensitive. The error is ErrValue for an unknown name or an option that the model
// does not have, ErrNil for a nil option, or any other error that the constructor panics
// with. Follows torchvision.models.get_model.
func GetModel(name string, opts ...Option) (model nn.Layer, err error) {
	lower := strings.ToLower(name)
	for _, b := range builders() {
		if b.name == lower {
			err = torch.Try(func() { model = b.make(lower, opts) })
			return model, err
		}
	}
	return nil, torch.NewError(getModel, torch.ErrValue, "name", fmt.Sprintf("no model %q", name))
}

// ListModels returns the sorted names of all models, as in torchvision. Follows
// torchvision.models.list_models.
func ListModels() []string {
	var names []string
	for _, b := range builders() {
		names = append(names, b.name)
	}
	return slices.Clip(names)
}
