package nn

import (
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// StateDict is a list of a module's parameters and persistent buffers with
// their paths, in PyTorch's order.
type StateDict []NamedTensor

// NewStateDict turns a map into a StateDict, sorted by name.
func NewStateDict(m map[string]*torch.Tensor) StateDict {
	var sd StateDict
	for _, name := range slices.Sorted(maps.Keys(m)) {
		sd = append(sd, NamedTensor{name, m[name]})
	}
	return sd
}

// Get returns the tensor with that name, or nil.
func (sd StateDict) Get(name string) *torch.Tensor {
	for _, n := range sd {
		if n.Name == name {
			return n.Tensor
		}
	}
	return nil
}

// Names returns the names in order.
func (sd StateDict) Names() []string {
	names := make([]string, len(sd))
	for i, n := range sd {
		names[i] = n.Name
	}
	return names
}

// Map returns the tensors by name.
func (sd StateDict) Map() map[string]*torch.Tensor {
	m := make(map[string]*torch.Tensor, len(sd))
	for _, n := range sd {
		m[n.Name] = n.Tensor
	}
	return m
}

// StateDict returns the parameters and persistent buffers of the module and of
// everything below it. The tensors are the module's own, not copies: they
// change with training and must not be closed. It panics with ErrValue if a
// module of the tree holds a layer or parameter that was not registered.
// Follows Module.state_dict.
func (b *Base) StateDict() StateDict {
	b.checkTree("StateDict")
	var sd StateDict
	var visit func(b *Base, path string)
	// Shared modules and tensors appear under each of their names, as in Python.
	visit = func(b *Base, path string) {
		for _, n := range parametersOf(b, nil) {
			sd = append(sd, NamedTensor{join(path, n.Name), n.Tensor})
		}
		for _, n := range buffersOf(b, nil) {
			if !find(b.buffers, n.Name).transient {
				sd = append(sd, NamedTensor{join(path, n.Name), n.Tensor})
			}
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
	}
	visit(b, "")
	return sd
}

// A LoadOption is an option of [Base.LoadStateDict]: [Strict].
type LoadOption interface{ loadOption() }

// Strict says whether both sides must have the same names. The default is true.
type Strict bool

func (Strict) loadOption() {}

// LoadStateDict copies values into the parameters and buffers of the same name,
// converting dtype and device. If anything is wrong it returns an error that
// names everything that is, and has changed nothing. Missing and unknown names
// are of kind ErrValue, nil or closed tensors of kind ErrClosed, and different
// sizes of kind ErrShape. Tensors without values, and those that cannot be
// written to, such as an expanded tensor, are of kind ErrValue. If there are
// several kinds, the error has the first. It panics with ErrNil for a nil
// option. [StateDict.Compare] says what Strict(false) ignores. Follows
// Module.load_state_dict.
func (b *Base) LoadStateDict(sd StateDict, opts ...LoadOption) error {
	const op = "LoadStateDict"
	strict := true
	for _, o := range opts {
		s, ok := o.(Strict)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		strict = bool(s)
	}
	return torch.Try(func() {
		l := loader{given: sd.Map()}
		own := b.StateDict()
		if strict {
			l.names(sd.compare(own))
		}
		l.check(own)
		if len(l.problems) > 0 {
			kind := slices.IndexFunc(problemKinds, func(k error) bool { return slices.Contains(l.kinds, k) })
			panic(&torch.Error{Op: op, Kind: problemKinds[kind], Message: strings.Join(l.problems, "; ")})
		}
		l.copy()
	})
}

// Compare returns the names that m has and sd does not, and those that sd has
// and m does not know, each in its own order. In Python load_state_dict returns
// the same.
func (sd StateDict) Compare(m Module) (missing, unexpected []string) {
	notNil("Compare", "m", m)
	return sd.compare(m.StateDict())
}

func (sd StateDict) compare(own StateDict) (missing, unexpected []string) {
	lacks := func(in, of StateDict) (names []string) {
		known := of.Map()
		for _, n := range in {
			if _, ok := known[n.Name]; !ok {
				names = append(names, n.Name)
			}
		}
		return names
	}
	return lacks(own, sd), lacks(sd, own)
}

// Clone returns a state dict with copies of the values, in no scope. (A
// StateDict by itself shares the module's tensors.) If one tensor has several
// names, so does its copy. It panics with ErrClosed for a closed tensor.
// Follows copy.deepcopy.
func (sd StateDict) Clone() StateDict {
	for _, n := range sd {
		if n.Tensor != nil && n.Tensor.IsClosed() {
			panic(torch.NewError("Clone", torch.ErrClosed, n.Name, "the tensor is closed"))
		}
	}
	twins := map[*torch.Tensor]*torch.Tensor{nil: nil}
	done := false
	defer func() {
		if !done {
			for _, t := range twins {
				_ = t.Close()
			}
		}
	}()
	clone := make(StateDict, len(sd))
	for i, n := range sd {
		twin, ok := twins[n.Tensor]
		if !ok {
			twin = duplicate(n.Tensor)
			twins[n.Tensor] = twin
		}
		clone[i] = NamedTensor{n.Name, twin}
	}
	done = true
	return clone
}

// String shows the tensors as Python prints an OrderedDict.
func (sd StateDict) String() string {
	items := make([]string, len(sd))
	for i, n := range sd {
		text := "None"
		switch {
		case n.Tensor == nil:
		case n.Tensor.IsClosed():
			text = "closed"
		default:
			values := n.Tensor.Detach() // as those of Python's dict are
			text = values.String()
			_ = values.Close()
		}
		items[i] = "('" + n.Name + "', " + text + ")"
	}
	if len(items) == 0 {
		return "OrderedDict()"
	}
	return "OrderedDict([" + strings.Join(items, ", ") + "])"
}
