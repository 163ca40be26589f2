// Package summary shows what a model is made of and what its layers cost: parameters,
// shapes, multiplications and memory, as pip's torchinfo does, with the memory measured.
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

// Summary is what [Of] found out.
type Summary struct {
	// Rows are the modules, parents before their children, each once.
	Rows []Row
	// Params are the elements of all parameters, each counted once, and Trainable those
	// that require gradients. Bytes are the memory of parameters and buffers.
	Params, Trainable, Bytes int64
	// MultAdds are those of all calls, as [Row] counts them.
	MultAdds int64
	// Activations are the bytes that were alive after the run and not before it, and
	// Peak the most that was alive during it beyond what there was before.
	Activations, Peak int64

	depth int
}

// Row is one module.
type Row struct {
	Name  string // its path, "" for the root
	Type  string
	Depth int // 0 for the root
	Index int // counts the modules of one depth, from 1
	// Calls of its Forward. The numbers below are sums over them, the shapes those of
	// the last.
	Calls         int
	Input, Output []torch.Shape // nil tensors have a nil shape
	// Params are the elements of the module's own parameters, and Total those of the
	// modules below as well.
	Params, Total int64
	// Trainable says whether a parameter of its own requires gradients.
	Trainable bool
	// Bytes are the memory of its own parameters and buffers.
	Bytes int64
	// MultAdds are multiplications by the module's own parameters: each element of a
	// weight counts once for each position of the result that it is used for. What a
	// layer does without parameters, as the products of attention, is not counted.
	MultAdds int64
	// Activations are the bytes that were alive when Forward was done and not before: the
	// result, and what autograd keeps. A module of the program's has not yet freed its
	// temporaries at that point. Peak is the most that was alive meanwhile, in one call.
	Activations, Peak int64
}

// An Option is [Depth].
//
//gotorch:options Depth
type Option interface{ option() }

// Depth is how many levels below the root the table shows. All of them are measured. The
// default is to show all; Python's torchinfo shows 3.
type Depth int

// Of runs fn, which calls m's Forward, and returns what happened in m and below it:
//
//	s := summary.Of(model, func() { torch.NoGrad(func() { model.Forward(x) }) })
//
// Memory is that of the device of m's first parameter, or of the default device; what
// other goroutines do meanwhile is counted too. fn runs in a scope of its own. What
// Forward changes, such as running statistics, is changed. It panics with ErrNil for
// a nil module, fn or option, with what fn panics with, and as memory.Track does.
func Of(m nn.Module, fn func(), opts ...Option) Summary {
	const op = "Of"
	s := Summary{depth: -1}
	for _, o := range opts {
		switch o := o.(type) {
		case Depth:
			s.depth = int(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	w := watch{rows: map[*nn.Base]*Row{}, s: &s}
	defer w.stop()
	w.list(m)
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

// watch follows the calls of a tree of modules.
type watch struct {
	s      *Summary
	rows   map[*nn.Base]*Row
	order  []*Row
	hooks  []*nn.Hook
	open   []call
	device memory.Device
}

// call is one that has not returned.
type call struct {
	row *Row
	mem *memory.Tracking
}

// list makes a row for each module and follows its calls.
func (w *watch) list(root nn.Module) {
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
		if p := script.Of(m); p == nil || p.Whole() { // no hook sees the parts of a script
			w.follow(b)
		}
		for _, c := range b.Children() {
			if w.rows[c.Module.ModuleBase()] != nil {
				continue // a layer that two modules share
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

func (w *watch) follow(b *nn.Base) {
	pre := b.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
		r := w.rows[m.ModuleBase()]
		r.Calls++
		r.Input = shapes(in)
		w.open = append(w.open, call{r, memory.StartTrack(r.Type, w.device)})
		return nil
	}, nn.Prepend(true))
	post := b.RegisterForwardHook(func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
		r := w.rows[m.ModuleBase()]
		for w.open[len(w.open)-1].row != r {
			w.drop() // a call that failed, which the program got over
		}
		used := w.drop()
		r.Output = shapes(out)
		r.Activations += used.Net()
		r.Peak = max(r.Peak, used.PeakGrowth())
		r.MultAdds += multAdds(m, in, out)
		return nil
	})
	w.hooks = append(w.hooks, pre, post)
}

// drop ends the innermost call.
func (w *watch) drop() memory.Usage {
	last := len(w.open) - 1
	used := w.open[last].mem.Stop()
	w.open = w.open[:last]
	return used
}

// stop ends what a panic left.
func (w *watch) stop() {
	for _, h := range w.hooks {
		h.Remove()
	}
	for len(w.open) > 0 {
		w.drop()
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
