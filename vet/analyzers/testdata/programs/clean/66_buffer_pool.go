// Command buffer_pool passes pages of a document through stages that run on goroutines.
// The pages are in tensors from a pool.
//
// Clean: the pool creates at most six tensors, which are reused: each stage passes a
// tensor on when it has finished with it, and the last stage puts the tensor back. close
// frees all tensors.
package main

import (
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

const height, width = 32, 24

// pool lends tensors of one shape.
type pool struct {
	free  chan *torch.Tensor
	all   []*torch.Tensor
	shape torch.Shape
}

func newPool(n int, shape torch.Shape) *pool {
	p := &pool{free: make(chan *torch.Tensor, n), shape: shape}
	for range n {
		t := torch.Zeros(shape)
		p.all = append(p.all, t)
		p.free <- t
	}
	return p
}

func (p *pool) get() *torch.Tensor  { return <-p.free }
func (p *pool) put(t *torch.Tensor) { p.free <- t }

func (p *pool) close() {
	for _, t := range p.all {
		_ = t.Close()
	}
}

type page struct {
	number int
	pixels *torch.Tensor
}

func scan(p *pool, pages int, out chan<- page) {
	defer close(out)
	for i := range pages {
		t := p.get()
		t.Uniform_(0, 1)
		out <- page{i, t}
	}
}

// clean stretches the contrast of a page in place.
func clean(in <-chan page, out chan<- page) {
	for pg := range in {
		torch.Scope(func() {
			low, high := pg.pixels.Min(), pg.pixels.Max()
			pg.pixels.Sub_(low).Div_(high.Sub(low)).Clamp_(0.1, 0.9)
		})
		out <- pg
	}
}

func main() {
	torch.ManualSeed(46)
	p := newPool(6, torch.Shape{height, width})
	defer p.close()
	scanned, cleaned := make(chan page, 2), make(chan page, 2)
	go scan(p, 200, scanned)
	var cleaners sync.WaitGroup
	for range 2 {
		cleaners.Go(func() { clean(scanned, cleaned) })
	}
	go func() { cleaners.Wait(); close(cleaned) }()
	ink, pages := 0.0, 0
	for pg := range cleaned {
		torch.Scope(func() { ink += pg.pixels.LtScalar(0.2).Sum().Item() })
		p.put(pg.pixels)
		pages++
	}
	fmt.Printf("%d pages, %.1f dark pixels on each\n", pages, ink/float64(pages))
}
