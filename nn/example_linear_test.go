package nn_test

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// 3 features become 2.
func ExampleLinear() {
	layer := nn.NewLinear(3, 2)
	defer layer.Close()
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{8, 3})
		fmt.Println(layer.Forward(x).Shape())
	})
	fmt.Println(layer.Weight.Shape(), layer.Bias.Shape())
	fmt.Println(layer)
	// Output:
	// (8, 2)
	// (2, 3) (2,)
	// Linear(in_features=3, out_features=2, bias=True)
}

func ExampleBilinear() {
	layer := nn.NewBilinear(3, 4, 2)
	defer layer.Close()
	torch.Scope(func() {
		a, b := torch.Randn(torch.Shape{8, 3}), torch.Randn(torch.Shape{8, 4})
		fmt.Println(layer.Forward(a, b).Shape())
	})
	// Output: (8, 2)
}

// An Identity takes the place of a layer that is not needed.
func ExampleIdentity() {
	layer := nn.NewIdentity()
	torch.Scope(func() {
		x := torch.FromSlice([]float32{1, 2})
		fmt.Println(layer.Forward(x))
	})
	// Output: tensor([1., 2.])
}

// Each image of the batch becomes a vector.
func ExampleFlatten() {
	flatten := nn.NewFlatten()
	torch.Scope(func() {
		fmt.Println(flatten.Forward(torch.Zeros(torch.Shape{8, 3, 4, 4})).Shape())
	})
	// Output: (8, 48)
}

func ExampleUnflatten() {
	unflatten := nn.NewUnflatten(1, torch.Shape{3, 4, 4})
	torch.Scope(func() {
		fmt.Println(unflatten.Forward(torch.Zeros(torch.Shape{8, 48})).Shape())
	})
	// Output: (8, 3, 4, 4)
}

// The layer has a vector for each of 1000 words.
func ExampleEmbedding() {
	embedding := nn.NewEmbedding(1000, 64)
	defer embedding.Close()
	torch.Scope(func() {
		words := torch.NewTensor([][]int64{{1, 5, 999}, {0, 7, 7}})
		fmt.Println(embedding.Forward(words).Shape())
	})
	// Output: (2, 3, 64)
}

// The embedding uses existing vectors. Training does not change them unless
// nn.Freeze(false) is given.
func ExampleNewEmbeddingFromPretrained() {
	table := torch.NewTensor([][]float32{{1, 2}, {3, 4}, {5, 6}})
	embedding := nn.NewEmbeddingFromPretrained(table)
	defer embedding.Close() // closes the table too
	torch.Scope(func() {
		fmt.Println(embedding.Forward(torch.FromSlice([]int64{2, 0})))
	})
	fmt.Println(embedding.Weight.RequiresGrad())
	// Output:
	// tensor([[5., 6.],
	//         [1., 2.]])
	// false
}
