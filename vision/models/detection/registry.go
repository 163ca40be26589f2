package detection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A Model detects objects: a [*RetinaNet], [*FCOS], [*SSD] or [*GeneralizedRCNN].
type Model interface {
	nn.Module
	Losses(images []*torch.Tensor, targets []Target) Losses
	Detect(images []*torch.Tensor) []Detection
}

// builder is the name of a model and the function that builds it.
type builder struct {
	name string
	make func(name string, opts []Option) Model
}

// builders returns the builders of all models, sorted by name.
func builders() []builder {
	return []builder{
		{"fasterrcnn_mobilenet_v3_large_320_fpn", of(NewFasterRCNNMobileNetV3Large320FPN)},
		{"fasterrcnn_mobilenet_v3_large_fpn", of(NewFasterRCNNMobileNetV3LargeFPN)},
		{"fasterrcnn_resnet50_fpn", of(NewFasterRCNNResNet50FPN)},
		{"fasterrcnn_resnet50_fpn_v2", of(NewFasterRCNNResNet50FPNV2)},
		{"fcos_resnet50_fpn", of(NewFCOSResNet50FPN)},
		{"keypointrcnn_resnet50_fpn", of(NewKeypointRCNNResNet50FPN)},
		{"maskrcnn_resnet50_fpn", of(NewMaskRCNNResNet50FPN)},
		{"maskrcnn_resnet50_fpn_v2", of(NewMaskRCNNResNet50FPNV2)},
		{"retinanet_resnet50_fpn", of(NewRetinaNetResNet50FPN)},
		{"retinanet_resnet50_fpn_v2", of(NewRetinaNetResNet50FPNV2)},
		{"ssd300_vgg16", of(NewSSD300VGG16)},
		{"ssdlite320_mobilenet_v3_large", of(NewSSDLite320MobileNetV3Large)},
	}
}

// of returns the function of a builder, which calls a constructor with its own options.
func of[O any, M Model](make func(opts ...O) M) func(name string, opts []Option) Model {
	return func(name string, opts []Option) Model {
		own := []O{}
		for i, o := range opts {
			v, ok := any(o).(O)
			if o == nil {
				panic(torch.BadOption("detection.GetModel", o))
			}
			if !ok {
				panic(torch.NewError("detection.GetModel", torch.ErrValue, fmt.Sprintf("opts[%d]", i),
					fmt.Sprintf("%s has no option %T", name, o)))
			}
			own = append(own, v)
		}
		return make(own...)
	}
}

// ListModels returns torchvision's names of all models, in alphabetical order. Follows
// torchvision.models.list_models(models.detection).
func ListModels() (names []string) {
	for _, b := range builders() {
		names = append(names, b.name)
	}
	return names
}

// GetModel returns a new model by its name, such as "fasterrcnn_resnet50_fpn". The error is a
// *torch.Error: ErrValue for an unknown name, for an option that the model does not have and for an invalid
// value, ErrNil for a nil option. Follows torchvision.models.get_model.
func GetModel(name string, opts ...Option) (m Model, err error) {
	for _, b := range builders() {
		if b.name == strings.ToLower(name) {
			err = torch.Try(func() { m = b.make(name, opts) })
			return m, err
		}
	}
	return nil, torch.NewError("detection.GetModel", torch.ErrValue, "name", fmt.Sprintf("there is no model %q", name))
}

// Weights describes one of torchvision's files of weights for a model.
type Weights struct {
	Name    string // "RetinaNet_ResNet50_FPN_Weights.COCO_V1"
	Model   string // "retinanet_resnet50_fpn"
	File    string // "retinanet_resnet50_fpn_coco-eeacb38b.pth"
	Default bool   // whether it is the model's default, DEFAULT in Python

	NumClasses int64 // with the background
	ZeroEps    bool  // whether the model needs OverwriteEps(model, 0)
}

