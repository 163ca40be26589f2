package profiler

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// watchModules records every forward pass of a module as a region until undo is called.
// Names are Python's: the type of the module and a number. Modules of the same type are
// numbered in the order of their first calls.
func watchModules() (undo func()) {
	w := &watched{names: map[nn.Module]string{}, types: map[string]int{}, open: map[uintptr][]*region.Region{}}
	before := nn.RegisterModuleForwardPreHook(func(m nn.Module, _ []*torch.Tensor) []*torch.Tensor {
		w.begin(m)
		return nil
	})
	after := nn.RegisterModuleForwardHook(func(nn.Module, []*torch.Tensor, []*torch.Tensor) []*torch.Tensor {
		w.end()
		return nil
	}, nn.AlwaysCall(true))
	return func() {
		before.Remove()
		after.Remove()
	}
}

type watched struct {
	mu    sync.Mutex
	names map[nn.Module]string
	types map[string]int
	open  map[uintptr][]*region.Region // for each goroutine, the innermost last
}

func (w *watched) begin(m nn.Module) {
	w.mu.Lock()
	name, ok := w.names[m]
	if !ok {
		t := reflect.TypeOf(m)
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name = fmt.Sprintf("nn.Module: %s_%d", t.Name(), w.types[t.Name()])
		w.types[t.Name()]++
		w.names[m] = name
	}
	w.mu.Unlock()
	r := region.Begin(name, region.Module)
	g := goroutine.ID()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[g] = append(w.open[g], r)
}

func (w *watched) end() {
	g := goroutine.ID()
	w.mu.Lock()
	defer w.mu.Unlock()
	if open := w.open[g]; len(open) > 0 { // else the pass began before the profile
		open[len(open)-1].Finish()
		w.open[g] = open[:len(open)-1]
	}
}
