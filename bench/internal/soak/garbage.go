package soak

import (
	"fmt"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

// garbage adds large tensors that are never closed.
func garbage(w *Worker) error {
	n := pick(w, []int64{1 << 18, 1 << 20}) // elements: 1 or 4 MiB
	sum := torch.Ones(torch.Shape{n})
	rounds := 10 + w.Rand.IntN(40)
	for range rounds {
		sum = sum.Add(torch.Ones(torch.Shape{n}))
	}
	if got := sum.Index(-1).Item(); got != float64(rounds+1) {
		return fmt.Errorf("the sum of %d ones is %v", rounds+1, got)
	}
	return nil
}

// emptyCache empties the cache while other workers run.
func emptyCache(*Worker) error {
	memory.EmptyCache(torch.CPU)
	return nil
}
