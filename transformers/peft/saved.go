package peft

import (
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Saved is a module that adapters train as a whole, each adapter its own copy. [Add] makes
// it for [ModulesToSave]. Follows ModulesToSaveWrapper.
type Saved struct {
	nn.Base
	OriginalModule nn.Layer
	ModulesToSave  *nn.ModuleDict

	state *state `torch:"-"`
}

func newSaved(m nn.Layer, s *state) *Saved {
	w := &Saved{OriginalModule: m, ModulesToSave: nn.NewModuleDict(), state: s}
	w.Init(w, nn.TypeName("ModulesToSaveWrapper"))
	return w
}

// addCopy adds a copy of the module for an adapter.
func (w *Saved) addCopy(name string) {
	w.ModulesToSave.Add(name, nn.DeepCopy(w.OriginalModule))
	w.SetTraining(w.OriginalModule.ModuleBase().Training())
}

// current returns the copy of the active adapter, or the module if it has none.
func (w *Saved) current() nn.Layer {
	for _, name := range w.state.active {
		if w.ModulesToSave.Has(name) {
			return w.ModulesToSave.At(name).(nn.Layer)
		}
	}
	return w.OriginalModule
}

// Forward runs the copy of the active adapter, or the module if it has none.
func (w *Saved) Forward(x *torch.Tensor) *torch.Tensor {
	return w.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if w.state.disabled {
			return w.OriginalModule.Forward(x)
		}
		return w.current().Forward(x)
	})
}

// remove closes the copy of an adapter.
func (w *Saved) remove(name string) {
	if w.ModulesToSave.Has(name) {
		_ = w.ModulesToSave.Pop(name).ModuleBase().Close()
	}
}

// trains sets which copies are trained.
func (w *Saved) trains(names []string) {
	for _, name := range w.ModulesToSave.Keys() {
		w.ModulesToSave.At(name).ModuleBase().SetRequiresGrad(slices.Contains(names, name))
	}
}
