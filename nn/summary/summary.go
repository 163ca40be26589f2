// Package summary shows the structure and cost of a model: parameters, shapes,
// multiplications and memory of its layers. It follows Python's torchinfo, but
// measures the memory.
//
//	fmt.Println(summary.Of(model, func() { model.Forward(x) }))
package summary

import (
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Summary is the result of [Of].
type Summary struct {
	// Rows lists each module once, parents before their children.
	Rows []Row
	// Params is the number of elements of all parameters, each counted once. Trainable
	// counts the elements of parameters that require gradients. Bytes is the memory of
	// parameters and buffers.
	Params, Trainable, Bytes int64
	// MultAdds is the total over all calls; see [Row].
	MultAdds int64
	// Activations is the memory in bytes that the run allocated and did not free. Peak is the
	// largest growth of the memory in use during the run.
	Activations, Peak int64

	depth int
}

// Row describes one module and its calls.
type Row struct {
	Name  string // path from the root, "" for the root itself
	Type  string
	Depth int // 0 for the root
	Index int // position among all modules of this depth, from 1
	// Calls is the number of Forward calls. MultAdds and Activations are sums over all
	// calls. Input and Output are the shapes of the last call.
	Calls         int
	Input, Output []torch.Shape // a nil tensor has a nil shape
	// Params is the number of elements of the module's own parameters. Total includes
	// the modules below.
	Params, Total int64
	// Trainable says whether one of the module's own parameters requires gradients.
	Trainable bool
	// Bytes is the memory of the module's own parameters and buffers.
	Bytes int64
	// MultAdds is the number of multiplications by the module's own parameters. Each element of a
	// weight counts once for each position of the result that uses it. Operations without
	// parameters, such as the products in attention, are not counted.
	MultAdds int64
	// Activations is the memory in bytes that Forward allocated and had not freed when it
	// returned: the result, and the tensors that autograd keeps. For a module that a
	// program defines it includes temporary tensors, which are freed later. Peak is the
	// largest growth of the memory in use during one call.
	Activations, Peak int64
}

// An Option is [Depth].
//
//gotorch:options Depth
type Option interface{ option() }

// Depth is the number of levels below the root that the table shows. All levels are measured. By
// default the table shows all levels; Python's torchinfo shows 3.
type Depth int

// Of runs fn, which calls m's Forward, and returns a summary of m and the modules below
// it:
//
//	s := summary.Of(model, func() { torch.NoGrad(func() { model.Forward(x) }) })
//
// Memory is measured on the device of m's first parameter, or on the default device if m
// has none. The measurement includes allocations by other goroutines at the same time. fn
// runs in its own scope. Changes that Forward makes, such as updated running statistics,
// remain. It panics with ErrNil for a nil module, fn or option, and as memory.Track does.
// If fn panics, Of passes the panic on.
func Of(m nn.Module, fn func(), opts ...Option) Summary {
	const op = "Of"
	s := Summary{depth: int(opt.Read(op, opts, Depth(-1)))}
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	w := watcher{rows: map[*nn.Base]*Row{}, s: &s}
	defer w.stop()
	w.addRows(m)
	run := memory.Track(op, func() { torch.Scope(fn) }, w.device)
	w.stop()
	s.Peak = run.PeakGrowth()
	for _, r := range w.order {
		s.Rows = append(s.Rows, *r)
		s.MultAdds += r.MultAdds
		if r.Depth == 0 {
			s.Activations = r.Activations
		}
	}
	return s
}

// watcher records the calls of all modules in a tree.
type watcher struct {
	s         *Summary
	rows      map[*nn.Base]*Row
	order     []*Row
	hooks     []*nn.Hook
	openCalls []call
	device    memory.Device
}

// call is a call of a module's Forward that has not returned yet.
type call struct {
	row *Row
	mem *memory.Tracking
}

// addRows makes a row for each module, and hooks that record its calls.
func (w *watcher) addRows(root nn.Module) {
	seen := map[*torch.Tensor]bool{}
	indices := map[int]int{}
	if ps := root.Parameters(); len(ps) > 0 {
		w.device = memory.Device(ps[0].Device())
	}
	var visit func(m nn.Module, path string, depth int) *Row
	visit = func(m nn.Module, path string, depth int) *Row {
		b := m.ModuleBase()
		indices[depth]++
		r := &Row{Name: path, Type: b.TypeName(), Depth: depth, Index: indices[depth]}
		w.rows[b] = r
		w.order = append(w.order, r)
		for _, p := range b.Parameters(nn.Recurse(false)) {
			n := p.Numel()
			r.Params += n
			r.Trainable = r.Trainable || p.RequiresGrad()
			r.Bytes += n * p.DType().Size()
			if !seen[p] {
				seen[p] = true
				w.s.Params += n
				w.s.Bytes += n * p.DType().Size()
				if p.RequiresGrad() {
					w.s.Trainable += n
				}
			}
		}
		for _, t := range b.Buffers(nn.Recurse(false)) {
			bytes := t.Numel() * t.DType().Size()
			r.Bytes += bytes
			if !seen[t] {
				seen[t] = true
				w.s.Bytes += bytes
			}
		}
		r.Total = r.Params
		if p := script.Of(m); p == nil || p.Whole() { // hooks do not see the calls within a script
			w.follow(b)
		}
		for _, c := range b.Children() {
			if w.rows[c.Module.ModuleBase()] != nil {
				continue // a layer that two modules share is listed once
			}
			name := c.Name
			if path != "" {
				name = path + "." + name
			}
			r.Total += visit(c.Module, name, depth+1).Total
		}
		return r
	}
	visit(root, "", 0)
}

func (w *watcher) follow(b *nn.Base) {
	pre := b.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
		r := w.rows[m.ModuleBase()]
		r.Calls++
		r.Input = shapes(in)
		w.openCalls = append(w.openCalls, call{r, memory.StartTrack(r.Type, w.device)})
		return nil
	}, nn.Prepend(true))
	post := b.RegisterForwardHook(func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
		r := w.rows[m.ModuleBase()]
		for w.openCalls[len(w.openCalls)-1].row != r {
			w.stopLast() // a call that panicked, and whose panic the program recovered
		}
		used := w.stopLast()
		r.Output = shapes(out)
		r.Activations += used.Net()
		r.Peak = max(r.Peak, used.PeakGrowth())
		r.MultAdds += multAdds(m, in, out)
		return nil
	})
	w.hooks = append(w.hooks, pre, post)
}

func (w *watcher) stopLast() memory.Usage {
	last := len(w.openCalls) - 1
	used := w.openCalls[last].mem.Stop()
	w.openCalls = w.openCalls[:last]
	return used
}

// stop removes the hooks, and ends the measurements that a panic left open.
func (w *watcher) stop() {
	for _, h := range w.hooks {
		h.Remove()
	}
	for len(w.openCalls) > 0 {
		w.stopLast()
	}
	w.hooks = nil
}

func shapes(ts []*torch.Tensor) []torch.Shape {
	list := make([]torch.Shape, len(ts))
	for i, t := range ts {
		if t != nil {
			list[i] = slices.Clone(t.Shape())
		}
	}
	return list
}
