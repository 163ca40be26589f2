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

// Module is a module of TorchScript, torch.jit.ScriptModule in Python, or one within
// another. It is an [nn.Layer], and what nn.Base has it has: its parameters and buffers are
// the script's own tensors. [Load] makes it.
//
// RegisterParameter and RegisterBuffer put another tensor in the place of one that the
// script has. What would give it other names is ErrValue, since its program would not see
// them: Register, SetSubmodule, Unregister, Derive, and so what prunes or parametrizes a
// weight. A hook of Forward runs in the calls that Go makes. A module within another one,
// which that one's program calls, takes no such hook (ErrValue).
//
// Any number of goroutines may call a module. Calls of one whose methods change its
// attributes, other than within a tensor, wait for each other. As with other modules, what
// trains it, moves it or loads a state dict is done while nobody else uses it.
//
// Close frees the module and its tensors; without it the collector does. What is within
// another module is freed with that.
type Module struct {
	nn.Base
	shared  *shared `torch:"-"`
	h       native.Module
	root    bool                                // a Close frees the module
	class   string                              // the class that Python had
	names   []string                            // of the tensors
	slots   []int32                             // where the script has them
	params  []bool                              // which of them are parameters
	tensors []*torch.Tensor                     // where nn.Base has them
	known   []*torch.Tensor                     `torch:"-"` // those that the script has
	last    []abi.Tensor                        // their handles, as they were noted
	others  []string                            // names of other attributes
	forward native.Function                     // 0 if there is none
	call    func(x *torch.Tensor) *torch.Tensor `torch:"-"`
}

// shared is what all modules of a tree have together: the script's side of it.
type shared struct {
	// mu is held for reading during a call, and for writing by whoever changes
	// attributes, which calls of modules that change their own do too.
	mu        sync.RWMutex
	exclusive bool            // calls change attributes
	turn      turn            // of an exclusive module: one call at a time, its hooks included
	modules   []*Module       // all of the tree
	handles   []native.Module // theirs, and the root's own; nil once they were freed
	made      bool            // newModule is done
	changes   atomic.Uint64   // how often SetAttr was called
	object    named.Object
	cleanup   runtime.Cleanup
}

// own makes s the owner of handles.
func (s *shared) own(handles []native.Module) {
	s.handles, s.object = handles, named.Made(named.Scripts)
	s.cleanup = runtime.AddCleanup(s, freed.free, freed{handles, s.object})
}

// freed is what the last of a tree's modules leaves behind.
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

// Release frees the script's side of the module: [nn.Base.Close] calls it.
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

// enter holds the script's side of the module for a call or, if alone, for a change. leave
// follows. It panics with ErrNil or ErrClosed.
func (m *Module) enter(op string, alone bool) {
	m.made(op)
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

// hold takes the lock, for a change if alone.
func (s *shared) hold(alone bool) {
	if alone {
		s.mu.Lock()
	} else {
		s.mu.RLock()
	}
}

// let gives the lock back.
func (s *shared) let(alone bool) {
	if alone {
		s.mu.Unlock()
	} else {
		s.mu.RUnlock()
	}
}

func (m *Module) leave(alone bool) { m.shared.let(alone) }

// stale reports whether a module of the tree was given another tensor than the script has,
// as LoadStateDict with Assign and ToEmpty do. The lock is held.
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

// update gives the script the tensors that modules have now. The lock is held.
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

// refresh takes over tensors that a call has put in the place of others. The lock is held.
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

// slot returns the tensor that the script has as number i, another *Tensor of it.
func (m *Module) slot(op string, i int) *torch.Tensor {
	r := torch.BeginRaw(op)
	ret := abi.Ret{T: native.Slot(m.h, m.slots[i])}
	return r.Tensor(ret)
}

// note says that t is tensor number i here and in the script.
func (m *Module) note(i int, t *torch.Tensor) { m.tensors[i], m.known[i], m.last[i] = t, t, t.Handle() }

// replace makes t, which the script has, the module's tensor number i.
func (m *Module) replace(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t)
	}
	m.note(i, torch.Disown(t))
}

// register makes t the parameter or buffer number i, with or without a gradient as it is.
func (m *Module) register(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t) // it keeps its gradient, or that it has none
		m.RegisterParameter(m.names[i], t)
	} else {
		m.RegisterBuffer(m.names[i], t)
	}
	m.note(i, t)
}

// OriginalName is the name of the class that Python had, original_name in Python.
func (m *Module) OriginalName() string {
	m.made("jit.Module.OriginalName")
	return m.class
}

// made panics for a module that is nil or that Load did not make.
func (m *Module) made(op string) {
	if m == nil || m.shared == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "a *jit.Module that Load did not make"))
	}
}

// Submodule returns the module at a path such as "layer1.0", or nil, if all on the way are
// of this package. Follows Module.get_submodule.
func (m *Module) Submodule(path string) *Module {
	m.made("jit.Module.Submodule")
	if path == "" {
		return m
	}
	sub, _ := m.Get(path).(*Module)
	return sub
}
