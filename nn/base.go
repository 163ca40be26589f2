package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// Base is what every module embeds: the registered children, parameters and
// buffers, the training flag and the hooks. The zero Base is ready to use; it
// must not be copied after that.
type Base struct {
	params   []NamedTensor
	buffers  []buffer
	children []NamedModule

	name  string // under which a parent registered it
	extra string // arguments, for Repr
	tidy  any    // the layer whose Forward leaves no temporaries behind; see Call
	eval  bool
	pre   []*Hook
	post  []*Hook
}

type buffer struct {
	NamedTensor
	transient bool // not part of the state dict
}

// ModuleBase returns b. It is how functions that take a Module find its Base.
func (b *Base) ModuleBase() *Base { return b }

// Register makes m a child under a name and returns b, so that calls chain.
// A name that is taken is replaced. It panics with ErrNil for a nil module and
// with ErrValue for a name that is empty, holds a dot, or is that of a
// parameter or buffer. Follows Module.register_module.
func (b *Base) Register(name string, m Module) *Base {
	const op = "Register"
	b.checkName(op, name, kindModule)
	if isNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", fmt.Sprintf("module %q is nil", name)))
	}
	c := m.ModuleBase()
	if c == b {
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("module %q cannot be its own child", name)))
	}
	if c.name == "" {
		c.name = name
	}
	if i := slices.IndexFunc(b.children, func(n NamedModule) bool { return n.Name == name }); i >= 0 {
		b.children[i].Module = m
	} else {
		b.children = append(b.children, NamedModule{name, m})
	}
	return b
}

// RegisterParameter makes t a parameter under a name, takes it out of every
// scope and has its gradients recorded, unless its dtype has none. A nil t
// registers nothing, as a missing bias; a name that is taken is replaced,
// which ties weights. It panics with ErrAutograd if t was computed from other
// tensors, and for names as Register does. Follows Module.register_parameter.
func (b *Base) RegisterParameter(name string, t *torch.Tensor) *Base {
	const op = "RegisterParameter"
	b.checkName(op, name, kindParameter)
	if t == nil {
		return b
	}
	NewParameter(t)
	if i := slices.IndexFunc(b.params, func(n NamedTensor) bool { return n.Name == name }); i >= 0 {
		b.params[i].Tensor = t
	} else {
		b.params = append(b.params, NamedTensor{name, t})
	}
	return b
}

// RegisterBuffer makes t part of the module without being trained, as the
// running statistics of a BatchNorm, and takes it out of every scope. A nil t
// registers nothing. Panics are those of Register. Follows
// Module.register_buffer.
func (b *Base) RegisterBuffer(name string, t *torch.Tensor) *Base {
	return b.registerBuffer(name, t, false)
}

// RegisterTransientBuffer is RegisterBuffer for what no state dict should
// hold, persistent=False.
func (b *Base) RegisterTransientBuffer(name string, t *torch.Tensor) *Base {
	return b.registerBuffer(name, t, true)
}

func (b *Base) registerBuffer(name string, t *torch.Tensor, transient bool) *Base {
	const op = "RegisterBuffer"
	b.checkName(op, name, kindBuffer)
	if t == nil {
		return b
	}
	t.HandleFor(op+"(t)", 0)
	torch.Disown(t)
	n := buffer{NamedTensor{name, t}, transient}
	if i := slices.IndexFunc(b.buffers, func(x buffer) bool { return x.Name == name }); i >= 0 {
		b.buffers[i] = n
	} else {
		b.buffers = append(b.buffers, n)
	}
	return b
}

// NewParameter takes a leaf out of every scope, has its gradients recorded,
// unless its dtype has none, and returns it. It panics with ErrAutograd if t
// was computed from other tensors. Follows torch.nn.Parameter.
func NewParameter(t *torch.Tensor) *torch.Tensor {
	const op = "NewParameter(t)"
	t.HandleFor(op, 0)
	if !t.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, "t", "a parameter is made by the program, not computed from other tensors; use Detach"))
	}
	if d := t.DType(); d.IsFloatingPoint() || d.IsComplex() {
		t.SetRequiresGrad(true)
	}
	return torch.Disown(t)
}

type kind int

const (
	kindModule kind = iota
	kindParameter
	kindBuffer
)

func (b *Base) checkName(op, name string, k kind) {
	fail := func(why string) {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q %s", name, why)))
	}
	if name == "" {
		fail("is empty")
	}
	if strings.Contains(name, ".") {
		fail("holds a dot, which separates the names of a path")
	}
	if k != kindModule && slices.ContainsFunc(b.children, func(n NamedModule) bool { return n.Name == name }) {
		fail("is the name of a child")
	}
	if k != kindParameter && slices.ContainsFunc(b.params, func(n NamedTensor) bool { return n.Name == name }) {
		fail("is the name of a parameter")
	}
	if k != kindBuffer && slices.ContainsFunc(b.buffers, func(n buffer) bool { return n.Name == name }) {
		fail("is the name of a buffer")
	}
}

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

