package data_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Draw rare examples more often. The indices are the same as in Python.
func ExampleNewWeightedRandomSampler() {
	torch.ManualSeed(0)
	set := data.NewTensorDataset(torch.Arange(0, 4, 1))
	defer set.Close()
	sampler := data.NewWeightedRandomSampler([]float64{1, 1, 1, 9}, 6)
	for batch := range data.NewLoader(set, data.BatchSize(6), data.WithSampler(sampler)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output: [3 3 3 3 3 2]
}

// Read some of the examples, in a new order for each epoch.
func ExampleNewSubsetRandomSampler() {
	torch.ManualSeed(0)
	set := data.NewTensorDataset(torch.Arange(0, 10, 1))
	defer set.Close()
	sampler := data.NewSubsetRandomSampler([]int64{1, 3, 5, 7})
	for batch := range data.NewLoader(set, data.BatchSize(4), data.WithSampler(sampler)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output: [3 1 7 5]
}

func ExampleNewBatchSampler() {
	set := data.NewTensorDataset(torch.Arange(0, 5, 1))
	defer set.Close()
	batches := data.NewBatchSampler(data.NewSequentialSampler(set), 2, true)
	for batch := range data.NewLoader(set, data.WithBatchSampler(batches)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output:
	// [0 1]
	// [2 3]
}

// Read the second process's share of a dataset. Both processes set the same epoch, so they
// draw the same order.
func ExampleDistributedSampler() {
	set := data.NewTensorDataset(torch.Arange(0, 6, 1))
	defer set.Close()
	share := data.NewDistributedSampler(set, data.NumReplicas(2), data.Rank(1))
	share.SetEpoch(1)
	for batch := range data.NewLoader(set, data.BatchSize(3), data.WithSampler(share)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output: [5 0 4]
}

// Find out in a dataset which worker reads an example.
func ExampleGetWorkerInfo() {
	set := data.NewFuncDataset(4, func(i int) (data.Example, error) {
		w := data.GetWorkerInfo()
		return data.Example{Value: fmt.Sprintf("example %d by worker %d of %d", i, w.ID, w.NumWorkers)}, nil
	})
	for batch := range data.NewLoader(set, data.BatchSize(2), data.NumWorkers(2)).All() {
		fmt.Println(batch.Value)
	}
	// Output:
	// [example 0 by worker 0 of 2 example 1 by worker 0 of 2]
	// [example 2 by worker 1 of 2 example 3 by worker 1 of 2]
}
