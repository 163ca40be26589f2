package main

import (
	"context"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

func init() { cases["allreduce"] = allReduce }

// allReduce times all-reduces of two ranks, which are goroutines, over the loopback
// interface.
func allReduce(a args) result {
	ctx := context.Background()
	store := must(distributed.NewHashStore())
	defer func() { check(store.Close()) }()
	rank := func(r int) (nanos int64) {
		g := must(distributed.InitProcessGroup(ctx, distributed.Gloo, distributed.WithStore(store), distributed.Rank(r),
			distributed.WorldSize(2), distributed.Interfaces("lo"), distributed.Check(a.get("check", 0) != 0)))
		defer func() { check(g.Close()) }()
		x := torch.Ones(torch.Shape{a.get("n", 1)})
		defer func() { check(x.Close()) }()
		return timed(a.iterations, func() { check(g.AllReduce(ctx, x)) })
	}
	var other sync.WaitGroup
	other.Go(func() { rank(1) })
	nanos := rank(0)
	other.Wait()
	return result{nanos: nanos}
}
