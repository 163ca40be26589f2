package distributed_test

import (
	"context"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// The steps that DistributedDataParallel of nn/parallel runs around each Forward.
func ExampleReducer() {
	ctx := context.Background()
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	group, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store), distributed.Rank(0),
		distributed.WorldSize(1), distributed.Interfaces("lo"))
	if err != nil {
		panic(err)
	}
	defer group.Close()
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{3}, torch.RequiresGrad(true))
		r, err := distributed.NewReducer(ctx, group, []*torch.Tensor{w}, distributed.ReducerConfig{})
		if err != nil {
			panic(err)
		}
		defer r.Close()
		if err := r.BeginForward(); err != nil {
			panic(err)
		}
		if err := r.PrepareForward(true); err != nil {
			panic(err)
		}
		loss := w.MulScalar(2).Sum()
		if err := r.PrepareBackward(loss); err != nil {
			panic(err)
		}
		r.EndForward()
		loss.Backward() // averages the gradients
		fmt.Println(w.Grad().Float32s())
	})
	// Output: [2 2 2]
}