// NamedParameters returns the parameters of the module and of all below it
// with their paths, in PyTorch's order: own ones first, then child by child,
// each in the order of registration. A shared parameter is listed once.
// Follows Module.named_parameters.
func (b *Base) NamedParameters() []NamedTensor {
	var list []NamedTensor
	seen := map[*torch.Tensor]bool{}
	b.walk(func(b *Base, path string) {
		for _, p := range b.params {
			if !seen[p.Tensor] {
				seen[p.Tensor] = true
				list = append(list, NamedTensor{join(path, p.Name), p.Tensor})
			}
		}
	})
	return list
}

// Parameters is NamedParameters without the names: what an optimizer takes.
// The tensors are the module's own, not to be closed one by one. Follows
// Module.parameters.
func (b *Base) Parameters() []*torch.Tensor { return tensors(b.NamedParameters()) }

// NamedBuffers returns the buffers of the tree as NamedParameters does its
// parameters. Follows Module.named_buffers.
func (b *Base) NamedBuffers() []NamedTensor {
	var list []NamedTensor
	seen := map[*torch.Tensor]bool{}
	b.walk(func(b *Base, path string) {
		for _, p := range b.buffers {
			if !seen[p.Tensor] {
				seen[p.Tensor] = true
				list = append(list, NamedTensor{join(path, p.Name), p.Tensor})
			}
		}
	})
	return list
}

// Buffers is NamedBuffers without the names. Follows Module.buffers.
func (b *Base) Buffers() []*torch.Tensor { return tensors(b.NamedBuffers()) }

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

// Train switches the module and all below it to training, where a new module
// is: Dropout drops, BatchNorm uses the batch's statistics. Follows
// Module.train.
func (b *Base) Train() {
	b.eval = false
	for _, c := range b.children {
		c.Module.Train()
	}
}

// Eval switches the module and all below it to evaluation. Follows
// Module.eval.
func (b *Base) Eval() {
	b.eval = true
	for _, c := range b.children {
		c.Module.Eval()
	}
}

// IsTraining reports whether the module is in training, Module.training in
// Python.
func (b *Base) IsTraining() bool { return !b.eval }

// ZeroGrad removes the gradients of all parameters. Follows Module.zero_grad.
func (b *Base) ZeroGrad() { torch.ZeroGrad(b.Parameters()...) }

// SetRequiresGrad has the gradients of all parameters recorded or not:
// freezes or thaws the module. Follows Module.requires_grad_.
func (b *Base) SetRequiresGrad(on bool) {
	for _, p := range b.Parameters() {
		p.SetRequiresGrad(on)
	}
}

// To moves parameters, their gradients and buffers to another device,
// converts those of floating-point and complex dtypes, and puts those of four
// or five dimensions, the weights of 2-d and 3-d convolutions, into another
// memory format. The tensors keep their identity, so an optimizer made before
// still holds them. It goes tensor by tensor and frees the old memory of one
// before it converts the next. It panics with ErrDType for other dtypes; what
// libtorch refuses, such as ChannelsLast for five dimensions, leaves that
// tensor and those after it as they were. Follows Module.to.
func (b *Base) To(opts ...torch.Option) {
	for _, o := range opts {
		if d, ok := o.(torch.DType); ok && !d.IsFloatingPoint() && !d.IsComplex() {
			panic(torch.NewError("To", torch.ErrDType, "opts", fmt.Sprintf("modules convert to floating-point and complex dtypes only, got %v", d)))
		}
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			for _, p := range b.Parameters() {
				convert(p, opts)
				// The gradient itself, not its place in p: nothing that fails can
				// lose it.
				if grad := p.Grad(); grad != nil {
					convert(grad, opts)
					_ = grad.Close()
				}
			}
			for _, t := range b.Buffers() {
				convert(t, opts)
			}
		})
	})
}

// convert is To for one tensor.
func convert(t *torch.Tensor, opts []torch.Option) {
	d, dims := t.DType(), t.Dim()
	fit := make([]torch.Option, 0, len(opts))
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

// Close frees the parameters and buffers of the module and of all below it.
// Closing a module again does nothing. It always returns nil.
func (b *Base) Close() error {
	for _, t := range b.Parameters() {
		_ = t.Close()
	}
	for _, t := range b.Buffers() {
		_ = t.Close()
	}
	return nil
}
