package data_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/transforms"
)

// Make a dataset from a length and a function. The loader frees the function's tensors.
func ExampleNewFuncDataset() {
	set := data.NewFuncDataset(3, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Full(torch.Shape{2}, float64(i))}, nil
	})
	for batch := range data.NewLoader(set, data.BatchSize(2)).All() {
		fmt.Println(batch.Input.ToList())
	}
	// Output:
	// [[0 0] [1 1]]
	// [[2 2]]
}

// Concatenate two datasets. The caller still closes them.
func ExampleConcatDataset() {
	a := data.NewTensorDataset(torch.Arange(0, 2, 1))
	defer a.Close()
	b := data.NewTensorDataset(torch.Arange(10, 13, 1))
	defer b.Close()
	both := data.NewConcatDataset(a, b)
	for batch := range data.NewLoader(both, data.BatchSize(5)).All() {
		fmt.Println(both.Len(), batch.Input.Int64s())
	}
	// Output: 5 [0 1 10 11 12]
}

// Combine a dataset of inputs and a dataset of targets.
func ExampleStackDataset() {
	inputs := data.NewTensorDataset(torch.Arange(0, 3, 1))
	defer inputs.Close()
	targets := data.NewTensorDataset(torch.Arange(10, 13, 1))
	defer targets.Close()
	for batch := range data.NewLoader(data.NewStackDataset(inputs, targets), data.BatchSize(3)).All() {
		fmt.Println(batch.Input.Int64s(), batch.Target.Int64s())
	}
	// Output: [0 1 2] [10 11 12]
}

// Concatenate streams.
func ExampleChainDataset() {
	stream := func(values ...int) data.IterableDataset {
		return data.IterableFunc(func(_ data.WorkerInfo, yield func(data.Example) bool) error {
			for _, v := range values {
				if !yield(data.Example{Value: v}) {
					break
				}
			}
			return nil
		})
	}
	chain := data.NewChainDataset(stream(1, 2), stream(3))
	for batch := range data.NewIterableLoader(chain, data.BatchSize(2)).All() {
		fmt.Println(batch.Value)
	}
	// Output:
	// tensor([1, 2])
	// tensor([3])
}

// Read costly examples only once. The cache owns the tensors that it keeps.
func ExampleCacheDataset() {
	reads := 0
	slow := data.NewFuncDataset(3, func(i int) (data.Example, error) {
		reads++
		return data.Example{Input: torch.Full(torch.Shape{}, float64(i))}, nil
	})
	cache := data.NewCacheDataset(slow)
	defer cache.Close()
	for range 2 { // epochs
		for range data.NewLoader(cache).All() {
		}
	}
	fmt.Println(reads, cache.Kept())
	// Output:
	// 3 3
}

// Transform each input when it is read.
func ExampleTransformDataset() {
	set := data.NewTensorDataset(torch.Arange(0, 3, 1))
	defer set.Close()
	scaled := data.NewTransformDataset(set, transforms.NewLambda(func(x *torch.Tensor) *torch.Tensor {
		return x.MulScalar(10)
	}))
	for batch := range data.NewLoader(scaled, data.BatchSize(3)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output:
	// [0 10 20]
}

// Use images of noise to try a program without a data set.
func ExampleFakeData() {
	set := data.NewFakeData(10, torch.Shape{3, 8, 8}, 5)
	for batch := range data.NewLoader(set, data.BatchSize(10)).All() {
		fmt.Println(batch.Input.Shape(), batch.Target.Shape())
	}
	// Output:
	// (10, 3, 8, 8) (10,)
}

// Decode three bytes in the IDX format, which MNIST's files have.
func ExampleDecodeIDX() {
	idx, err := data.DecodeIDX(bytes.NewReader([]byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 8, 9}), "labels")
	if err != nil {
		log.Fatal(err)
	}
	torch.Scope(func() { fmt.Println(idx.DType, idx.Shape, idx.Tensor()) })
	// Output:
	// uint8 (3,) tensor([7, 8, 9], dtype=torch.uint8)
}

// Join examples into a batch, as a loader does.
func ExampleStack() {
	torch.Scope(func() {
		batch := data.Stack([]data.Example{
			{Input: torch.FromSlice([]float32{1, 2}), Target: torch.Full(torch.Shape{}, 0)},
			{Input: torch.FromSlice([]float32{3, 4}), Target: torch.Full(torch.Shape{}, 1)},
		})
		fmt.Println(batch.Input.ToList(), batch.Target.Int64s())
	})
	// Output: [[1 2] [3 4]] [0 1]
}

// Pad sentences of different lengths, and join them into one batch that also contains their
// lengths.
func ExamplePadCollate() {
	words := [][]int64{{4, 5, 6}, {7}}
	set := data.NewFuncDataset(2, func(i int) (data.Example, error) {
		return data.Example{Input: torch.FromSlice(words[i])}, nil
	})
	for batch := range data.NewLoader(set, data.BatchSize(2), data.PadCollate(data.BatchFirst(true))).All() {
		fmt.Println(batch.Input.ToList(), batch.Extra[0].Int64s())
	}
	// Output:
	// [[4 5 6] [7 0 0]] [3 1]
}
