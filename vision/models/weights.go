package models

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Weights is a file of torchvision's with the parameters of a model, trained on the 1000
// classes of ImageNet. The program gets the file itself and loads it:
//
//	file, err := serialization.OpenStateDict(path)
//	...
//	err = model.LoadStateDict(file)
//
// A Vision Transformer is made with an [ImageSize] of CropSize. Follows an entry of
// torchvision.models.ResNet18_Weights and its like.
type Weights struct {
	Name    string // as torchvision calls it, such as "ResNet18_Weights.IMAGENET1K_V1"
	Model   string // the model's name for [GetModel]
	File    string // the file's name, with a part of its SHA-256
	Default bool   // whether it is what torchvision means by DEFAULT

	ResizeSize    int64 // of the shorter side of an image, before it is cropped
	CropSize      int64 // height and width of what the model is given
	Interpolation transforms.Interpolation
	Mean, Std     []float64 // of each channel, from 0 to 1
}

// GetWeight returns the file of that name, such as "ResNet50_Weights.IMAGENET1K_V2". The
// error for another name is ErrValue. Follows torchvision.models.get_weight.
func GetWeight(name string) (Weights, error) {
	for _, w := range weightFiles() {
		if w.Name == name {
			return w, nil
		}
	}
	return Weights{}, torch.NewError("models.GetWeight", torch.ErrValue, "name", fmt.Sprintf("no weights %q", name))
}

// GetModelWeights returns the files of the model of that name, one of [ListModels]. The
// error for another name is ErrValue. Follows torchvision.models.get_model_weights.
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

// Transforms returns what images have to go through before a model with these parameters:
// tensors of shape (3, H, W) or (N, 3, H, W), bytes or numbers from 0 to 1, are resized,
// cropped in the middle, scaled to Float32 and normalized. Images of bytes are resized as by
// torchvision.transforms.v2, which may round a byte otherwise than what Python's attribute
// does. It panics with ErrNil for a
// Weights that neither [GetWeight] nor [GetModelWeights] returned.
// Follows the attribute transforms, called.
func (w Weights) Transforms() *transforms.Compose {
	if w.CropSize == 0 {
		panic(torch.NewError("models.Weights.Transforms", torch.ErrNil, "receiver", "a Weights that GetWeight did not return"))
	}
	return transforms.NewCompose(
		transforms.NewResize(w.ResizeSize, w.Interpolation),
		transforms.NewCenterCrop(w.CropSize),
		transforms.NewConvertImageDType(torch.Float32),
		transforms.NewNormalize(w.Mean, w.Std),
	)
}
