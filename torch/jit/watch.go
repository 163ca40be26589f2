package jit

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// watched identifies a module's script in a captured step. It is a separate type because
// package nn already watches the module itself, for its hooks.
type watched struct{ m *Module }

// watch makes a captured step check, before each replay, that the script has not changed
// since the capture. The check includes submodules, because the script calls them without
// package nn.
func (m *Module) watch() {
	if r := recording.Current(); r != nil {
		r.Watch(watched{m}, m.watcher)
	}
}

// watcher returns a function that says how the script has changed since watcher was
// called.
func (m *Module) watcher() func() string {
	type state struct {
		m       *Module
		trains  bool
		tensors []*torch.Tensor
	}
	var tree []state
	for _, l := range nn.Modules(m) {
		if part, ok := l.(*Module); ok {
			tree = append(tree, state{part, part.Training(), slices.Clone(part.tensors)})
		}
	}
	changes := m.shared.changes.Load()
	return func() string {
		for _, s := range tree {
			switch i := s.m.other(s.tensors); {
			case s.m.Training() && !s.trains:
				return s.m.says("is in training mode, but was in evaluation mode")
			case !s.m.Training() && s.trains:
				return s.m.says("is in evaluation mode, but was in training mode")
			case i >= 0:
				return s.m.says(fmt.Sprintf("has a different %.100q than it had", s.m.names[i]))
			}
		}
		if m.shared.changes.Load() != changes {
			return m.says("has a different attribute, set by SetAttr, than it had")
		}
		return ""
	}
}

// other returns the index of the first tensor of m that is not the same as in the slice
// were, or -1.
func (m *Module) other(were []*torch.Tensor) int {
	for i, t := range m.tensors {
		if t != were[i] {
			return i
		}
	}
	return -1
}

// says returns the reason why a captured step cannot be replayed, with the name of the
// script's class. The parameter what describes the change.
func (m *Module) says(what string) string {
	return fmt.Sprintf("the script %.100q %s when the step was captured", m.class, what)
}
