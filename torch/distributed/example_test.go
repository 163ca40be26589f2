package distributed_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// rankOf runs fn on the two ranks of a group, which are goroutines here. Programs get their ranks
// from a launcher instead, such as torchrun:
//
//	group, err := distributed.InitProcessGroup(ctx, distributed.Gloo)
func rankOf(fn func(ctx context.Context, group *distributed.ProcessGroup)) {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	ctx := context.Background()
	var ranks sync.WaitGroup
	for rank := range 2 {
		ranks.Go(func() {
			group, err := distributed.InitProcessGroup(ctx, distributed.Gloo,
				distributed.WithStore(store), distributed.Rank(rank), distributed.WorldSize(2))
			if err != nil {
				panic(err)
			}
			defer group.Close()
			fn(ctx, group)
		})
	}
	ranks.Wait()
}

func Example() {
	rankOf(func(ctx context.Context, group *distributed.ProcessGroup) {
		x := torch.Full(torch.Shape{2}, float64(group.Rank()+1))
		defer x.Close()
		if err := group.AllReduce(ctx, x); err != nil {
			panic(err)
		}
		fmt.Println("sum:", x.Float32s())
	})
	// Output:
	// sum: [3 3]
	// sum: [3 3]
}

func ExampleProcessGroup_AllGatherObject() {
	rankOf(func(ctx context.Context, group *distributed.ProcessGroup) {
		var names []string
		if err := group.AllGatherObject(ctx, fmt.Sprint("rank ", group.Rank()), &names); err != nil {
			panic(err)
		}
		if group.Rank() == 0 {
			fmt.Printf("%q\n", names)
		}
	})
	// Output: ["rank 0" "rank 1"]
}

func ExampleWork() {
	rankOf(func(ctx context.Context, group *distributed.ProcessGroup) {
		x := torch.Ones(torch.Shape{1000})
		defer x.Close()
		work, err := group.AllReduceAsync(ctx, x)
		if err != nil {
			panic(err)
		}
		// ... work that does not need x ...
		if err := work.Wait(ctx); err != nil {
			panic(err)
		}
		if group.Rank() == 0 {
			fmt.Println(x.Sum().Item())
		}
	})
	// Output: 2000
}

func ExampleNewHashStore() {
	store, err := distributed.NewHashStore()
	if err != nil {
		panic(err)
	}
	defer store.Close()
	if err := store.Set("dataset", []byte("v3")); err != nil {
		panic(err)
	}
	value, err := store.Get(context.Background(), "dataset") // waits until the key has a value
	fmt.Println(string(value), err)
	// Output: v3 <nil>
}

func ExampleNewTCPStore() {
	ctx := context.Background()
	server, err := distributed.NewTCPStore(ctx, "127.0.0.1:0", distributed.IsMaster(true))
	if err != nil {
		panic(err)
	}
	defer server.Close()
	client, err := distributed.NewTCPStore(ctx, fmt.Sprint("127.0.0.1:", server.Port()))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	if _, err := server.Add("steps", 10); err != nil {
		panic(err)
	}
	n, err := client.Add("steps", 5)
	fmt.Println(n, err)
	// Output: 15 <nil>
}
