package export

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// watched identifies a program in a captured step. It is a separate type because package nn
// already watches the module itself, for its hooks.
type watched struct{ s *shared }

// watch makes a captured step check, before each replay, that the program's modes and
// tensors have not changed since the capture.
func (s *shared) watch() {
	if r := recording.Current(); r != nil {
		r.Watch(watched{s}, s.watcher)
	}
}

// watcher returns a function that says how the program has changed since watcher was called.
func (s *shared) watcher() func() string {
	modes, tensors := s.modes(), s.tensors()
	return func() string {
		for i, m := range s.modal {
			if m.mode != modes[i] {
				return m.says(fmt.Sprintf("is %s, but was %s", modeName(m.mode), modeName(modes[i])))
			}
		}
		for i, t := range s.tensors() {
			if t != tensors[i] {
				at := s.inputs[i]
				return at.m.says(fmt.Sprintf("has a different %.100q than it had", at.m.names[at.i]))
			}
		}
		return ""
	}
}

// tensors returns the tensors of the program's inputs, nil for other inputs.
func (s *shared) tensors() []*torch.Tensor {
	all := make([]*torch.Tensor, len(s.inputs))
	for i, at := range s.inputs {
		if at.i >= 0 {
			all[i] = at.get(s)
		}
	}
	return all
}

func modeName(mode byte) string {
	return map[byte]string{
		native.AsExported: "in the mode of the export", native.Training: "in training mode",
		native.Evaluation: "in evaluation mode",
	}[mode]
}

// says returns the reason why a captured step cannot be replayed.
func (m *Module) says(what string) string {
	return fmt.Sprintf("the %.100q of an exported program %s when the step was captured", m.TypeName(), what)
}
