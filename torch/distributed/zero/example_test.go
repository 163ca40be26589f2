package zero_test

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/zero"
)

// An AdamW whose state is divided; the group has one rank here.
func ExampleZeroRedundancyOptimizer() {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	group, err := distributed.InitProcessGroup(context.Background(), distributed.Gloo, distributed.WithStore(store),
		distributed.Rank(0), distributed.WorldSize(1), distributed.Interfaces("lo"))
	if err != nil {
		panic(err)
	}
	defer group.Close()
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}, torch.RequiresGrad)
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
