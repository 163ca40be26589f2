package join_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
)

// Rank 0 has two batches and rank 1 has five. Rank 0 contributes zeros to the averages of
// rank 1's last three batches. Here the ranks are goroutines.
func Example() {
	ctx := context.Background()
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	rank := func(r int) {
		group, err := distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store),
			distributed.Rank(r),
			distributed.WorldSize(2), distributed.Interfaces("lo"))
		if err != nil {
			panic(err)
		}
		defer group.Close()
		net, err := parallel.NewDistributedDataParallel(ctx, nn.NewLinear(4, 1), group)
		if err != nil {
			panic(err)
		}
		defer net.Close()
		err = join.Join(ctx, []join.Joinable{net}, func() error {
			for range []int{2, 5}[r] {
				torch.Scope(func() { net.Forward(torch.Ones(torch.Shape{8, 4})).Sum().Backward() })
			}
			return nil
		})
		if r == 0 {
			fmt.Println(err)
		}
	}
	var ranks sync.WaitGroup
	ranks.Go(func() { rank(1) })
	rank(0)
	ranks.Wait()
	// Output: <nil>
}
