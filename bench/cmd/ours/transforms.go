package main

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

func init() {
	cases["transform.resize"] = func(a args) result {
		return transform(a, transforms.NewResize([]int{224, 224}), 480, 640)
	}
	cases["transform.jitter"] = func(a args) result {
		return transform(a, transforms.NewColorJitter(transforms.Brightness(0.4), transforms.Contrast(0.4),
			transforms.Saturation(0.4), transforms.Hue(0.1)), 224, 224)
	}
	cases["transform.train"] = func(a args) result {
		return transform(a, transforms.NewCompose(
			transforms.NewRandomResizedCrop(224), transforms.NewRandomHorizontalFlip(),
			transforms.NewConvertImageDType(torch.Float32),
			transforms.NewNormalize([]float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225})), 480, 640)
	}
}

// transform transforms a uint8 image, and frees the result.
func transform(a args, f transforms.Transform, height, width int64) result {
	torch.ManualSeed(1)
	image := torch.RandInt(0, 256, torch.Shape{3, height, width}, torch.Uint8)
	defer image.Close()
	return result{nanos: timed(a.iterations, func() { _ = f.Forward(image).Close() })}
}
