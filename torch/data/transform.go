package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Normalize returns a Transform that replaces a batch's Input by a copy with
// (x - mean) / std. Integers become float32; bytes are divided by 255 first, so
// that mean and std refer to values from 0 to 1, as torchvision's ToTensor and
// Normalize have it. It panics with ErrValue unless std is positive.
func Normalize(mean, std float64) func(Example) Example {
	if !(std > 0) {
		panic(argError("data.Normalize", torch.ErrValue, "std", fmt.Sprintf("expected a positive number, got %v", std)))
	}
	return func(e Example) Example {
		e.Input = normalized(e.Input, mean, std)
		return e
	}
}
