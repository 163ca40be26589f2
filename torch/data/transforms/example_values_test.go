package transforms_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Normalize the values of each channel to a mean of about 0 and a standard deviation of
// about 1.
func ExampleNormalize() {
	normalize := transforms.NewNormalize([]float64{0.5, 0.4}, []float64{0.25, 0.2})
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 0}, 2, 1, 1)
		fmt.Println(normalize.Forward(image).Flatten())
	})
	// Output: tensor([ 2., -2.])
}

// Bytes from 0 to 255 become numbers from 0 to 1.
func ExampleToTensor() {
	toTensor := transforms.NewToTensor()
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 51, 255}, 1, 1, 3)
		fmt.Println(toTensor.Forward(image).Float32s())
	})
	// Output:
	// [0 0.2 1]
}

// Convert bytes to float32, with and without scaling to numbers from 0 to 1.
func ExampleToDType() {
	scaled := transforms.NewToDType(torch.Float32, transforms.WithScale(true))
	plain := transforms.NewToDType(torch.Float32)
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 255}, 1, 1, 2)
		fmt.Println(scaled.Forward(image).Float32s(), plain.Forward(image).Float32s())
	})
	// Output: [0 1] [0 255]
}

// Convert bytes from 0 to 255 to numbers from 0 to 1.
func ExampleConvertImageDType() {
	convert := transforms.NewConvertImageDType(torch.Float32)
	torch.Scope(func() {
		image := torch.FromSlice([]uint8{0, 255}, 1, 1, 2)
		fmt.Println(convert.Forward(image).Float32s())
	})
	// Output: [0 1]
}

// Whiten images. A program would compute the matrix and the mean from the training set.
func ExampleLinearTransformation() {
	matrix, mean := torch.NewTensor([][]float32{{2, 0}, {0, 1}}), torch.FromSlice([]float32{1, 1})
	defer matrix.Close()
	defer mean.Close()
	whiten := transforms.NewLinearTransformation(matrix, mean)
	torch.Scope(func() {
		image := torch.FromSlice([]float32{3, 4}, 1, 1, 2)
		fmt.Println(whiten.Forward(image).Float32s())
	})
	// Output: [4 3]
}

func ExampleIdentity() {
	identity := transforms.NewIdentity()
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2}, 1, 1, 2)
		fmt.Println(identity.Forward(image).Float32s())
	})
	// Output: [1 2]
}

// Use a function as a transform.
func ExampleLambda() {
	double := transforms.NewLambda(func(x *torch.Tensor) *torch.Tensor { return x.MulScalar(2) })
	torch.Scope(func() {
		image := torch.FromSlice([]float32{1, 2}, 1, 1, 2)
		fmt.Println(double.Forward(image).Float32s())
	})
	// Output: [2 4]
}
