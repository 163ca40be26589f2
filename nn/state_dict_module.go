package nn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/internal/embedded"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// ExtraState is implemented by modules with state beyond their parameters and
// buffers. The state dict holds it under the name "_extra_state".
// Follows Module.get_extra_state and Module.set_extra_state.
type ExtraState interface {
	// GetExtraState returns the state: a tensor that the module owns, or a new one
	// that belongs to the innermost scope.
	GetExtraState() *torch.Tensor
	// SetExtraState restores a state that GetExtraState returned. The caller keeps
	// ownership of the tensor.
	SetExtraState(t *torch.Tensor)
}

const extraStateName = "_extra_state"

// StateDict returns the parameters and persistent buffers of the module and of
// everything below it, and the states of modules with an [ExtraState]. If the type of a
// module below declares StateDict itself, its entries are those of this method. The tensors
// are the module's own, not copies: they change with training and must not be closed.
// It panics with ErrValue if a module of the tree holds an unregistered layer or
// parameter. Follows Module.state_dict.
func (b *Base) StateDict() StateDict {
	b.mustAllBeReady("StateDict")
	var sd StateDict
	b.addState(&sd, "")
	return sd
}

// addState appends the state of a module and of the modules below it. Shared modules and
// tensors appear under each name, as in Python.
func (b *Base) addState(sd *StateDict, path string) {
	prefix := path + "."
	if path == "" {
		prefix = ""
	}
	if h := b.stateHooks; h != nil {
		for _, hook := range h.pre {
			hook.state(b.self, nil, prefix)
		}
	}
	for _, e := range b.appendState(nil) {
		*sd = append(*sd, NamedTensor{join(path, e.name), e.tensor})
	}
	if m, ok := b.self.(ExtraState); ok {
		*sd = append(*sd, NamedTensor{join(path, extraStateName), m.GetExtraState()})
	}
	for _, c := range b.children {
		at, below := join(path, c.Name), c.Module.ModuleBase()
		if !below.declaresStateDict() {
			below.addState(sd, at)
			continue
		}
		for _, n := range c.Module.StateDict() {
			*sd = append(*sd, NamedTensor{join(at, n.Name), n.Tensor})
		}
	}
	if h := b.stateHooks; h != nil {
		for _, hook := range h.post {
			hook.state(b.self, sd, prefix)
		}
	}
}

// declaresStateDict reports whether the module's type declares StateDict itself, instead of
// inheriting it from its Base.
func (b *Base) declaresStateDict() bool {
	if !b.hasFlag(flagUser) {
		return false
	}
	t := reflect.TypeOf(b.self)
	base := embedded.Depth(t, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("ModuleBase") })
	return embedded.Depth(t, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName("StateDict") }) < base
}

// stateTensor is a tensor that LoadStateDict loads.
type stateTensor struct {
	name   string
	tensor *torch.Tensor
	b      *Base
	e      *entry
}

// appendState appends the parameters and persistent buffers of one module.
func (b *Base) appendState(list []stateTensor) []stateTensor {
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

// IncompatibleKeys are the names that differ between a module and a state dict: names
// that only the module has, and names that only the state dict has.
type IncompatibleKeys struct {
	MissingKeys, UnexpectedKeys []string
}

// String shows the names as Python does.
func (k IncompatibleKeys) String() string {
	if len(k.MissingKeys)+len(k.UnexpectedKeys) == 0 {
		return "<All keys matched successfully>"
	}
	return fmt.Sprintf("_IncompatibleKeys(missing_keys=%s, unexpected_keys=%s)", pyList(k.MissingKeys),
		pyList(k.UnexpectedKeys))
}

func pyList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + plain.Text(n) + "'"
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// LoadStateDict copies values into the parameters and buffers with the same names,
// converting dtype and device. Follows Module.load_state_dict.
//
// src is a StateDict or a file. LoadStateDict reads a file one tensor at a time, so
// it needs memory only for the module and the largest tensor. If the module is on the
// meta device, Assign(true) gives it memory:
//
//	f, err := safetensors.Open("model.safetensors")
//	...
//	err = model.LoadStateDict(f, nn.Rename{{"model.**", "**"}})
//
// LoadStateDict first checks everything that it can check without reading values. If
// anything is wrong, it changes nothing and returns an error that lists all problems.
// The kind of the error is the first in this list that applies:
//
//   - ErrValue for missing, unknown or duplicate names, for tensors without values,
//     and for module tensors that cannot be written to, such as expanded ones;
//   - ErrNil for nil tensors and ErrClosed for closed ones;
//   - ErrShape for different sizes and ErrDType for dtypes that libtorch does not
//     convert;
//   - ErrDevice for a [Device] that does not exist.
//
// A later read error says how many tensors were already loaded; with [Assign], the
// module is then unchanged. LoadStateDict panics with ErrNil for a nil option and
// with ErrValue for an invalid option. The function [LoadStateDict] also returns the
// names that Strict(false) skipped, and [LoadFrom] returns a full report.
//
// A name is not missing if src holds the same tensor under another of the module's names,
// as safetensors files do for shared tensors. As in Python, num_batches_tracked may be
// missing in state dicts of a BatchNorm before version 2 or of unknown version, and a
// tensor of shape (1) fits one of shape (). Running statistics of unknown version, loaded
// into an InstanceNorm that keeps no such statistics, are an error of kind ErrValue, even
// with Strict(false). *serialization.Dict and *serialization.StateDictFile know the
// versions in the file; a StateDict does not.
func (b *Base) LoadStateDict(src StateSource, opts ...LoadOption) error {
	_, _, err := b.load("LoadStateDict", src, opts)
	return err
}

// LoadStateDict is like [Base.LoadStateDict], but also returns the names that only the
// module or only the state dict has, as in Python. It panics with ErrNil for a nil
// module.
func LoadStateDict(m Module, src StateSource, opts ...LoadOption) (IncompatibleKeys, error) {
	keys, _, err := mustBeRoot("LoadStateDict", m).load("LoadStateDict", src, opts)
	return keys, err
}

// LoadFrom is like [Base.LoadStateDict], but returns a report, even with an error. The
// report lists the loaded tensors with their names in the source, and everything that was
// not loaded. LoadFrom panics with ErrNil for a nil module.
func LoadFrom(m Module, src StateSource, opts ...LoadOption) (*LoadReport, error) {
	_, report, err := mustBeRoot("LoadFrom", m).load("LoadFrom", src, opts)
	return report, err
}

func (b *Base) load(op string, src StateSource,
	opts []LoadOption,
) (keys IncompatibleKeys, report *LoadReport, err error) {
	set := readLoad(op, opts)
	report = new(LoadReport)
	panicked := torch.Try(func() {
		b.mustAllBeReady(op)
		opt.CheckDevice(op, set.device) // inside Try, so that load returns its panic as an error
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

// Compare returns the names that m has and sd lacks, in m's order, and the names that
// sd has and m lacks, in sd's order. They are the missing and unexpected keys of
// Python's load_state_dict. Load hooks do not run.
func (sd StateDict) Compare(m Module) (missing, unexpected []string) {
	mustNotBeNil("Compare", "m", m)
	own := m.StateDict()
	return missingFrom(own.Names(), sd.Names()), missingFrom(sd.Names(), own.Names())
}

// missingFrom returns the names in the first list that the second list lacks.
func missingFrom(in, of []string) (names []string) {
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