// weightFiles lists torchvision's files.
func weightFiles() []Weights {
	file := func(model, name, file string, zero bool) Weights {
		w := Weights{
			Name: name, Model: model, File: file, Default: true, NumClasses: 91, ZeroEps: zero,
		}
		if strings.HasPrefix(model, "keypoint") {
			w.NumClasses = 2
		}
		return w
	}
	legacy := file("keypointrcnn_resnet50_fpn", "", "keypointrcnn_resnet50_fpn_coco-9f466800.pth", false)
	legacy.Name, legacy.Default = "KeypointRCNN_ResNet50_FPN_Weights.COCO_LEGACY", false
	return []Weights{
		file("fasterrcnn_mobilenet_v3_large_320_fpn", "FasterRCNN_MobileNet_V3_Large_320_FPN_Weights.COCO_V1",
			"fasterrcnn_mobilenet_v3_large_320_fpn-907ea3f9.pth", false),
		file("fasterrcnn_mobilenet_v3_large_fpn", "FasterRCNN_MobileNet_V3_Large_FPN_Weights.COCO_V1",
			"fasterrcnn_mobilenet_v3_large_fpn-fb6a3cc7.pth", false),
		file("fasterrcnn_resnet50_fpn", "FasterRCNN_ResNet50_FPN_Weights.COCO_V1",
			"fasterrcnn_resnet50_fpn_coco-258fb6c6.pth", true),
		file("fasterrcnn_resnet50_fpn_v2", "FasterRCNN_ResNet50_FPN_V2_Weights.COCO_V1",
			"fasterrcnn_resnet50_fpn_v2_coco-dd69338a.pth", false),
		file("fcos_resnet50_fpn", "FCOS_ResNet50_FPN_Weights.COCO_V1",
			"fcos_resnet50_fpn_coco-99b0c9b7.pth", false),
		legacy,
		file("keypointrcnn_resnet50_fpn", "KeypointRCNN_ResNet50_FPN_Weights.COCO_V1",
			"keypointrcnn_resnet50_fpn_coco-fc266e95.pth", true),
		file("maskrcnn_resnet50_fpn", "MaskRCNN_ResNet50_FPN_Weights.COCO_V1",
			"maskrcnn_resnet50_fpn_coco-bf2d0c1e.pth", true),
		file("maskrcnn_resnet50_fpn_v2", "MaskRCNN_ResNet50_FPN_V2_Weights.COCO_V1",
			"maskrcnn_resnet50_fpn_v2_coco-73cbd019.pth", false),
		file("retinanet_resnet50_fpn", "RetinaNet_ResNet50_FPN_Weights.COCO_V1",
			"retinanet_resnet50_fpn_coco-eeacb38b.pth", true),
		file("retinanet_resnet50_fpn_v2", "RetinaNet_ResNet50_FPN_V2_Weights.COCO_V1",
			"retinanet_resnet50_fpn_v2_coco-5905b1c5.pth", false),
		file("ssd300_vgg16", "SSD300_VGG16_Weights.COCO_V1",
			"ssd300_vgg16_coco-b556d3b4.pth", false),
		file("ssdlite320_mobilenet_v3_large", "SSDLite320_MobileNet_V3_Large_Weights.COCO_V1",
			"ssdlite320_mobilenet_v3_large_coco-a79551df.pth", false),
	}
}

// GetWeight returns one of torchvision's files of weights by its name, such as
// "RetinaNet_ResNet50_FPN_Weights.COCO_V1". The error is a *torch.Error of kind ErrValue for an unknown name.
// Follows torchvision.models.get_weight.
func GetWeight(name string) (Weights, error) {
	for _, w := range weightFiles() {
		if w.Name == name {
			return w, nil
		}
	}
	return Weights{}, torch.NewError("detection.GetWeight", torch.ErrValue, "name",
		fmt.Sprintf("there are no weights %q", name))
}

// GetModelWeights returns torchvision's files of weights for a model. The error is a *torch.Error of kind
// ErrValue for an unknown name. Follows torchvision.models.get_model_weights.
func GetModelWeights(model string) ([]Weights, error) {
	all := slices.DeleteFunc(weightFiles(), func(w Weights) bool { return w.Model != strings.ToLower(model) })
	if len(all) == 0 {
		return nil, torch.NewError("detection.GetModelWeights", torch.ErrValue, "model",
			fmt.Sprintf("there is no model %q", model))
	}
	return all, nil
}
