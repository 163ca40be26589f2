package jit

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// watched is what a recording knows a script by. Package nn watches the same module for its hooks.
type watched struct{ m *Module }

// watch has the graph of a step that is being captured ask before each replay whether the script is
// as it was. Its program calls the modules within it, so that they are asked here.
func (m *Module) watch() {
	if r := recording.Current(); r != nil {
		r.Watch(watched{m}, m.watcher)
	}
}

// watcher returns what says what has changed in the script since now.
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
				return s.m.says("trains, and was in evaluation mode")
			case !s.m.Training() && s.trains:
				return s.m.says("is in evaluation mode, and trained")
			case i >= 0:
				return s.m.says(fmt.Sprintf("has another %.100q than it had", s.m.names[i]))
			}
		}
		if m.shared.changes.Load() != changes {
			return m.says("has another attribute, set by SetAttr, than it had")
		}
		return ""
	}
}

// other returns the number of a tensor that is another one than in were, or -1.
func (m *Module) other(were []*torch.Tensor) int {
	for i, t := range m.tensors {
		if t != were[i] {
			return i
		}
	}
	return -1
}

// says names the module in what a graph refuses to replay for.
func (m *Module) says(what string) string {
	return fmt.Sprintf("the script %.100q %s when the step was captured", m.class, what)
}
