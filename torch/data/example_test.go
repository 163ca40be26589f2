package data_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// The training loop of a port reads as Python's does. Each step has a scope of
// its own, so nothing in the loop needs a Close.
func Example() {
	torch.ManualSeed(0)
	set := data.NewTensorDataset(torch.Arange(0, 6, 1), torch.Arange(10, 16, 1))
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(4), data.Shuffle(true))
	for batch := range loader.All() {
		fmt.Println(batch.Index, batch.Input.Int64s(), batch.Target.Int64s())
	}
	// Output:
	// 0 [0 4 3 5] [10 14 13 15]
	// 1 [2 1] [12 11]
}

// squares is a dataset that makes its examples when they are asked for.
type squares int

func (n squares) Len() int { return int(n) }

func (n squares) Get(i int) data.Example {
	return data.Example{Input: torch.Full(torch.Shape{1}, float32(i)), Target: torch.Full(torch.Shape{}, i*i)}
}

func ExampleDataset() {
	loader := data.NewLoader(squares(5), data.BatchSize(2), data.DropLast(true))
	loader.Each(func(b data.Batch) bool {
		fmt.Println(b.Input.Shape(), b.Target.Int64s())
		return true
	})
	// Output:
	// (2, 1) [0 1]
	// (2, 1) [4 9]
}

func ExampleNormalize() {
	set := data.NewTensorDataset(torch.FromSlice([]uint8{0, 255}, 2, 1))
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(2), data.Transform(data.Normalize(0.5, 0.5)))
	for batch := range loader.All() {
		fmt.Println(batch.Input.Float32s())
	}
	// Output: [-1 1]
}

func ExampleMNIST() {
	_, err := data.MNIST("testdata")
	fmt.Println(err)
	// Output: data: testdata/train-images-idx3-ubyte: not there, nor is train-images-idx3-ubyte.gz (scripts/get_fashion_mnist.sh fetches Fashion-MNIST and prints its folder): file does not exist
}

func ExampleRandomSplit() {
	set := data.NewTensorDataset(torch.Arange(0, 5, 1))
	defer func() { _ = set.Close() }()
	parts := data.RandomSplit(set, []int{4, 1}, data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(42)))
	fmt.Println(parts[0].Indices(), parts[1].Indices())
	// Output: [2 4 3 0] [1]
}
