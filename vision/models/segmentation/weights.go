package segmentation

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Weights describes a torchvision file with the parameters of a model trained on the images of
// COCO, with the classes of Pascal VOC. The program downloads the file itself and loads it:
//
//	model := segmentation.NewFCNResNet50(segmentation.AuxLoss(w.AuxLoss))
//	file, err := serialization.OpenStateDict(path)
//	...
//	err = model.LoadStateDict(file)
//
// Follows the entries of torchvision's enums, such as
// torchvision.models.segmentation.FCN_ResNet50_Weights.
type Weights struct {
	Name    string // torchvision's name, such as "FCN_ResNet50_Weights.COCO_WITH_VOC_LABELS_V1"
	Model   string // the model's name for [GetModel]
	File    string // the file's name, which includes a part of its SHA-256
	Default bool   // whether the weights are torchvision's DEFAULT
	AuxLoss bool   // whether the file has a second classifier: the model's option [AuxLoss]

	// ResizeSize is the length in pixels to which the shorter side of an image is resized.
	ResizeSize    int64
	Interpolation transforms.Interpolation
	Mean, Std     []float64 // for each channel; pixels are scaled to 0..1
	Categories    []string  // the names of the classes
}

// weightFiles lists torchvision's files for the models.
func weightFiles() []Weights {
	file := func(model, name, file string) Weights {
		return Weights{
			Name: name, Model: model, File: file, Default: true,
			AuxLoss: model != "lraspp_mobilenet_v3_large", ResizeSize: 520,
			Interpolation: transforms.InterpolationBilinear,
			Mean:          []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225},
			Categories: []string{
				"__background__", "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair",
				"cow", "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train",
				"tvmonitor",
			},
		}
	}
	return []Weights{
		file("deeplabv3_mobilenet_v3_large", "DeepLabV3_MobileNet_V3_Large_Weights.COCO_WITH_VOC_LABELS_V1",
			"deeplabv3_mobilenet_v3_large-fc3c493d.pth"),
		file("deeplabv3_resnet101", "DeepLabV3_ResNet101_Weights.COCO_WITH_VOC_LABELS_V1",
			"deeplabv3_resnet101_coco-586e9e4e.pth"),
		file("deeplabv3_resnet50", "DeepLabV3_ResNet50_Weights.COCO_WITH_VOC_LABELS_V1",
			"deeplabv3_resnet50_coco-cd0a2569.pth"),
		file("fcn_resnet101", "FCN_ResNet101_Weights.COCO_WITH_VOC_LABELS_V1",
			"fcn_resnet101_coco-7ecb50ca.pth"),
		file("fcn_resnet50", "FCN_ResNet50_Weights.COCO_WITH_VOC_LABELS_V1",
			"fcn_resnet50_coco-1167a1af.pth"),
		file("lraspp_mobilenet_v3_large", "LRASPP_MobileNet_V3_Large_Weights.COCO_WITH_VOC_LABELS_V1",
			"lraspp_mobilenet_v3_large-d234d4ea.pth"),
	}
}

// GetWeight returns the weights with the given name, such as
// "FCN_ResNet50_Weights.COCO_WITH_VOC_LABELS_V1". It returns ErrValue for an unknown name. Follows
// torchvision.models.get_weight.
func GetWeight(name string) (Weights, error) {
	for _, w := range weightFiles() {
		if w.Name == name {
			return w, nil
		}
	}
	return Weights{}, torch.NewError("segmentation.GetWeight", torch.ErrValue, "name",
		fmt.Sprintf("no weights %q", name))
}

// GetModelWeights returns the weights of the model with the given name, one of [ListModels]. It
// returns ErrValue for an unknown name. Follows torchvision.models.get_model_weights.
func GetModelWeights(name string) ([]Weights, error) {
	list := slices.DeleteFunc(weightFiles(), func(w Weights) bool { return w.Model != name })
	if len(list) == 0 {
		return nil, torch.NewError("segmentation.GetModelWeights", torch.ErrValue, "name",
			fmt.Sprintf("no model %q", name))
	}
	return list, nil
}

// Transforms returns the transform that prepares images for a model with these weights. Images are
// tensors of shape (3, H, W) or (N, 3, H, W), uint8 or floating-point numbers from 0 to 1. They are
// resized, converted to Float32 and normalized. Images of uint8 are resized as by
// torchvision.transforms.v2, which may round differently from torchvision's preset. It panics with
// ErrNil for Weights that were not returned by [GetWeight] or [GetModelWeights]. Follows a call of
// the weights' attribute transforms.
func (w Weights) Transforms() *transforms.Compose {
	if w.ResizeSize == 0 {
		panic(torch.NewError("segmentation.Weights.Transforms", torch.ErrNil, "receiver",
			"expected Weights that GetWeight returned"))
	}
	return transforms.NewCompose(
		transforms.NewResize(w.ResizeSize, w.Interpolation),
		transforms.NewConvertImageDType(torch.Float32),
		transforms.NewNormalize(w.Mean, w.Std),
	)
}
