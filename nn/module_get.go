package nn

import (
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Get returns the module at a path such as "mlp.0", or nil.
// Follows Module.get_submodule.
func (b *Base) Get(path string) Module {
	b.mustBeInitialized("Get")
	b.registerFields()
	first, rest, nested := strings.Cut(path, ".")
	i := b.childIndex(first)
	if i < 0 {
		return nil
	}
	m := b.children[i].Module
	if nested {
		return m.ModuleBase().Get(rest)
	}
	return m
}

// GetParameter returns the parameter at a path such as "mlp.0.weight", or nil. The
// module owns it. Follows Module.get_parameter.
func (b *Base) GetParameter(path string) *torch.Tensor {
	return b.getTensor("GetParameter", path, parametersOf)
}

// GetBuffer returns the buffer at a path such as "norm.running_mean", or nil. The
// module owns it. Follows Module.get_buffer.
func (b *Base) GetBuffer(path string) *torch.Tensor {
	return b.getTensor("GetBuffer", path, buffersOf)
}

func (b *Base) getTensor(op, path string, of func(b *Base, list []NamedTensor) []NamedTensor) *torch.Tensor {
	b.mustBeInitialized(op)
	b.registerFields()
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
