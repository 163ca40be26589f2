package main

import (
	"context"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

// A goroutine that waits forever keeps its variables alive. Cancel its context to end it.
func leakyGoroutines() (step func(int), end func()) {
	var wg sync.WaitGroup
	never := make(chan struct{})
	return func(int) {
		x := torch.Ones(torch.Shape{64}) // leaks
		wg.Go(func() { <-never; _ = x.Close() })
	}, func() { close(never); wg.Wait() }
}

func fixedGoroutines() (step func(int), end func()) {
	return func(int) {
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		x := torch.Ones(torch.Shape{64})
		wg.Go(func() { <-ctx.Done(); _ = x.Close() })
		cancel()
		wg.Wait()
	}, func() {}
}
