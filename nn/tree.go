package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Children returns the direct children in the order of registration. Follows
// Module.named_children.
func (b *Base) Children() []NamedModule { return slices.Clone(b.children) }

// walk visits b and the bases below it once each, parents first.
func (b *Base) walk(fn func(b *Base, path string)) {
	seen := map[*Base]bool{}
	var visit func(b *Base, path string)
	visit = func(b *Base, path string) {
		if seen[b] {
			return
		}
		seen[b] = true
		fn(b, path)
		for _, c := range b.children {
			visit(c.Module.ModuleBase(), join(path, c.Name))
		}
	}
	visit(b, "")
}

// NamedParameters returns the parameters of the module and of everything below
// it, with their paths, in PyTorch's order: its own first, then child by child,
// each in the order of registration. A shared parameter is listed once. It
// panics with ErrValue if a module of the tree holds a layer or parameter that
// was not registered, because that would never be trained. Follows
// Module.named_parameters.
func (b *Base) NamedParameters() []NamedTensor {
	b.checkTree("NamedParameters")
	return b.named(parametersOf)
}

// Parameters is NamedParameters without the names, as an optimizer takes them.
// The tensors are the module's own; do not close them one by one. It panics as
// NamedParameters does. Follows Module.parameters.
func (b *Base) Parameters() []*torch.Tensor { return tensors(b.NamedParameters()) }

// NamedBuffers returns the buffers of the tree, as NamedParameters returns the
// parameters. It panics as NamedParameters does. Follows Module.named_buffers.
func (b *Base) NamedBuffers() []NamedTensor {
	b.checkTree("NamedBuffers")
	return b.named(buffersOf)
}

// Buffers is NamedBuffers without the names. Follows Module.buffers.
func (b *Base) Buffers() []*torch.Tensor { return tensors(b.NamedBuffers()) }

// named lists tensors of the tree with their paths, each once; of appends those
// of one module.
func (b *Base) named(of func(b *Base, list []NamedTensor) []NamedTensor) []NamedTensor {
	var list, own []NamedTensor
	seen := map[*torch.Tensor]bool{}
	b.walk(func(b *Base, path string) {
		own = of(b, own[:0])
		for _, n := range own {
			if !seen[n.Tensor] {
				seen[n.Tensor] = true
				list = append(list, NamedTensor{join(path, n.Name), n.Tensor})
			}
		}
	})
	return list
}

func tensors(named []NamedTensor) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(named))
	for i, n := range named {
		ts[i] = n.Tensor
	}
	return ts
}

// Get returns the module at a path such as "mlp.0", or nil. Follows
// Module.get_submodule.
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

// Train switches the module and everything below it to training mode, in which
// new modules are: Dropout drops, and BatchNorm uses the statistics of the
// batch. Follows Module.train.
func (b *Base) Train() {
	b.eval = false
	for _, c := range b.children {
		c.Module.Train()
	}
}

// Eval switches the module and everything below it to evaluation mode. Follows
// Module.eval.
func (b *Base) Eval() {
	b.eval = true
	for _, c := range b.children {
		c.Module.Eval()
	}
}

// IsTraining reports whether the module is in training mode: Module.training in
// Python.
func (b *Base) IsTraining() bool { return !b.eval }

// ZeroGrad removes the gradients of all parameters. It panics with ErrClosed for a
// closed parameter, and otherwise as NamedParameters does. Follows Module.zero_grad.
func (b *Base) ZeroGrad() {
	// Once a step: the fields are looked at elsewhere.
	b.initialized("ZeroGrad")
	torch.ZeroGrad(tensors(b.named(parametersOf))...)
}

// SetRequiresGrad turns the gradients of all parameters on or off, and so
// unfreezes or freezes the module. It panics as ZeroGrad does. Follows
// Module.requires_grad_.
func (b *Base) SetRequiresGrad(on bool) {
	b.checkTree("SetRequiresGrad")
	for _, p := range tensors(b.named(parametersOf)) {
		p.SetRequiresGrad(on)
	}
}

// To moves parameters, their gradients and buffers to another device, and
// converts those with floating-point and complex dtypes to another dtype. A
// memory format applies to tensors of four or five dimensions, the weights of
// 2-d and 3-d convolutions. The tensors keep their identity, so an optimizer
// made before still holds them.
//
// To converts one tensor after the other, and frees the old memory of one
// before it converts the next. It panics with ErrDType for other dtypes. If
// libtorch refuses something, such as ChannelsLast for five dimensions, that
// tensor and those after it stay as they were. Follows Module.to.
func (b *Base) To(opts ...torch.ToOption) {
	const op = "To"
	for _, o := range opts {
		switch o := o.(type) {
		case torch.DType:
			if o != 0 && !o.IsFloatingPoint() && !o.IsComplex() {
				panic(torch.NewError(op, torch.ErrDType, "opts", fmt.Sprintf("modules convert to floating-point and complex dtypes only, got %v", o)))
			}
		case torch.Layout:
			if o != 0 && o != torch.Strided {
				panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("modules do not change layouts, got %v", o)))
			}
		case torch.Device:
			opt.CheckDevice(op, o)
		case torch.MemoryFormat, torch.NonBlockingFlag, torch.CopyFlag:
		default: // which a module without tensors would pass over
			panic(torch.BadOption(op, o))
		}
	}
	b.checkTree(op)
	torch.NoGrad(func() {
		torch.Scope(func() {
			for _, p := range tensors(b.named(parametersOf)) {
				convert(p, opts)
				// The gradient itself, not its place in p: nothing that fails can
				// lose it.
				if grad := p.Grad(); grad != nil {
					convert(grad, opts)
					_ = grad.Close()
				}
			}
			for _, t := range tensors(b.named(buffersOf)) {
				convert(t, opts)
			}
		})
	})
}

// convert is To for one tensor.
func convert(t *torch.Tensor, opts []torch.ToOption) {
	d, dims := t.DType(), t.Dim()
	fit := make([]torch.ToOption, 0, len(opts))
	for _, o := range opts {
		switch o.(type) {
		case torch.DType:
			if !d.IsFloatingPoint() && !d.IsComplex() {
				continue
			}
		case torch.MemoryFormat:
			if dims != 4 && dims != 5 {
				continue
			}
		}
		fit = append(fit, o)
	}
	data := t.To(fit...)
	t.SetData(data)
	_ = data.Close()
}

// Close frees the parameters and buffers of the module and of everything below
// it. Closing a module again does nothing. It always returns nil.
func (b *Base) Close() error {
	b.walk(func(b *Base, _ string) {
		for _, e := range b.params {
			_ = (*e.slot).Close()
		}
		for _, e := range b.buffers {
			_ = (*e.slot).Close()
		}
	})
	return nil
}
