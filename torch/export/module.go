package export

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Module is an exported program, or a part of one: the module that ExportedProgram.module
// returns in Python. It is an [nn.Layer] and has the methods of nn.Base. Its parameters and
// buffers are the tensors of the program, under Python's names. [Load] returns one.
//
// RegisterParameter and RegisterBuffer each replace one of the program's tensors. Methods
// that would add, remove or rename tensors or submodules panic with ErrValue, because the
// program would not see the change. A hook of Forward runs when Go code calls the module;
// adding a hook to a submodule panics with ErrValue, because the program does not call its
// submodules.
//
// Any number of goroutines may call a module that does not change its buffers. As with
// other modules, do not train it, move it or load a state dict while other goroutines use
// it. Close frees the module and its tensors; otherwise the garbage collector does.
type Module struct {
	nn.Base
	shared  *shared                             `torch:"-"`
	class   string                              // name of the Python class, or ""
	names   []string                            // names of the tensors of this module
	tensors []**torch.Tensor                    // where nn.Base has them
	mode    byte                                // the mode that Train or Eval set, or AsExported
	call    func(x *torch.Tensor) *torch.Tensor `torch:"-"`
}

// shared is the state that all modules of a tree share.
type shared struct {
	mu        sync.RWMutex // locked for reading during a call, for writing while the program is freed
	program   *held        // nil once closed
	root      *Module
	inputs    []place         // where the tensors of the program's inputs are
	constants []*torch.Tensor // tensors other than parameters and buffers
	made      bool            // whether newModule has returned
	modal     []*Module       // the modules with operators that depend on the mode
	cleanup   runtime.Cleanup
}

// held is a program and how many modules use it.
type held struct {
	*program
	users atomic.Int64
}

func (h *held) drop() {
	if h.users.Add(-1) == 0 {
		h.free()
	}
}

// place is where a tensor is: in a module, or among the constants.
type place struct {
	m *Module
	i int
}

func (p place) get(s *shared) *torch.Tensor {
	if p.m == nil {
		return s.constants[p.i]
	}
	return *p.m.tensors[p.i]
}

// newModule makes the tree of modules of a program, and takes ownership of both arguments
// unless it returns an error.
func newModule(p *program, w *weights) (*Module, error) {
	h := &held{program: p}
	h.users.Add(1)
	m, err := h.tree(func(in *input) (*torch.Tensor, error) {
		t := w.tensors[in.name]
		if t == nil {
			return nil, fmt.Errorf("there is no tensor %.80q", in.name)
		}
		return t, nil
	})
	if err != nil {
		return nil, err
	}
	used := map[*torch.Tensor]bool{}
	for _, at := range m.shared.inputs {
		if at.i >= 0 {
			used[at.get(m.shared)] = true
		}
	}
	for _, t := range w.tensors {
		if !used[t] {
			_ = t.Close() // never fails
		}
	}
	return m, nil
}

// tree makes the modules. tensor returns the tensor of an input.
func (h *held) tree(tensor func(in *input) (*torch.Tensor, error)) (m *Module, err error) {
	s := &shared{program: h, inputs: make([]place, len(h.inputs))}
	s.root = s.module("")
	modules := map[string]*Module{"": s.root}
	parameters := map[string]place{}
	for i := range h.inputs {
		in := &h.inputs[i]
		s.inputs[i].i = -1
		if in.kind != parameter && in.kind != buffer && in.kind != constantTensor {
			continue
		}
		t, err := tensor(in)
		if err != nil {
			return nil, err
		}
		if in.kind == constantTensor {
			s.inputs[i] = place{nil, len(s.constants)}
			s.constants = append(s.constants, t)
			continue
		}
		// PyTorch 2.7 gives a tied parameter two inputs with one name.
		if at, ok := parameters[in.name]; ok && in.kind == parameter {
			s.inputs[i] = at
			continue
		}
		if err := torch.Try(func() { s.inputs[i] = s.put(modules, in, t) }); err != nil {
			return nil, fmt.Errorf("tensor %.80q: %s", in.name, message(err))
		}
		if in.kind == parameter {
			parameters[in.name] = s.inputs[i]
		}
	}
	for _, d := range h.modal {
		if err := torch.Try(func() { s.modal = append(s.modal, s.at(modules, d.path)) }); err != nil {
			return nil, fmt.Errorf("module %.80q: %s", d.path, message(err))
		}
	}
	s.root.call = s.root.runOne
	s.cleanup = runtime.AddCleanup(s, (*held).drop, h)
	s.root.SetTraining(h.training || slices.ContainsFunc(h.modal, func(d modal) bool { return d.train }))
	for i, d := range h.modal {
		s.modal[i].SetTraining(d.train)
	}
	s.made = true
	return s.root, nil
}

// message returns the message of an error that torch.Try returned.
func message(err error) string {
	var e *torch.Error
	errors.As(err, &e) // Try returns no other
	return strings.TrimPrefix(e.Message, "argument name: ")
}

// module makes the module at a path, without children.
func (s *shared) module(path string) *Module {
	m := &Module{shared: s, class: s.program.classes[path]}
	name := m.class
	if name == "" {
		name = "Module"
	}
	if path == "" {
		name = "GraphModule"
	}
	m.Init(m, nn.TypeName(plain.Text(name)))
	return m
}

