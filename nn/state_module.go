package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// ExtraState is what a module implements that has more state than its parameters
// and buffers. It is part of the state dict under the name "_extra_state".
// Follows Module.get_extra_state and Module.set_extra_state.
type ExtraState interface {
	// GetExtraState returns the state: a tensor of the module's own, or a new one,
	// which belongs to the innermost scope.
	GetExtraState() *torch.Tensor
	// SetExtraState takes what GetExtraState returned, which stays the caller's.
	SetExtraState(t *torch.Tensor)
}

const extraStateName = "_extra_state"

// StateDict returns the parameters and persistent buffers of the module and of
// everything below it, and what modules with an [ExtraState] add. The tensors are
// the module's own, not copies: they change with training and must not be closed.
// It panics with ErrValue if a module of the tree holds a layer or parameter that
// was not registered. Follows Module.state_dict.
func (b *Base) StateDict() StateDict {
	b.checkTree("StateDict")
	var sd StateDict
	b.addState(&sd, "")
	return sd
}

// addState appends the state of a module and of those below it. Shared modules
// and tensors appear under each of their names, as in Python.
func (b *Base) addState(sd *StateDict, path string) {
	prefix := path + "."
	if path == "" {
		prefix = ""
	}
	if h := b.states; h != nil {
		for _, hook := range h.pre {
			hook.state(b.self, nil, prefix)
		}
	}
	for _, e := range b.ownState(nil) {
		*sd = append(*sd, NamedTensor{join(path, e.name), e.tensor})
	}
	if m, ok := b.self.(ExtraState); ok {
		*sd = append(*sd, NamedTensor{join(path, extraStateName), m.GetExtraState()})
	}
	for _, c := range b.children {
		c.Module.ModuleBase().addState(sd, join(path, c.Name))
	}
	if h := b.states; h != nil {
		for _, hook := range h.post {
			hook.state(b.self, sd, prefix)
		}
	}
}

// stateTensor is a tensor that LoadStateDict loads.
type stateTensor struct {
	name   string
	tensor *torch.Tensor
	b      *Base
	e      *entry
}

// ownState appends the parameters and persistent buffers of one module.
func (b *Base) ownState(list []stateTensor) []stateTensor {
	for i := range b.params {
		if t := b.params[i].parameter(b); t != nil {
			list = append(list, stateTensor{b.params[i].name, t, b, &b.params[i]})
		}
	}
	for i := range b.buffers {
		if t := b.buffers[i].buffer(); t != nil && !b.buffers[i].transient {
			list = append(list, stateTensor{b.buffers[i].name, t, b, &b.buffers[i]})
		}
	}
	return list
}

// A LoadOption is an option of [Base.LoadStateDict]: [Strict], [Assign].
type LoadOption interface{ loadOption() }

// Strict says whether both sides must have the same names. The default is true;
// for [Base.SetSubmodule] it is false.
type Strict bool

// Assign says whether the module takes the tensors of the state dict in place of
// their values: nothing is copied, and dtype, device and layout are those of the
// state dict. The module and the state dict share the memory then, and each of
// them can be closed. Parameters keep their identity and lose their gradients; those
// that were on the meta device are closed and have others in their place, so make
// the optimizer afterwards. The default is false.
type Assign bool

func (Strict) loadOption() {}
func (Assign) loadOption() {}

// IncompatibleKeys are the names that differ between a module and a state dict:
// those that only the module has, and those that only the state dict has.
type IncompatibleKeys struct {
	MissingKeys, UnexpectedKeys []string
}

// String shows the names as Python does.
func (k IncompatibleKeys) String() string {
	if len(k.MissingKeys)+len(k.UnexpectedKeys) == 0 {
		return "<All keys matched successfully>"
	}
	return fmt.Sprintf("_IncompatibleKeys(missing_keys=%s, unexpected_keys=%s)", pyList(k.MissingKeys), pyList(k.UnexpectedKeys))
}

func pyList(names []string) string {
	s := "["
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += "'" + n + "'"
	}
	return s + "]"
}

// LoadStateDict copies values into the parameters and buffers of the same name,
// converting dtype and device. If anything is wrong it returns an error that
// names everything that is, and has changed nothing. Missing and unknown names
// are of kind ErrValue, nil or closed tensors of kind ErrClosed, and different
// sizes of kind ErrShape. Tensors without values, and those that cannot be
// written to, such as an expanded tensor, are of kind ErrValue. If there are
// several kinds, the error has the first. It panics with ErrNil for a nil
// option. The function [LoadStateDict] also returns which names Strict(false)
// passed over. Follows Module.load_state_dict.
func (b *Base) LoadStateDict(sd StateDict, opts ...LoadOption) error {
	_, err := b.load(sd, opts)
	return err
}

// LoadStateDict is [Base.LoadStateDict] that also returns the names which the
// module and the state dict do not share, as Python's does. It panics with ErrNil
// for a nil module.
func LoadStateDict(m Module, sd StateDict, opts ...LoadOption) (IncompatibleKeys, error) {
	return rooted("LoadStateDict", m).load(sd, opts)
}

func (b *Base) load(sd StateDict, opts []LoadOption) (keys IncompatibleKeys, err error) {
	const op = "LoadStateDict"
	strict, assign := true, false
	for _, o := range opts {
		switch o := o.(type) {
		case Strict:
			strict = bool(o)
		case Assign:
			assign = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	err = torch.Try(func() {
		b.checkTree(op)
		sd = slices.Clone(sd) // hooks may change it
		l := loader{assign: assign}
		l.gather(b, &sd)
		l.given = sd.Map()
		keys.MissingKeys, keys.UnexpectedKeys = l.compare(sd)
		if strict && len(l.post) == 0 {
			l.names(keys)
		}
		l.check()
		l.fail(op)
		l.apply()
		for _, run := range l.post {
			run(&keys)
		}
		if strict {
			l.names(keys)
			l.fail(op)
		}
	})
	return keys, err
}

// Compare returns the names that m has and sd does not, and those that sd has
// and m does not know, each in its own order. In Python load_state_dict returns
// the same. Hooks for loading do not run.
func (sd StateDict) Compare(m Module) (missing, unexpected []string) {
	notNil("Compare", "m", m)
	own := m.StateDict()
	return lacks(own.Names(), sd.Names()), lacks(sd.Names(), own.Names())
}

// lacks returns the names of one list that the other has not.
func lacks(in, of []string) (names []string) {
	known := make(map[string]bool, len(of))
	for _, n := range of {
		known[n] = true
	}
	for _, n := range in {
		if !known[n] {
			names = append(names, n)
		}
	}
	return names
}
