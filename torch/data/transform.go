package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Normalize returns a Transform that replaces a batch's Input with the values (x - mean)
// / std, in a new tensor. Integers become float32. Bytes are first divided by 255. mean
// and std therefore refer to values from 0 to 1, as with torchvision's ToTensor and
// Normalize. It panics with ErrValue unless std is positive.
func Normalize(mean, std float64) func(Example) Example {
	if !(std > 0) {
		panic(torch.NewError("data.Normalize", torch.ErrValue, "std",
			fmt.Sprintf("expected a positive number, got %v", std)))
	}
	return func(e Example) Example {
		e.Input = normalize(e.Input, mean, std)
		return e
	}
}

// normalize returns a copy of x with the values (x/255 - mean)/std if x holds bytes, else
// with the values (x - mean)/std.
func normalize(x *torch.Tensor, mean, std float64) *torch.Tensor {
	opts := []torch.ToOption{torch.Copy(true)}
	if !x.IsFloatingPoint() {
		opts = append(opts, torch.Float32)
	}
	out := x.To(opts...)
	if x.DType() == torch.Uint8 {
		out.DivScalar_(255)
	}
	return out.SubScalar_(mean).DivScalar_(std)
}
