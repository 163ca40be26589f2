package zero_test

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/zero"
)

// alone returns a group of one rank. Programs call distributed.InitProcessGroup instead.
func alone() *distributed.ProcessGroup {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	group, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(0), distributed.WorldSize(1), distributed.Interfaces("lo"))
	if err != nil {
		panic(err)
	}
	return group
}

// Trains with an AdamW whose state is sharded.
func Example() {
	group := alone()
	defer group.Close()
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		opt, err := zero.NewZeroRedundancyOptimizer(group, optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.5)))
		if err != nil {
			panic(err)
		}
		defer opt.Close()
		w.Square().Sum().Backward()
		opt.Step()
		fmt.Println(len(opt.OwnParameters()), len(opt.State(w)))
	})
	// Output: 1 3
}

// The state of all ranks, gathered on rank 0, can be loaded into an unsharded optimizer.
func ExampleZeroRedundancyOptimizer() {
	group := alone()
	defer group.Close()
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
		opt, err := zero.NewZeroRedundancyOptimizer(group,
			optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.5), optim.Momentum(0.9)))
		if err != nil {
			panic(err)
		}
		defer opt.Close()
		w.Square().Sum().Backward()
		opt.Step()
		if err := opt.ConsolidateStateDict(context.Background(), 0); err != nil {
			panic(err)
		}
		plain := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.5), optim.Momentum(0.9))
		defer plain.Close()
		fmt.Println(plain.LoadStateDict(opt.StateDict()), plain.State(w)["momentum_buffer"].Float32s())
	})
	// Output: <nil> [2 2]
}
