package kvcache_test

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// Example stores the keys and values of three tokens, then those of one more.
func Example() {
	spec := kvcache.Uniform(1, kvcache.Layer{Heads: 2, HeadDim: 4}, torch.Float32)
	cache := kvcache.New(spec, kvcache.Capacity(8))
	defer func() { _ = cache.Close() }()

	torch.Scope(func() {
		cache.Update(0, torch.Ones(torch.Shape{1, 2, 3, 4}), torch.Ones(torch.Shape{1, 2, 3, 4}))
		keys, _ := cache.Update(0, torch.Zeros(torch.Shape{1, 2, 1, 4}), torch.Zeros(torch.Shape{1, 2, 1, 4}))
		fmt.Println(keys.Shape())
	})
	fmt.Println(cache.Len(), "tokens, room for", cache.Room())
	fmt.Println(cache.Bytes() == spec.Bytes(1, 8))
	// Output:
	// (1, 2, 4, 4)
	// 4 tokens, room for 4
	// true
}

// Two texts share the memory of a pool and pass through a layer in one batch.
func ExamplePool() {
	spec := kvcache.Uniform(1, kvcache.Layer{Heads: 1, HeadDim: 4}, torch.Float32)
	pool := kvcache.NewPool(spec, 128)
	defer func() { _ = pool.Close() }()
	a, err := pool.NewText(40)
	if err != nil {
		panic(err)
	}
	defer func() { _ = a.Close() }()
	b, err := pool.NewText(10)
	if err != nil {
		panic(err)
	}
	defer func() { _ = b.Close() }()
	fmt.Println(pool.Free(), "of", pool.Tokens())

	torch.Scope(func() {
		batch := pool.NewBatch([]kvcache.Part{{Text: a, Tokens: 3}, {Text: b, Tokens: 2}})
		x := torch.Ones(torch.Shape{1, 1, 5, 4})
		y := batch.Attend(0, x, x, x, 0.5)
		batch.Done()
		fmt.Println(batch.Positions(), y.Shape())
	})
	fmt.Println(a.Len(), b.Len())
	// Output:
	// 32 of 128
	// [0 1 2 0 1] (1, 1, 5, 4)
	// 3 2
}
