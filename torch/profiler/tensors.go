package profiler

import (
	"math"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// sighting is the memory block of a module's or optimizer's tensor at a certain time.
type sighting struct {
	time  int64 // the time from profiler.Clock
	block block
	bytes int64
	is    Category
}

// block is an address on a device. device is -1 for the CPU.
type block struct {
	device int16
	addr   uint64
}

// pass is an outermost forward pass of a module. Times are from profiler.Clock.
type pass struct{ start, end int64 }

// seen holds the addresses and the forward passes that watchTensors recorded.
type seen struct {
	seen   []sighting
	passes map[uintptr][]pass // for each goroutine, in order
}

// watchTensors records the addresses of parameters, gradients, optimizer state and inputs
// of modules each time a module or an optimizer runs. It also records the times of
// forward passes. It does so until stop is called. It keeps no tensors.
func watchTensors() (stop func() seen) {
	w := &tensorWatch{depth: map[uintptr]int{}, seen: seen{passes: map[uintptr][]pass{}}}
	hooks := []interface{ Remove() }{
		nn.RegisterModuleForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			if w.enter(1) == 1 {
				w.note(CategoryInput, in...)
			}
			w.parameters(m.Parameters(nn.Recurse(false)))
			return nil
		}),
		nn.RegisterModuleForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
			w.enter(-1)
			return nil
		}, nn.AlwaysCall(true)),
		optim.RegisterOptimizerStepPreHook(func(o optim.Optimizer) {
			for _, g := range o.ParamGroups() {
				w.parameters(g.Params)
			}
		}),
		optim.RegisterOptimizerStepPostHook(func(o optim.Optimizer) {
			for _, g := range o.ParamGroups() {
				for _, p := range g.Params {
					for _, t := range o.State(p) {
						w.note(CategoryOptimizerState, t)
					}
				}
			}
		}),
	}
	return func() seen {
		for _, h := range hooks {
			h.Remove()
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.seen
	}
}

type tensorWatch struct {
	mu    sync.Mutex
	seen  seen
	depth map[uintptr]int // the number of nested forward passes of each goroutine
}

// enter adds 1 or -1 to the number of forward passes that the goroutine is in, and
// returns the new number.
func (w *tensorWatch) enter(by int) int {
	g := goroutine.ID()
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.depth[g]
	n := max(0, was+by) // the pass may have begun before the profile
	ps := w.seen.passes[g]
	switch {
	case was == 0 && n == 1:
		w.seen.passes[g] = append(ps, pass{profiler.Clock(), math.MaxInt64})
	case was == 1 && n == 0:
		ps[len(ps)-1].end = profiler.Clock()
	}
	w.depth[g] = n
	if n == 0 {
		delete(w.depth, g)
	}
	return n
}

func (w *tensorWatch) parameters(ps []*torch.Tensor) {
	w.note(CategoryParameter, ps...)
	for _, p := range ps {
		if p.IsClosed() || !p.RequiresGrad() {
			continue
		}
		if g := p.Grad(); g != nil {
			w.note(CategoryGradient, g)
			_ = g.Close() // closes only the handle that Grad returned
		}
	}
}

// note records the blocks of tensors. It omits tensors without an address, such as sparse ones.
func (w *tensorWatch) note(is Category, ts ...*torch.Tensor) {
	for _, t := range ts {
		if t.IsClosed() {
			continue
		}
		s := sighting{is: is, block: block{device: -1}}
		switch d := t.Device(); {
		case d.IsCUDA():
			s.block.device = int16(d.Index())
		case !d.IsCPU():
			continue
		}
		err := torch.Try(func() {
			s.bytes = t.StorageBytes()
			s.block.addr = uint64(t.DataPtr()) - uint64(t.StorageOffset()*t.DType().Size())
		})
		if err != nil || s.bytes == 0 {
			continue
		}
		w.mu.Lock()
		s.time = profiler.Clock()
		w.seen.seen = append(w.seen.seen, s)
		w.mu.Unlock()
	}
}
