package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/plain"
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
		s += "'" + plain.Text(n) + "'"
	}
	return s + "]"
}

// LoadStateDict copies values into the parameters and buffers of the same name,
// converting dtype and device. If anything is wrong it returns an error that
// names everything that is, and has changed nothing. Missing and unknown names,
// and names that are there twice, are of kind ErrValue, nil tensors of kind ErrNil, closed ones of kind ErrClosed,
// different sizes of kind ErrShape, and dtypes that libtorch does not convert of kind ErrDType. Tensors
// without values, and those that cannot be written to, such as an expanded tensor, are
// of kind ErrValue, and a [Device] that is not there of kind ErrDevice. If there are several kinds, the error has the first. It panics with ErrNil for a nil
// option, and with ErrValue for an option that makes no sense. The function [LoadStateDict]
// also returns which names Strict(false) passed over, and [LoadFrom] has a report of all
// that was done. Follows Module.load_state_dict.
//
// src is a StateDict or a file. Of a file one tensor at a time is read, copied and freed,
// so that no more memory is needed than the module's and that of the largest tensor. All
// that can be found without reading values is found first; an error of reading that comes
// up later says how many tensors were loaded before. With [Assign] nothing has changed then
// either. If the module is on the meta device, Assign(true) gives it its memory:
//
//	f, err := safetensors.Open("model.safetensors")
//	...
//	err = model.LoadStateDict(f, nn.Rename{{"model.**", "**"}})
//
// A name is not missing if src has the same tensor of the module under another name: a file
// of safetensors has a shared tensor once. As in Python, num_batches_tracked may be missing
// in a state dict of a BatchNorm before version 2, or of no known version, and a tensor of
// shape (1) fits one of shape (). Running statistics of no known version are ErrValue for
// an InstanceNorm that has none, with Strict(false) too. A StateDict knows no versions;
// a *serialization.Dict and a *serialization.StateDictFile know those of the file.
func (b *Base) LoadStateDict(src StateSource, opts ...LoadOption) error {
	_, _, err := b.load("LoadStateDict", src, opts)
	return err
}

// LoadStateDict is [Base.LoadStateDict] that also returns the names which the
// module and the state dict do not share, as Python's does. It panics with ErrNil
// for a nil module.
func LoadStateDict(m Module, src StateSource, opts ...LoadOption) (IncompatibleKeys, error) {
	keys, _, err := rooted("LoadStateDict", m).load("LoadStateDict", src, opts)
	return keys, err
}

// LoadFrom is [Base.LoadStateDict] that returns a report of what was loaded from where,
// and what was not. It is there beside an error too, and says then what was wrong. It
// panics with ErrNil for a nil module.
func LoadFrom(m Module, src StateSource, opts ...LoadOption) (*LoadReport, error) {
	_, report, err := rooted("LoadFrom", m).load("LoadFrom", src, opts)
	return report, err
}

func (b *Base) load(op string, src StateSource, opts []LoadOption) (keys IncompatibleKeys, report *LoadReport, err error) {
	set := readLoad(op, opts)
	report = new(LoadReport)
	panicked := torch.Try(func() {
		b.checkTree(op)
		opt.CheckDevice(op, set.device) // within, since it is an error of a load as others are
		if src == nil {
			panic(torch.NewError(op, torch.ErrNil, "src", "a nil StateSource"))
		}
		l := loader{op: op, settings: set, path: pathOf(src), report: report}
		defer l.close()
		err = l.load(b, src)
	})
	if panicked != nil {
		err = panicked
	}
	return report.IncompatibleKeys, report, err
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