// put registers a tensor at its place in the tree.
func (s *shared) put(modules map[string]*Module, in *input, t *torch.Tensor) place {
	path, name := "", in.name
	if at := strings.LastIndexByte(in.name, '.'); at >= 0 {
		path, name = in.name[:at], in.name[at+1:]
	}
	m := s.at(modules, path)
	if slices.Contains(m.names, name) {
		panic(torch.NewError("export.Load", torch.ErrValue, "name", "it occurs twice"))
	}
	m.names, m.tensors = append(m.names, name), append(m.tensors, new(*torch.Tensor))
	if in.kind == buffer {
		m.RegisterBuffer(name, t, nn.Persistent(in.persistent))
	} else {
		own.Parameter(t) // so that RegisterParameter does not unfreeze it
		m.RegisterParameter(name, t)
	}
	return place{m, len(m.names) - 1}
}

// at returns the module with the given path, and makes it and those above it if necessary.
func (s *shared) at(modules map[string]*Module, path string) *Module {
	if m := modules[path]; m != nil {
		return m
	}
	// A module takes far more memory than its name in a file.
	if strings.Count(path, ".") >= deepest || len(modules) > 4*(len(s.inputs)+len(s.program.nodes))+fewObjects {
		panic(torch.NewError("export.Load", torch.ErrValue, "name", "too many modules, or modules nested too deeply"))
	}
	above, name := "", path
	if at := strings.LastIndexByte(path, '.'); at >= 0 {
		above, name = path[:at], path[at+1:]
	}
	m := s.module(path)
	s.at(modules, above).Register(name, m)
	modules[path] = m
	return m
}

// Release frees the program; [nn.Base.Close] calls it.
func (m *Module) Release() {
	if m == nil || m.shared == nil || m.shared.root != m {
		return
	}
	s := m.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil {
		return
	}
	s.cleanup.Stop()
	for _, t := range s.constants {
		_ = t.Close() // never fails
	}
	s.program.drop()
	s.program = nil
}

// DeepCopy returns a copy of the module with its own parameters and buffers, in the same
// mode. Hooks and gradients are not copied; [nn.DeepCopy] copies them. It panics with
// ErrClosed after Close, and with ErrValue for a part of a program. Follows copy.deepcopy.
func (m *Module) DeepCopy() *Module { return m.copied("export.Module.DeepCopy") }

func (m *Module) copied(op string) *Module {
	p := m.enter(op)
	defer m.shared.mu.RUnlock()
	s := m.shared
	copies := map[*torch.Tensor]*torch.Tensor{}
	made := false
	p.users.Add(1)
	defer func() {
		if !made {
			p.drop()
			for _, t := range copies {
				_ = t.Close() // never fails
			}
		}
	}()
	at := 0
	twin, err := p.tree(func(in *input) (*torch.Tensor, error) {
		for s.inputs[at].i < 0 {
			at++
		}
		t := s.inputs[at].get(s)
		at++
		if copies[t] == nil {
			t.HandleFor(op+"("+in.name+")", 0) // panics if t is closed
			torch.NoGrad(func() {
				values := t.Detach()
				copies[t] = torch.Disown(values.Clone())
				_ = values.Close() // never fails
			})
			copies[t].SetRequiresGrad(t.RequiresGrad())
		}
		return copies[t], nil
	})
	if err != nil {
		panic(torch.NewError(op, torch.ErrRuntime, "receiver", err.Error()))
	}
	made = true
	theirs := nn.Modules(m)
	for i, d := range nn.Modules(twin) { // lists parents before their children
		if b := d.ModuleBase(); b.Training() != theirs[i].ModuleBase().Training() {
			b.SetTraining(!b.Training())
		}
	}
	for i, d := range s.modal {
		twin.shared.modal[i].mode = d.mode
	}
	return twin
}

// enter locks the program for a call. The caller must unlock mu for reading afterwards.
func (m *Module) enter(op string) *held {
	if m == nil || m.shared == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "expected a *export.Module that Load returned"))
	}
	if m.shared.root != m {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			"a part of an exported program, which only runs as a whole"))
	}
	m.shared.mu.RLock()
	if m.shared.program == nil {
		m.shared.mu.RUnlock()
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "a closed *export.Module"))
	}
	return m.shared.program
}

// side gives package nn access to a module's program.
type side Module

// Script gives package nn access to the module's program. Programs do not need it.
func (m *Module) Script() script.Program {
	if m == nil || m.shared == nil {
		return nil
	}
	return (*side)(m)
}

// Slot implements [script.Program].
func (p *side) Slot(name string) **torch.Tensor {
	if i := slices.Index(p.names, name); i >= 0 {
		return p.tensors[i]
	}
	return nil
}

// Origin implements [script.Program].
func (p *side) Origin() script.Origin {
	return script.Origin{Noun: "an exported program", Function: "torch.export.export"}
}

// Class implements [script.Program].
func (p *side) Class() string { return p.class }

// Made implements [script.Program].
func (p *side) Made() bool { return p.shared.made }

// Whole implements [script.Program].
func (p *side) Whole() bool { return p.shared.root == (*Module)(p) || !p.shared.made }

// Train implements [script.Program].
func (p *side) Train(_ string, on bool) {
	switch {
	case !p.shared.made: // newModule sets the mode in which the program was exported
	case on:
		p.mode = native.Training
	default:
		p.mode = native.Evaluation
	}
}

// Copy implements [script.Program].
func (p *side) Copy(op string) any { return (*Module)(p).copied(op) }
