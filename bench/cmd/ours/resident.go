package main

import (
	"math/rand/v2"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["resident.fresh"] = func(a args) result { return residentWith(a, false) }
	cases["resident.churned"] = func(a args) result { return residentWith(a, true) }
}

// residentWith creates 256 live tensors of one mebibyte each on average. With churn it
// also creates a short-lived tensor in each iteration. It returns the process's resident
// memory after EmptyCache.
func residentWith(a args, churn bool) result {
	const live, atOnce = 256, 64
	sizes := rand.New(rand.NewPCG(1, 2))
	// at most 2 MiB of float32
	size := func() torch.Shape { return torch.Shape{1 + sizes.Int64N(1<<19)} }
	keep := make([]*torch.Tensor, live)
	shapes := make([]torch.Shape, live)
	for i := range shapes {
		shapes[i] = size()
	}
	var passing [atOnce]*torch.Tensor
	for i := range keep {
		keep[i] = torch.Ones(shapes[i])
		if churn {
			for range a.iterations / live {
				place := &passing[sizes.IntN(atOnce)]
				_ = (*place).Close()
				*place = torch.Ones(size())
			}
		}
	}
	for _, t := range passing {
		_ = t.Close()
	}
	memory.Collect()
	memory.EmptyCache(torch.CPU)
	rss := procStatus("VmRSS") << 10
	for _, t := range keep {
		_ = t.Close()
	}
	return result{0, map[string]int64{"rss": rss}}
}
