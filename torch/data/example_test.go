package data_test

import (
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// A training loop looks as it does in Python. Each step has its own scope, so nothing in
// the loop needs a Close.
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

// squares is a dataset that makes each example when it is requested.
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
	// Output: data: testdata/train-images-idx3-ubyte: does not exist, and neither does train-images-idx3-ubyte.gz (scripts/get_fashion_mnist.sh fetches Fashion-MNIST and prints its folder): file does not exist
}

func ExampleRandomSplit() {
	set := data.NewTensorDataset(torch.Arange(0, 5, 1))
	defer func() { _ = set.Close() }()
	parts := data.RandomSplit(set, []int{4, 1}, data.Generator(torch.NewGenerator(torch.CPU).ManualSeed(42)))
	fmt.Println(parts[0].Indices(), parts[1].Indices())
	// Output: [2 4 3 0] [1]
}

// Workers make batches ahead. The loop and the batches stay the same.
func ExampleNumWorkers() {
	torch.ManualSeed(0)
	loader := data.NewLoader(squares(6), data.BatchSize(4), data.Shuffle(true), data.NumWorkers(2))
	for batch := range loader.All() {
		fmt.Println(batch.Target.Int64s())
	}
	// Output:
	// [0 16 9 25]
	// [4 1]
}

// Iter is for code that cannot range over functions. It returns errors.
func ExampleLoader_Iter() {
	set := data.NewFuncDataset(3, func(i int) (data.Example, error) {
		if i == 2 {
			return data.Example{}, errors.New("the file is gone")
		}
		return data.Example{Input: torch.Full(torch.Shape{}, i)}, nil
	})
	it := data.NewLoader(set, data.NumWorkers(1)).Iter()
	defer func() { _ = it.Close() }()
	for it.Next() {
		fmt.Println(it.Batch().Input.Int64s())
	}
	fmt.Println(it.Err())
	// Output:
	// [0]
	// [1]
	// torch: data.Loader.Iter: data: example 2 (worker 0): the file is gone
}

// Give each worker its share of a stream.
func ExampleIterableDataset() {
	lines := []string{"the", "quick", "brown", "fox"}
	stream := data.IterableFunc(func(w data.WorkerInfo, yield func(data.Example) bool) error {
		for i, line := range lines {
			if w.Has(i) && !yield(data.Example{Value: line}) {
				break
			}
		}
		return nil
	})
	for batch := range data.NewIterableLoader(stream, data.BatchSize(2), data.NumWorkers(2)).All() {
		fmt.Println(batch.Value)
	}
	// Output:
	// [the brown]
	// [quick fox]
}

// Continue a loop where another loop stopped.
func ExampleLoader_StateDict() {
	set := data.NewTensorDataset(torch.Arange(0, 6, 1))
	defer func() { _ = set.Close() }()
	loader := data.NewLoader(set, data.BatchSize(2))
	for range loader.All() {
		break
	}
	state := loader.StateDict() // a state can be stored as JSON
	again := data.NewLoader(set, data.BatchSize(2))
	if err := again.LoadStateDict(state); err != nil {
		fmt.Println(err)
	}
	for batch := range again.All() {
		fmt.Println(batch.Index, batch.Input.Int64s())
	}
	// Output:
	// 1 [2 3]
	// 2 [4 5]
}
