package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Module is a node in a tree of layers, with its parameters. A struct implements it
// by embedding [Base]. Forward is not part of the interface, because its signature
// differs between modules.
type Module interface {
	// ModuleBase returns the embedded Base.
	ModuleBase() *Base
	// Parameters returns the parameters of the whole tree; see Base.
	Parameters(opts ...RecurseOption) []*torch.Tensor
	// NamedParameters returns the parameters with their paths.
	NamedParameters(opts ...ListOption) []NamedTensor
	// StateDict returns parameters and buffers with their paths.
	StateDict() StateDict
	// LoadStateDict copies values into parameters and buffers.
	LoadStateDict(StateSource, ...LoadOption) error
	// Train and Eval switch the tree between training and evaluation.
	Train()
	Eval()
	// To converts the tree and moves it between devices.
	To(opts ...torch.ToOption)
	// ZeroGrad removes every gradient of the tree.
	ZeroGrad()
	// Close frees the tree's parameters and buffers.
	Close() error
	// String shows the tree as Python's print does.
	String() string
}

// Layer is a module that takes one tensor and returns one tensor.
type Layer interface {
	Module
	Forward(x *torch.Tensor) *torch.Tensor
}

// NamedTensor is a parameter or buffer with its path, such as "mlp.0.weight".
type NamedTensor struct {
	Name   string
	Tensor *torch.Tensor
}

// NamedModule is a module with its path, which is "" for the root.
type NamedModule struct {
	Name   string
	Module Module
}

// Modules returns root and every module below it, each once, parents before
// their children. It panics as [NamedModules] does. Follows Module.modules.
func Modules(root Module) []Module {
	named := namedModules("Modules", root)
	ms := make([]Module, len(named))
	for i, m := range named {
		ms[i] = m.Module
	}
	return ms
}

// NamedModules returns the modules that Modules returns, with their paths. It panics
// with ErrNil for a nil root or option. It panics with ErrValue if Init was not called
// on root, or if a module of the tree holds a layer that is not registered.
// Follows Module.named_modules.
func NamedModules(root Module, opts ...ModuleListOption) []NamedModule {
	return namedModules("NamedModules", root, opts...)
}

func namedModules(op string, root Module, opts ...ModuleListOption) []NamedModule {
	l := readModuleListing(op, opts)
	mustBeRoot(op, root).mustAllBeReady(op)
	seen := map[*Base]bool{}
	var list []NamedModule
	var visit func(m Module, path string)
	visit = func(m Module, path string) {
		b := m.ModuleBase()
		if seen[b] {
			return
		}
		seen[b] = !l.repeats
		list = append(list, NamedModule{path, m})
		for _, c := range b.children {
			visit(c.Module, join(path, c.Name))
		}
	}
	visit(root, l.prefix)
	return list
}

// Apply calls fn for every module below root and then for root, children before their
// parents. It panics with ErrNil for a nil root or fn, and with ErrValue if Init was
// not called on root. Follows Module.apply.
func Apply(root Module, fn func(Module)) {
	b := mustBeRoot("Apply", root)
	if fn == nil {
		panic(torch.NilFunc("Apply", "fn"))
	}
	for _, c := range b.currentChildren() {
		Apply(c.Module, fn)
	}
	fn(root)
}

// mustBeRoot returns the Base of root. It panics if root is nil or Init was not called on
// it or on the struct that embeds it.
func mustBeRoot(op string, root Module) *Base {
	var b *Base
	if !opt.IsNil(root) {
		b = baseOf(root)
	}
	if b == nil {
		panic(torch.NewError(op, torch.ErrNil, "root", "a nil module"))
	}
	b.mustBeInitialized(op)
	if !sameModule(b.self, root) {
		panic(torch.NewError(op, torch.ErrValue, "root",
			fmt.Sprintf("this %s embeds a %s: its constructor must call m.Init(m)", goName(root), goName(b.self))))
	}
	return b
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
