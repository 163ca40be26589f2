package nn

import (
	"slices"

	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/script"
	"github.com/gotorch/gotorch/torch"
)

// Children returns the direct children in the order of registration.
// Follows Module.named_children.
func (b *Base) Children() []NamedModule {
	b.initialized("Children")
	return slices.Clone(b.childrenNow())
}

// walk visits b and the bases below it once each, parents first.
func (b *Base) walk(fn func(b *Base)) { b.walkAs(listing{}, func(b *Base, _ *trail) { fn(b) }) }

// NamedParameters returns the parameters of the module and of everything below
// it, with their paths, in PyTorch's order: its own first, then child by child,
// each in the order of registration. A shared parameter is listed once. It
// panics with ErrValue if a module of the tree holds a layer or parameter that
// was not registered, because that would never be trained, and with ErrNil for a
// nil option. Follows Module.named_parameters.
func (b *Base) NamedParameters(opts ...ListOption) []NamedTensor {
	const op = "NamedParameters"
	l := readListing(op, opts)
	b.checkTree(op)
	return b.listed(l, parametersOf)
}

// Parameters is NamedParameters without the names, as an optimizer takes them.
// The tensors are the module's own; do not close them one by one. It panics as
// NamedParameters does. Follows Module.parameters.
func (b *Base) Parameters(opts ...RecurseOption) []*torch.Tensor {
	l := readRecurse("Parameters", opts)
	b.checkTree("NamedParameters")
	return tensors(b.listed(l, parametersOf))
}

// NamedBuffers returns the buffers of the tree, as NamedParameters returns the
// parameters. It panics as NamedParameters does. Follows Module.named_buffers.
func (b *Base) NamedBuffers(opts ...ListOption) []NamedTensor {
	const op = "NamedBuffers"
	l := readListing(op, opts)
	b.checkTree(op)
	return b.listed(l, buffersOf)
}

// Buffers is NamedBuffers without the names. Follows Module.buffers.
func (b *Base) Buffers(opts ...RecurseOption) []*torch.Tensor {
	l := readRecurse("Buffers", opts)
	b.checkTree("NamedBuffers")
	return tensors(b.listed(l, buffersOf))
}

// named lists tensors of the tree with their paths, each once; of appends those
// of one module.
func (b *Base) named(of func(b *Base, list []NamedTensor) []NamedTensor) []NamedTensor {
	return b.listed(listing{}, of)
}

func (b *Base) listed(l listing, of func(b *Base, list []NamedTensor) []NamedTensor) []NamedTensor {
	var list, own []NamedTensor
	seen := map[*torch.Tensor]bool{}
	b.walkAs(l, func(b *Base, at *trail) {
		own = of(b, own[:0])
		for _, n := range own {
			if !seen[n.Tensor] {
				seen[n.Tensor] = !l.repeats
				list = append(list, NamedTensor{at.join(n.Name), n.Tensor})
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

// open is tensors, and panics with ErrClosed for one that is closed, by its name.
func open(op string, named []NamedTensor) []*torch.Tensor {
	for _, n := range named {
		if n.Tensor.IsClosed() {
			operand.NeedElement(op, n.Name, n.Tensor)
		}
	}
	return tensors(named)
}

// Train switches the module and everything below it to training mode, in which
// new modules are: Dropout drops, and BatchNorm uses the statistics of the
// batch. Follows Module.train.
func (b *Base) Train() {
	b.initialized("Train")
	if p := script.Of(b.self); p != nil {
		p.Train("Train", true)
	}
	b.eval = false
	for _, c := range b.childrenNow() {
		c.Module.Train()
	}
}

// Eval switches the module and everything below it to evaluation mode.
// Follows Module.eval.
func (b *Base) Eval() {
	b.initialized("Eval")
	if p := script.Of(b.self); p != nil {
		p.Train("Eval", false)
	}
	b.eval = true
	for _, c := range b.childrenNow() {
		c.Module.Eval()
	}
}

// IsTraining reports whether the module is in training mode: Module.training in
// Python.
func (b *Base) Training() bool {
	b.initialized("IsTraining")
	b.watchMode()
	return !b.eval
}

// SetTraining is Train or Eval, as train(mode) in Python: to go back to the mode
// that IsTraining said. Follows Module.train.
func (b *Base) SetTraining(on bool) {
	b.initialized("SetTraining")
	if on {
		b.self.Train()
	} else {
		b.self.Eval()
	}
}

// ZeroGrad removes the gradients of all parameters. It panics with ErrClosed for a
// closed parameter, and otherwise as NamedParameters does; an optimizer's ZeroGrad
// can fill them with zeros instead. Follows Module.zero_grad.
func (b *Base) ZeroGrad() {
	// Once a step: the fields are looked at elsewhere.
	b.initialized("ZeroGrad")
	torch.ZeroGrad(open("ZeroGrad", b.named(parametersOf))...)
}

// SetRequiresGrad turns the gradients of all parameters on or off, and so
// unfreezes or freezes the module. It panics as ZeroGrad does.
// Follows Module.requires_grad_.
func (b *Base) SetRequiresGrad(on bool) {
	b.checkTree("SetRequiresGrad")
	for _, p := range open("SetRequiresGrad", b.named(parametersOf)) {
		p.SetRequiresGrad(on)
	}
}

// A Releaser is a module that holds more than its tensors, such as a module of package
// torch/jit. [Base.Close] calls Release of each in the tree, every time that it is called.
type Releaser interface{ Release() }

// Close frees the parameters and buffers of the module and of everything below
// it, and what a [Releaser] holds. Closing a module again does nothing. It always returns
// nil.
func (b *Base) Close() error {
	if b == nil {
		return nil
	}
	b.walkRegistered(func(b *Base) {
		_ = torch.Try(b.registerFields) // what cannot be registered is not the module's
		for _, e := range b.params {
			_ = (*e.slot).Close()
		}
		for _, e := range b.buffers {
			_ = (*e.slot).Close()
		}
		if r, ok := b.self.(Releaser); ok {
			r.Release()
		}
	})
	return nil
}
