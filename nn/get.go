package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Get returns the module at a path such as "mlp.0", or nil.
// Follows Module.get_submodule.
func (b *Base) Get(path string) Module {
	first, rest, nested := strings.Cut(path, ".")
	for _, c := range b.children {
		if c.Name == first {
			if nested {
				return c.Module.ModuleBase().Get(rest)
			}
			return c.Module
		}
	}
	return nil
}

// GetParameter returns the parameter at a path such as "mlp.0.weight", or nil. It
// is the module's own. Follows Module.get_parameter.
func (b *Base) GetParameter(path string) *torch.Tensor { return b.getTensor(path, parametersOf) }

// GetBuffer returns the buffer at a path such as "norm.running_mean", or nil. It
// is the module's own. Follows Module.get_buffer.
func (b *Base) GetBuffer(path string) *torch.Tensor { return b.getTensor(path, buffersOf) }

func (b *Base) getTensor(path string, of func(b *Base, list []NamedTensor) []NamedTensor) *torch.Tensor {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		m := b.Get(path[:i])
		if m == nil {
			return nil
		}
		b, path = m.ModuleBase(), path[i+1:]
	}
	for _, n := range of(b, nil) {
		if n.Name == path {
			return n.Tensor
		}
	}
	return nil
}

// A SetSubmoduleOption is [Strict].
type SetSubmoduleOption interface{ setSubmoduleOption() }

func (Strict) setSubmoduleOption() {}

// SetSubmodule puts m at a path such as "mlp.0", in place of the module that is
// there. The last name may be new, unless [Strict] is true; the default here is
// false. The module that was there is no part of the tree any more, and is not
// closed. A field that held it has to be assigned to as well. It panics with
// ErrIndex if there is no module at the rest of the path, or with Strict at the
// path, and otherwise as [Base.Register] does. Follows Module.set_submodule.
func (b *Base) SetSubmodule(path string, m Module, opts ...SetSubmoduleOption) {
	const op = "SetSubmodule"
	strict := false
	for _, o := range opts {
		switch o := o.(type) {
		case Strict:
			strict = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	b.initialized(op)
	parent, name := b, path
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		above := b.Get(path[:i])
		if above == nil {
			panic(torch.NewError(op, torch.ErrIndex, "path", fmt.Sprintf("no module %q", path[:i])))
		}
		parent, name = above.ModuleBase(), path[i+1:]
	}
	if strict && !slices.ContainsFunc(parent.children, func(c NamedModule) bool { return c.Name == name }) {
		panic(torch.NewError(op, torch.ErrIndex, "path", fmt.Sprintf("no module %q", path)))
	}
	parent.Register(name, m)
}
