package dcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/dcp"
)

// together runs fn on the ranks of a group, which are goroutines here. Programs get their ranks
// from a launcher instead; see package distributed.
func together(n int, fn func(ctx context.Context, group *distributed.ProcessGroup)) {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	ctx := context.Background()
	var ranks sync.WaitGroup
	for rank := range n {
		ranks.Go(func() {
			group, err := distributed.InitProcessGroup(ctx, distributed.Gloo,
				distributed.WithStore(store), distributed.Rank(rank), distributed.WorldSize(n))
			if err != nil {
				panic(err)
			}
			defer group.Close()
			torch.Scope(func() { fn(ctx, group) })
		})
	}
	ranks.Wait()
}

// Two ranks save one half of a tensor each. Three ranks load a part each.
func Example() {
	folder, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	size := torch.Shape{6, 2}
	together(2, func(ctx context.Context, group *distributed.ProcessGroup) {
		offsets, part := dcp.Bounds(size, 0, group.Rank(), group.Size())
		mine := torch.Full(part, float64(group.Rank()))
		err := dcp.Save(ctx, group, map[string]any{
			"weight": dcp.Shard{Tensor: mine, Offsets: offsets, Size: size},
			"epoch":  3,
		}, filepath.Join(folder, "step-100"))
		if err != nil {
			panic(err)
		}
	})

	latest, err := dcp.Latest(folder)
	if err != nil {
		panic(err)
	}
	var lines [3]string
	together(3, func(ctx context.Context, group *distributed.ProcessGroup) {
		offsets, part := dcp.Bounds(size, 0, group.Rank(), group.Size())
		mine := torch.Zeros(part)
		state := map[string]any{
			"weight": dcp.Shard{Tensor: mine, Offsets: offsets, Size: size},
			"epoch":  0,
		}
		if err := dcp.Load(ctx, group, latest, state); err != nil {
			panic(err)
		}
		lines[group.Rank()] = fmt.Sprint(group.Rank(), ": epoch ", state["epoch"], ", ", mine.Float32s())
	})
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// 0: epoch 3, [0 0 0 0]
	// 1: epoch 3, [0 0 1 1]
	// 2: epoch 3, [1 1 1 1]
}

func ExampleReadMetadata() {
	folder, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	weight := torch.Zeros(torch.Shape{6, 2})
	defer weight.Close()
	state := map[string]any{"model": map[string]any{"weight": weight}, "epoch": 3}
	if err := dcp.Save(context.Background(), nil, state, folder); err != nil {
		panic(err)
	}
	m, err := dcp.ReadMetadata(folder)
	if err != nil {
		panic(err)
	}
	fmt.Println(m)
	// Output:
	// epoch: a value
	// model.weight: float32 (6, 2)
}

func ExampleList() {
	folder, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	for step := range 4 {
		dir := filepath.Join(folder, fmt.Sprint("step-", 100*step))
		if err := dcp.Save(context.Background(), nil, map[string]any{"step": step}, dir); err != nil {
			panic(err)
		}
	}
	if _, err := dcp.Prune(folder, 2); err != nil {
		panic(err)
	}
	all, err := dcp.List(folder)
	if err != nil {
		panic(err)
	}
	for _, info := range all {
		fmt.Println(filepath.Base(info.Path), info.Number, info.Err)
	}
	// Output:
	// step-200 200 <nil>
	// step-300 300 <nil>
}
