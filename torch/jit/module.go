package jit

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Module is a TorchScript module, torch.jit.ScriptModule in Python, or a submodule of
// one. It is an [nn.Layer] with the methods of nn.Base; its parameters and buffers are
// the script's own tensors. [Load] makes it.
//
// RegisterParameter and RegisterBuffer replace one of the script's tensors. Methods that
// would change its names are ErrValue, since its program would not see the change:
// Register, SetSubmodule, Unregister, Derive, and therefore pruning and parametrizing a
// weight. A hook of Forward runs in calls from Go. A submodule that another module's
// program calls takes no such hook (ErrValue).
//
// Any number of goroutines may call a module. If its methods change attributes, other
// than by writing to a tensor, calls are serialized. As with other modules, do not train
// it, move it or load a state dict while others use it.
//
// Close frees the module and its tensors; otherwise the garbage collector does. A
// submodule is freed with its root.
type Module struct {
	nn.Base
	shared  *shared `torch:"-"`
	h       native.Module
	root    bool                                // Close frees the module
	class   string                              // its Python class
	names   []string                            // of the tensors
	slots   []int32                             // where the script has them
	params  []bool                              // which of them are parameters
	tensors []*torch.Tensor                     // as registered with nn.Base
	known   []*torch.Tensor                     `torch:"-"` // as known to the script
	last    []abi.Tensor                        // their handles when they were recorded
	others  []string                            // names of other attributes
	forward native.Function                     // 0 if there is none
	call    func(x *torch.Tensor) *torch.Tensor `torch:"-"`
}

// shared is what all modules of a tree share: the script's side of it.
type shared struct {
	// mu is held for reading during a call. It is held for writing while attributes
	// change, which includes calls of modules that change their own.
	mu        sync.RWMutex
	exclusive bool            // calls change attributes
	turn      turn            // serializes calls of an exclusive module, including hooks
	modules   []*Module       // all of the tree
	handles   []native.Module // theirs, and the root's own; nil once freed
	made      bool            // newModule is done
	changes   atomic.Uint64   // number of calls of SetAttr
	object    named.Object
	cleanup   runtime.Cleanup
}

// own makes s the owner of handles.
func (s *shared) own(handles []native.Module) {
	s.handles, s.object = handles, named.Made(named.Scripts)
	s.cleanup = runtime.AddCleanup(s, freed.free, freed{handles, s.object})
}

// freed frees the script's side after the last of a tree's modules.
type freed struct {
	handles []native.Module
	object  named.Object
}

func (f freed) free() {
	for _, h := range f.handles {
		native.Free(h)
	}
	f.object.Gone()
}

// Release frees the script's side of the module; [nn.Base.Close] calls it.
func (m *Module) Release() {
	if m == nil || m.shared == nil || !m.root {
		return
	}
	m.shared.mu.Lock()
	defer m.shared.mu.Unlock()
	if m.shared.handles != nil {
		m.shared.cleanup.Stop()
		freed{m.shared.handles, m.shared.object}.free()
		m.shared.handles = nil
	}
}

// enter locks the script's side of the module for a call or, if alone is set, for a
// change. Call leave afterwards. It panics with ErrNil or ErrClosed.
func (m *Module) enter(op string, alone bool) {
	m.mustBeMade(op)
	s := m.shared
	s.hold(alone)
	if s.handles != nil && s.stale() {
		s.let(alone)
		func() {
			s.mu.Lock()
			defer s.mu.Unlock() // also if a tensor was closed
			s.update(op)
		}()
		s.hold(alone)
	}
	if s.handles == nil {
		s.let(alone)
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "a closed *jit.Module"))
	}
}

// hold takes the lock, exclusively if alone is set.
func (s *shared) hold(alone bool) {
	if alone {
		s.mu.Lock()
	} else {
		s.mu.RLock()
	}
}

func (s *shared) let(alone bool) {
	if alone {
		s.mu.Unlock()
	} else {
		s.mu.RUnlock()
	}
}

func (m *Module) leave(alone bool) { m.shared.let(alone) }

// stale reports whether a module of the tree was given a tensor that the script does not
// have, as LoadStateDict with Assign and ToEmpty do. The lock must be held.
func (s *shared) stale() bool {
	for _, m := range s.modules {
		for i, t := range m.tensors {
			if t != m.known[i] {
				return true
			}
		}
	}
	return false
}

// update passes the modules' current tensors to the script. The lock must be held.
func (s *shared) update(op string) {
	if s.handles == nil {
		return
	}
	for _, m := range s.modules {
		for i, t := range m.tensors {
			if t == m.known[i] || t == nil {
				continue
			}
			h := t.HandleFor(op+"("+m.names[i]+")", 0)
			r := torch.BeginRaw(op, t)
			st := native.SetSlot(m.h, m.slots[i], h)
			r.Status(st)
			m.known[i], m.last[i] = t, h
		}
	}
}

// refresh takes over tensors that a call has replaced. The lock must be held.
func (s *shared) refresh(op string) {
	for _, m := range s.modules {
		if len(m.slots) == 0 {
			continue
		}
		handles, now := make([]native.Module, len(m.slots)), make([]abi.Tensor, len(m.slots))
		for i := range handles {
			handles[i] = m.h
		}
		r := torch.BeginRaw(op)
		st := native.Peek(handles, m.slots, now)
		r.Status(st)
		for i, h := range now {
			if h != 0 && h != m.last[i] {
				m.replace(i, m.slot(op, i))
			}
		}
	}
}

// slot returns the script's tensor number i as a new *Tensor.
func (m *Module) slot(op string, i int) *torch.Tensor {
	r := torch.BeginRaw(op)
	ret := abi.Ret{T: native.Slot(m.h, m.slots[i])}
	return r.Tensor(ret)
}

// note records that t is tensor number i here and in the script.
func (m *Module) note(i int, t *torch.Tensor) { m.tensors[i], m.known[i], m.last[i] = t, t, t.Handle() }

// replace makes t, which the script has, the module's tensor number i.
func (m *Module) replace(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t)
	}
	m.note(i, torch.Disown(t))
}

// register makes t the parameter or buffer number i, requiring a gradient as before.
func (m *Module) register(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t) // keeps whether it requires a gradient
		m.RegisterParameter(m.names[i], t)
	} else {
		m.RegisterBuffer(m.names[i], t)
	}
	m.note(i, t)
}

// OriginalName returns the name of the module's Python class; original_name in Python.
func (m *Module) OriginalName() string {
	m.mustBeMade("jit.Module.OriginalName")
	return m.class
}

// mustBeMade panics for a nil module, and for one that was not made by Load.
func (m *Module) mustBeMade(op string) {
	if m == nil || m.shared == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "a *jit.Module that was not made by Load"))
	}
}

// Submodule returns the module at a path such as "layer1.0", or nil if one on the way is
// not of this package. Follows Module.get_submodule.
func (m *Module) Submodule(path string) *Module {
	m.mustBeMade("jit.Module.Submodule")
	if path == "" {
		return m
	}
	sub, _ := m.Get(path).(*Module)
	return sub
}
