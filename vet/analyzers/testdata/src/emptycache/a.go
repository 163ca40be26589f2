package emptycache

import (
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func every(n int, work func()) {
	for range n {
		work()
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
	}
	for i := 0; i < n; i++ {
		torch.Scope(func() {
			work()
			memory.EmptyCache() // want `memory.EmptyCache in every iteration`
		})
	}
}

func down(n int, work func()) {
	for i := n; i >= 0; i-- {
		work()
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
	}
}

func epoch(loader *data.Loader, work func(data.Batch)) {
	for batch := range loader.All() {
		work(batch)
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
	}
	memory.EmptyCache()
}

func seldom(n int, work func()) {
	for i := range n {
		work()
		if i%256 == 255 {
			memory.EmptyCache()
		}
	}
	for i := range n {
		work()
		if i%256 != 0 {
			continue
		}
		memory.EmptyCache()
	}
	for range 5 {
		work()
		memory.EmptyCache()
	}
	for _, f := range []func(){work, work} {
		f()
		memory.EmptyCache()
	}
	for range n {
		defer memory.EmptyCache()
		later(func() { memory.EmptyCache() })
	}
}

func later(func()) {}
