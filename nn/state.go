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
// training and are not to be closed. Follows Module.state_dict.
func (b *Base) StateDict() StateDict {
	var sd StateDict
	var visit func(b *Base, path string)
	// Shared modules and tensors appear under each of their names, as in Python.
	visit = func(b *Base, path string) {
		for _, p := range b.params {
			sd = append(sd, NamedTensor{join(path, p.Name), p.Tensor})
		}
		for _, p := range b.buffers {
			if !p.transient {
				sd = append(sd, NamedTensor{join(path, p.Name), p.Tensor})
			}
		}
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
	}
	visit(b, "")
	return sd
}

// LoadOptions are the rarer arguments of LoadStateDict.
type LoadOptions struct {
	NotStrict bool // ignore names that only one side has, strict=False
}

// LoadStateDict copies values into the parameters and buffers of the same
// name, converting dtype and device. It returns an error and changes nothing
// if a name is missing or unknown (kind ErrValue), if sizes differ (kind
// ErrShape), or if a tensor is nil or closed. Follows Module.load_state_dict.
func (b *Base) LoadStateDict(sd StateDict, opts ...LoadOptions) error {
	const op = "LoadStateDict"
	strict := len(opts) == 0 || !opts[0].NotStrict
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
		if a, c := own.Tensor.Shape(), t.Shape(); !a.Equal(c) {
			sizes = append(sizes, fmt.Sprintf("%s is %v here and %v in the state dict", own.Name, a, c))
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

// copyInto overwrites dst outside the autograd graph.
func copyInto(dst, src *torch.Tensor) {
	const op = "Copy_(self, src)"
	d, s := dst.HandleFor(op, 0), src.HandleFor(op, 1)
	r := torch.BeginRaw(op)
	r.Status(aten.Copy_(r.Ctx|abi.CtxNoGrad, d, s, false), dst, src)
}
