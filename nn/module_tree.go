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
	b.mustBeInitialized("Children")
	return slices.Clone(b.currentChildren())
}

// walk visits b and the bases below it once each, parents first.
func (b *Base) walk(fn func(b *Base)) { b.walkAs(listing{}, func(b *Base, _ *trail) { fn(b) }) }

// NamedParameters returns the parameters of the module and of everything below it with
// their paths. The order is PyTorch's: the module's own first, then child by child, in
// the order of registration. A shared parameter is listed once. It panics with ErrValue
// if a module of the tree holds an unregistered layer or parameter, which would never
// be trained. Follows Module.named_parameters.
func (b *Base) NamedParameters(opts ...ListOption) []NamedTensor {
	const op = "NamedParameters"
	l := readListing(op, opts)
	b.mustAllBeReady(op)
	return b.list(l, parametersOf)
}

// Parameters is NamedParameters without the names, as optimizers take them. The
// module owns the tensors; do not close them one by one. It panics as NamedParameters
// does. Follows Module.parameters.
func (b *Base) Parameters(opts ...RecurseOption) []*torch.Tensor {
	l := readRecurse("Parameters", opts)
	b.mustAllBeReady("NamedParameters")
	return tensorsOf(b.list(l, parametersOf))
}

// NamedBuffers returns the buffers of the tree, as NamedParameters returns the
// parameters. It panics as NamedParameters does. Follows Module.named_buffers.
func (b *Base) NamedBuffers(opts ...ListOption) []NamedTensor {
	const op = "NamedBuffers"
	l := readListing(op, opts)
	b.mustAllBeReady(op)
	return b.list(l, buffersOf)
}

// Buffers is NamedBuffers without the names. Follows Module.buffers.
func (b *Base) Buffers(opts ...RecurseOption) []*torch.Tensor {
	l := readRecurse("Buffers", opts)
	b.mustAllBeReady("NamedBuffers")
	return tensorsOf(b.list(l, buffersOf))
}

// listEach lists tensors of the tree with their paths, each once. Its argument is a
// function that appends the tensors of one module to a list.
func (b *Base) listEach(of func(b *Base, list []NamedTensor) []NamedTensor) []NamedTensor {
	return b.list(listing{}, of)
}

func (b *Base) list(l listing, of func(b *Base, list []NamedTensor) []NamedTensor) []NamedTensor {
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

func tensorsOf(named []NamedTensor) []*torch.Tensor {
	ts := make([]*torch.Tensor, len(named))
	for i, n := range named {
		ts[i] = n.Tensor
	}
	return ts
}

// openTensors is tensorsOf, but panics with ErrClosed if a tensor is closed. The error
// names the tensor.
func openTensors(op string, named []NamedTensor) []*torch.Tensor {
	for _, n := range named {
		if n.Tensor.IsClosed() {
			operand.NeedElement(op, n.Name, n.Tensor)
		}
	}
	return tensorsOf(named)
}

// Train switches the module and everything below it to training mode, in which Dropout
// drops elements and BatchNorm uses the statistics of the batch. New modules are in
// training mode. Follows Module.train.
func (b *Base) Train() {
	b.mustBeInitialized("Train")
	if p := script.Of(b.self); p != nil {
		p.Train("Train", true)
	}
	b.eval = false
	for _, c := range b.currentChildren() {
		c.Module.Train()
	}
}

// Eval switches the module and everything below it to evaluation mode.
// Follows Module.eval.
func (b *Base) Eval() {
	b.mustBeInitialized("Eval")
	if p := script.Of(b.self); p != nil {
		p.Train("Eval", false)
	}
	b.eval = true
	for _, c := range b.currentChildren() {
		c.Module.Eval()
	}
}

// Training reports whether the module is in training mode: Module.training in
// Python.
func (b *Base) Training() bool {
	b.mustBeInitialized("Training")
	b.watchMode()
	return !b.eval
}

// SetTraining is Train or Eval. Use it to restore the mode that Training returned.
// Follows Module.train(mode).
func (b *Base) SetTraining(on bool) {
	b.mustBeInitialized("SetTraining")
	if on {
		b.self.Train()
	} else {
		b.self.Eval()
	}
}

// ZeroGrad removes the gradients of all parameters. It panics with ErrClosed for a
// closed parameter, and otherwise as NamedParameters does. An optimizer's ZeroGrad
// can fill them with zeros instead. Follows Module.zero_grad.
func (b *Base) ZeroGrad() {
	// ZeroGrad runs on every step, so it does not read the fields again.
	b.mustBeInitialized("ZeroGrad")
	torch.ZeroGrad(openTensors("ZeroGrad", b.listEach(parametersOf))...)
}

// SetRequiresGrad turns the gradients of all parameters on or off, which unfreezes or
// freezes the module. It panics as ZeroGrad does. Follows Module.requires_grad_.
func (b *Base) SetRequiresGrad(on bool) {
	b.mustAllBeReady("SetRequiresGrad")
	for _, p := range openTensors("SetRequiresGrad", b.listEach(parametersOf)) {
		p.SetRequiresGrad(on)
	}
}

// Releaser is a module that holds resources besides its tensors, such as a module of
// package torch/jit. [Base.Close] calls Release on each Releaser in the tree, on every
// call.
type Releaser interface{ Release() }

// Close frees the parameters and buffers of the module and of everything below it, and
// the other resources of each [Releaser]. Closing a module again does nothing. The error
// is always nil.
func (b *Base) Close() error {
	if b == nil {
		return nil
	}
	b.walkRegistered(func(b *Base) {
		_ = torch.Try(b.registerFields) // ignored: a module does not own what it cannot register
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
