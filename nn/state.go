package nn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// StateDict is a module's parameters and persistent buffers with their paths,
// in PyTorch's order.
type StateDict []NamedTensor

// NewStateDict turns a map into a StateDict, sorted by name.
func NewStateDict(m map[string]*torch.Tensor) StateDict {
	var sd StateDict
	for _, name := range slices.Sorted(maps.Keys(m)) {
		sd = append(sd, NamedTensor{name, m[name]})
	}
	return sd
}

// Get returns the tensor of that name, or nil.
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
// all below it. The tensors are the module's own, not copies: they change with
// training and are not to be closed. It panics with ErrValue if
// a module of the tree holds a layer or parameter that was not registered.
// Follows Module.state_dict.
func (b *Base) StateDict() StateDict {
	b.checkTree()
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

// A LoadOption says how [Base.LoadStateDict] goes: [Strict].
type LoadOption interface{ loadOption() }

// Strict demands that both sides have the same names; true without it.
type Strict bool

func (Strict) loadOption() {}

// LoadStateDict copies values into the parameters and buffers of the same
// name, converting dtype and device. It returns an error and changes nothing
// if a name is missing or unknown (kind ErrValue), if sizes differ (kind
// ErrShape), if a tensor is nil or closed, or if one has no values or lies in
// memory in a way that cannot be copied (kind ErrValue). It panics with ErrNil
// for a nil option. Follows Module.load_state_dict.
func (b *Base) LoadStateDict(sd StateDict, opts ...LoadOption) error {
	const op = "LoadStateDict"
	strict := true
	for _, o := range opts {
		s, ok := o.(Strict)
		if !ok {
			panic(torch.NewError(op, torch.ErrNil, "opts", "a nil option"))
		}
		strict = bool(s)
	}
	given := sd.Map()
	var missing, sizes []string
	type pair struct{ to, from *torch.Tensor }
	var copies []pair
	for _, own := range b.StateDict() {
		t, ok := given[own.Name]
		delete(given, own.Name)
		if !ok {
			missing = append(missing, own.Name)
			continue
		}
		if t.IsClosed() {
			return &torch.Error{Op: op, Kind: torch.ErrClosed, Message: fmt.Sprintf("the tensor for %s is nil or closed", own.Name)}
		}
		if own.Tensor.IsClosed() {
			return &torch.Error{Op: op, Kind: torch.ErrClosed, Message: fmt.Sprintf("%s of this module is closed", own.Name)}
		}
		if a, c := own.Tensor.Shape(), t.Shape(); !a.Equal(c) {
			sizes = append(sizes, fmt.Sprintf("%s is %v here and %v in the state dict", own.Name, a, c))
		}
		if why := cannotCopy(own.Tensor, t); why != "" {
			return &torch.Error{Op: op, Kind: torch.ErrValue, Message: fmt.Sprintf("the tensor for %s %s", own.Name, why)}
		}
		copies = append(copies, pair{own.Tensor, t})
	}
	if len(sizes) > 0 {
		return &torch.Error{Op: op, Kind: torch.ErrShape, Message: "sizes differ: " + strings.Join(sizes, ", ")}
	}
	if strict && len(missing)+len(given) > 0 {
		unknown := slices.Sorted(maps.Keys(given))
		return &torch.Error{Op: op, Kind: torch.ErrValue, Message: fmt.Sprintf("missing names: [%s]; unknown names: [%s]",
			strings.Join(missing, ", "), strings.Join(unknown, ", "))}
	}
	return torch.Try(func() {
		for _, c := range copies {
			copyInto(c.to, c.from)
		}
	})
}

// cannotCopy says why src cannot be copied into dst, before anything is copied.
func cannotCopy(dst, src *torch.Tensor) string {
	switch {
	case src.Device() == torch.Meta && dst.Device() != torch.Meta:
		return "is on the meta device and has no values"
	case src.Layout() != dst.Layout():
		return fmt.Sprintf("is %v, the module's is %v", src.Layout(), dst.Layout())
	}
	return ""
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

// copyInto overwrites dst outside the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false), dst, src)
}
