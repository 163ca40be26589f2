package segmentation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// builder is the name of a model and the function that builds it.
type builder struct {
	name string
	make func(name string, opts []Option) Model
}

// builders returns the builders of all models, sorted by name.
func builders() []builder {
	return []builder{
		{"deeplabv3_mobilenet_v3_large", of(NewDeepLabV3MobileNetV3Large)},
		{"deeplabv3_resnet101", of(NewDeepLabV3ResNet101)},
		{"deeplabv3_resnet50", of(NewDeepLabV3ResNet50)},
		{"fcn_resnet101", of(NewFCNResNet101)},
		{"fcn_resnet50", of(NewFCNResNet50)},
		{"lraspp_mobilenet_v3_large", of(NewLRASPPMobileNetV3Large)},
	}
}

// of converts a constructor with options of type O to a function that takes options of type
// Option. That function panics if an option belongs to another model.
func of[O any, M Model](constructor func(opts ...O) M) func(name string, opts []Option) Model {
	return func(name string, opts []Option) Model {
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

const getModel = "segmentation.GetModel"

// GetModel creates the model with the given name, one of [ListModels]. The name is not
// case-sensitive. The error is ErrValue for an unknown name or an option that the model does not
// have, ErrNil for a nil option, or any other error that the constructor panics with. Follows
// torchvision.models.get_model.
func GetModel(name string, opts ...Option) (model Model, err error) {
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
// torchvision.models.list_models with the module torchvision.models.segmentation.
func ListModels() []string {
	var names []string
	for _, b := range builders() {
		names = append(names, b.name)
	}
	return slices.Clip(names)
}
