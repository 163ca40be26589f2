// Command mask_cache runs attention for requests of different lengths on several
// goroutines, and caches the causal masks in a sync.Map.
//
// Leaky: the cache's key is a pointer to the request's options, which is different for
// each request. So the cached masks are never found, and each request leaves one mask (up
// to 4 KiB) in a package-level variable.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

const width = 16

type options struct {
	length int64
	window int64 // how far back a word sees; 0: to the beginning
}

type request struct {
	id   int
	opts *options
}

var (
	masks sync.Map // *options to *torch.Tensor
	made  atomic.Int64
)

// mask returns the mask of a request, of shape (length, length): true where a word may
// attend.
func mask(o *options) *torch.Tensor {
	if m, ok := masks.Load(o); ok {
		return m.(*torch.Tensor)
	}
	m := torch.Tidy(func() *torch.Tensor {
		m := torch.Ones(torch.Shape{o.length, o.length}, torch.Bool).Tril()
		if o.window > 0 {
			m = m.LogicalAnd(torch.Ones(torch.Shape{o.length, o.length}, torch.Bool).Triu(torch.Diagonal(-o.window)))
		}
		return m
	})
	made.Add(1)
	kept, _ := masks.LoadOrStore(o, torch.Disown(m)) // want leak
	return kept.(*torch.Tensor)
}

type attention struct{ scale float64 }

func (a *attention) serve(r request) (norm float64) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			x := torch.Randn(torch.Shape{1, 1, r.opts.length, width}).MulScalar(a.scale)
			y := F.ScaledDotProductAttention(x, x, x, F.AttnMask(mask(r.opts)))
			norm = y.Norm().Item()
		})
	})
	return norm
}

func worker(a *attention, in <-chan request, out chan<- float64) {
	for r := range in {
		out <- a.serve(r)
	}
}

func main() {
	torch.ManualSeed(32)
	in, out := make(chan request), make(chan float64)
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() { worker(&attention{0.5}, in, out) })
	}
	go func() {
		for id := range 300 {
			in <- request{id, &options{length: int64(8 + 8*(id%8)), window: int64(4 * (id % 2))}}
		}
		close(in)
		workers.Wait()
		close(out)
	}()
	sum := 0.0
	for v := range out {
		sum += v
	}
	fmt.Printf("mean norm %.3f, %d masks\n", sum/300, made.Load())
}
