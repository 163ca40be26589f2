package main

import "github.com/gotorch/gotorch/torch"

// A cache without a maximum size is a leak.
func leakyCaches() (step func(int), end func()) {
	cache := map[int]*torch.Tensor{}
	return scoped(func(i int) {
		if cache[i] == nil {
			cache[i] = torch.Keep(torch.Ones(torch.Shape{128})) // leaks
		}
	}), func() { evict(cache, 0) }
}

func fixedCaches() (step func(int), end func()) {
	cache := map[int]*torch.Tensor{}
	return scoped(func(i int) {
		if cache[i] == nil {
			evict(cache, 3)
			cache[i] = torch.Keep(torch.Ones(torch.Shape{128}))
		}
	}), func() { evict(cache, 0) }
}

// evict removes entries until at most n are left.
func evict(cache map[int]*torch.Tensor, n int) {
	for k, v := range cache {
		if len(cache) <= n {
			return
		}
		_ = v.Close()
		delete(cache, k)
	}
}
