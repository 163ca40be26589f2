package jit

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Module is a TorchScript module or submodule, torch.jit.ScriptModule in Python. It is an
// [nn.Layer] and has the methods of nn.Base. Its parameters and buffers are the tensors
// of the script. [Load] returns one.
//
// RegisterParameter and RegisterBuffer each replace one of the script's tensors. Methods
// that would add, remove or rename tensors or submodules panic with ErrValue, because the
// script's program would not see the change: Register, SetSubmodule, Unregister, Derive,
// and therefore pruning and parametrizing a weight. A hook of Forward runs when Go code
// calls the module. Adding a hook to a submodule that another module's program calls
// panics with ErrValue.
//
// Any number of goroutines may call a module. If its methods change attributes other than
// by writing to a tensor, calls are serialized. As with other modules, do not train it,
// move it or load a state dict while other goroutines use it.
//
// Close frees the module and its tensors; otherwise the garbage collector does. A
// submodule is freed with its root.
type Module struct {
	nn.Base
	shared  *shared `torch:"-"`
	h       native.Module
	root    bool                                // whether Load returned this module
	class   string                              // name of the Python class
	names   []string                            // names of the tensors
	slots   []int32                             // index of each tensor in the script
	params  []bool                              // whether each tensor is a parameter
	tensors []*torch.Tensor                     // the tensors that nn.Base has
	known   []*torch.Tensor                     `torch:"-"` // the tensors that the script has
	last    []abi.Tensor                        // the handles of the known tensors
	others  []string                            // names of the other attributes
	forward native.Function                     // 0 if the module has no forward
	call    func(x *torch.Tensor) *torch.Tensor `torch:"-"`
}

// shared is the state that all modules of a tree share.
type shared struct {
	// mu is locked for reading during a call. It is locked for writing while attributes
	// change, which includes all calls of modules whose methods change attributes.
	mu        sync.RWMutex
	exclusive bool            // whether methods change attributes
	calls     goroutine.Mutex // held during a call and its hooks if exclusive is true
	modules   []*Module       // all modules of the tree
	handles   []native.Module // the handles of all modules, and a second handle of the root; nil once freed
	made      bool            // whether newModule has returned successfully
	changes   atomic.Uint64   // the number of calls of SetAttr
	object    named.Object
	cleanup   runtime.Cleanup
}

// own makes s the owner of handles.
func (s *shared) own(handles []native.Module) {
	s.handles, s.object = handles, named.Made(named.Scripts)
	s.cleanup = runtime.AddCleanup(s, freed.free, freed{handles, s.object})
}

// freed holds everything that must be freed once no module of the tree is in use.
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

// Release frees the script's modules; [nn.Base.Close] calls it.
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

// enter locks the script: for a change if alone is true, otherwise for a call. The caller
// must call leave afterwards. enter panics with ErrNil for a nil module and with
// ErrClosed for a closed one.
func (m *Module) enter(op string, alone bool) {
	m.mustBeMade(op)
	s := m.shared
	s.hold(alone)
	if s.handles != nil && s.stale() {
		s.let(alone)
		func() {
			s.mu.Lock()
			defer s.mu.Unlock() // deferred, because update panics if a tensor was closed
			s.update(op)
		}()
		s.hold(alone)
	}
	if s.handles == nil {
		s.let(alone)
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "a closed *jit.Module"))
	}
}

// hold locks mu: for writing if alone is true, otherwise for reading.
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

// stale reports whether a module of the tree has a tensor that the script does not have.
// This happens after LoadStateDict with Assign, and after ToEmpty. The caller must hold the
// lock.
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

// update passes the modules' current tensors to the script. The caller must hold the lock.
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

// refresh updates the modules after a call that has replaced tensors of the script. The
// caller must hold the lock.
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

// slot returns the script's tensor i as a new *Tensor.
func (m *Module) slot(op string, i int) *torch.Tensor {
	r := torch.BeginRaw(op)
	ret := abi.Ret{T: native.Slot(m.h, m.slots[i])}
	return r.Tensor(ret)
}

// note records that both the module and the script have t as tensor i.
func (m *Module) note(i int, t *torch.Tensor) { m.tensors[i], m.known[i], m.last[i] = t, t, t.Handle() }

// replace makes t the module's tensor i. The script already has t.
func (m *Module) replace(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t)
	}
	m.note(i, torch.Disown(t))
}

// register makes t the module's parameter or buffer i. It does not change whether t
// requires a gradient.
func (m *Module) register(i int, t *torch.Tensor) {
	if m.params[i] {
		own.Parameter(t) // makes t a parameter, and does not change whether t requires a gradient
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

// mustBeMade panics if m is nil or was not made by Load.
func (m *Module) mustBeMade(op string) {
	if m == nil || m.shared == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "the *jit.Module was not made by Load"))
	}
}

// Submodule returns the module at a path such as "layer1.0". It returns nil if a module on
// the path is missing or is not a *Module. Follows Module.get_submodule.
func (m *Module) Submodule(path string) *Module {
	m.mustBeMade("jit.Module.Submodule")
	if path == "" {
		return m
	}
	sub, _ := m.Get(path).(*Module)
	return sub
}
