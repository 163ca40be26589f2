package models

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Weights describes a torchvision file with the parameters of a model trained on the 1000
// classes of ImageNet. The program downloads the file itself and loads it:
//
//	file, err := serialization.OpenStateDict(path)
//	...
//	err = model.LoadStateDict(file)
//
// Create a Vision Transformer with an [ImageSize] of CropSize. Follows the entries of
// torchvision's enums, such as torchvision.models.ResNet18_Weights.
type Weights struct {
	Name    string // torchvision's name, such as "ResNet18_Weights.IMAGENET1K_V1"
	Model   string // the model's name for [GetModel]
	File    string // the file's name, which includes a part of its SHA-256
	Default bool   // whether the weights are torchvision's DEFAULT

	// ResizeSize is the length in pixels to which the shorter side of an image is resized
	// before cropping.
	ResizeSize    int64
	CropSize      int64 // height and width of the model's input in pixels
	Interpolation transforms.Interpolation
	Mean, Std     []float64 // for each channel; pixels are scaled to 0..1
}

// GetWeight returns the weights with the given name, such as
// "ResNet50_Weights.IMAGENET1K_V2". It returns ErrValue for an unknown name. Follows
// torchvision.models.get_weight.
func GetWeight(name string) (Weights, error) {
	for _, w := range weightFiles() {
		if w.Name == name {
			return w, nil
		}
	}
	return Weights{}, torch.NewError("models.GetWeight", torch.ErrValue, "name", fmt.Sprintf("no weights %q", name))
}

// GetModelWeights returns the weights of the model with the given name, one of
// [ListModels]. It returns ErrValue for an unknown name. Follows
// torchvision.models.get_model_weights.
func GetModelWeights(name string) ([]Weights, error) {
	var list []Weights
	for _, w := range weightFiles() {
		if w.Model == name {
			list = append(list, w)
		}
	}
	if list == nil {
		return nil, torch.NewError("models.GetModelWeights", torch.ErrValue, "name", fmt.Sprintf("no model %q", name))
	}
	return list, nil
}

// Transforms returns the transform that prepares images for a model with these weights.
// Images are tensors of shape (3, H, W) or (N, 3, H, W), uint8 or floating-point numbers
// from 0 to 1. They are resized, cropped at the center, converted to Float32 and
// normalized. Images of uint8 are resized as by torchvision.transforms.v2, which may
// round differently from torchvision's preset. It panics with ErrNil for Weights that
// were not returned by [GetWeight] or [GetModelWeights]. Follows a call of the weights'
// attribute transforms.
func (w Weights) Transforms() *transforms.Compose {
	if w.CropSize == 0 {
		panic(torch.NewError("models.Weights.Transforms", torch.ErrNil, "receiver",
			"expected Weights that GetWeight returned"))
	}
	return transforms.NewCompose(
		transforms.NewResize(w.ResizeSize, w.Interpolation),
		transforms.NewCenterCrop(w.CropSize),
		transforms.NewConvertImageDType(torch.Float32),
		transforms.NewNormalize(w.Mean, w.Std),
	)
}
