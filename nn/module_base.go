package nn

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Base is embedded by every module. It holds the registered children, parameters and
// buffers, the training flag and the hooks. Call [Base.Init] before using it. It must
// not be copied.
//
// Fields of the struct are registered in order if they hold modules, slices or arrays
// of modules, or parameters made by [NewParameter]. They get Python's names: FC1
// becomes fc1, LayerNorm becomes layer_norm, and a slice named blocks becomes a
// [ModuleList]. A tag `torch:"name"` gives a field another name, and `torch:"-"`
// excludes it. The fields are read again whenever children or parameters are listed,
// so a new value in a field replaces the old one and nil removes it.
type Base struct {
	self        Module // the module that embeds this Base; nil before Init
	params      []entry
	buffers     []entry
	children    []NamedModule
	childAt     nameIndex
	paramAt     nameIndex
	bufferAt    nameIndex
	fieldRecord atomic.Pointer[fieldRecord] // the fields that hold registered modules and tensors
	fromFields  map[string]bool             // names that are registered because of a field
	wrapper     *Base                       // the Base of the module that wraps and replaced this one, or nil

	listOf              string               // the field of the parent whose modules this list holds
	name                string               // the name under which a parent first registered it
	typeName            string               // given by the program, or ""
	extra               func(b *Base) string // formats the arguments for String, or nil
	eval                bool
	flags               atomic.Uint32
	checkedReplacements atomic.Uint64 // the number of replacements at the last check of the fields
	hooks               hookSet
	stateHooks          *stateHooks     // or nil
	derived             *derivedTensors // or nil
}

// Flags that Call and the layers read with one atomic load.
const (
	flagReady uint32 = 1 << iota // Init was called, and the fields were checked since the last registration
	flagUser                     // the module is not of this package: its fields are checked
	flagHooks                    // there are hooks
	flagOuter                    // a struct that embeds the layer has its own Forward, which runs the hooks
	flagInit                     // Init was called, so Forward goes through Call
	flagSuper                    // as flagInit, for the struct that embeds this one
)

func (b *Base) setFlag(flag uint32)      { b.flags.Or(flag) }
func (b *Base) clearFlag(flag uint32)    { b.flags.And(^flag) }
func (b *Base) hasFlag(flag uint32) bool { return b.flags.Load()&flag != 0 }

// ModuleBase returns b. Functions that take a Module use it to find the Base.
func (b *Base) ModuleBase() *Base { return b }

// An InitOption is an option of a module's constructor: [Base.As] or a
// [TypeName].
//
//gotorch:options TypeName Registration
type InitOption interface{ initOption() }

// TypeName is the type name that a module prints. The default is the name of its Go
// type.
type TypeName string

// Init tells a Base which module embeds it; printing, errors and hooks need this. A
// module's constructor calls it before it registers anything:
//
//	n := new(Net)
//	n.Init(n)
//
// The layers of this package call it themselves. A struct that embeds a layer calls
// Init with itself. It panics with ErrNil for a nil module or option, and with
// ErrValue if self does not embed b or b was copied. Follows super().__init__().
func (b *Base) Init(self Module, opts ...InitOption) {
	const op = "Init"
	if opt.IsNil(self) {
		panic(torch.NewError(op, torch.ErrNil, "self", "a nil module"))
	}
	if baseOf(self) != b {
		panic(torch.NewError(op, torch.ErrValue, "self",
			fmt.Sprintf("a %s that does not embed this Base: call n.Init(n)", goName(self))))
	}
	if b.self != nil && b.self.ModuleBase() != b {
		panic(torch.NewError(op, torch.ErrValue, "self",
			fmt.Sprintf("a %s with a copy of a %s, whose parameters are those of the original: embed the pointer",
				goName(self), goName(b.self))))
	}
	var reg Registration
	name := b.typeName
	for _, o := range opts {
		switch o := o.(type) {
		case TypeName:
			name = string(o)
		case Registration:
			reg = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	// An embedded layer already has a self.
	if b.self != nil && !inheritsForward(self) {
		b.setFlag(flagOuter)
		if b.hasFlag(flagInit) {
			b.setFlag(flagSuper)
		}
	}
	b.self, b.typeName = self, name
	b.clearFlag(flagReady)
	b.setFlag(flagUser | flagInit)
	b.registerFields()
	reg.register(self)
}

// startLayer is Init for the layers of this package, whose fields need no check.
func (b *Base) startLayer(self Module) {
	b.self = self
	b.setFlag(flagReady)
}

// mustBeInitialized panics unless Init was called.
func (b *Base) mustBeInitialized(op string) {
	switch {
	case b == nil:
		panic(torch.NewError(op, torch.ErrNil, "receiver", "a nil *nn.Base"))
	case b.self == nil:
		panic(torch.NewError(op, torch.ErrNil, "receiver",
			"a module that no constructor made: make a layer with its constructor, such as nn.NewLinear; that of a "+
				"module of your own has to call n.Init(n) first, as super().__init__() in Python"+calledFrom()))
	}
}

// mustBeMade panics if a layer of this package is nil or was not made by its constructor.
func mustBeMade(op string, m Module) {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "receiver", fmt.Sprintf("a nil *nn.%s", goName(m))))
	}
	if b := m.ModuleBase(); b.self == nil {
		if name := goName(m); !strings.HasSuffix(name, "Base") {
			panic(torch.NewError(op, torch.ErrNil, "receiver",
				fmt.Sprintf("a %s that no constructor made: make it with nn.New%s", name, name)))
		}
		b.mustBeInitialized(op)
	}
}

// calledFrom names the calling function of the program. It helps to find the module
// when its type is unknown.
func calledFrom() string {
	f, ok := trace.Site(trace.Frames(trace.Here(1)))
	if !ok {
		return ""
	}
	_, name, _ := strings.Cut(f.Function[strings.LastIndex(f.Function, "/")+1:], ".")
	return " (in " + name + ")"
}

var packagePath = baseType.PkgPath()

// Registration is the result type of [Base.As], an option of every constructor. It
// registers the new module as a child.
type Registration struct {
	opt.AnyLayer
	parent *Base
	name   string
}

// As is an option of layer constructors that registers the new layer with b under a
// name. Use it for layers that no field of the module holds:
//
//	layers["conv"] = nn.NewConv2d(1, 32, 3, n.As("conv"))
//
// A name in use is replaced. It panics as [Base.Register] does. Follows the
// assignment self.conv = nn.Conv2d(1, 32, 3).
func (b *Base) As(name string) Registration {
	const op = "As"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindModule)
	return Registration{parent: b, name: name}
}

func (r Registration) register(m Module) {
	if r.parent != nil {
		r.parent.Register(r.name, m)
	}
}

// Register makes m a child of b under a name. If the name is in use, m replaces the
// old child. It panics with ErrNil for a nil module. It panics with ErrValue if Init
// was not called on m, if m contains b, or if b is a script of torch/jit. It also
// panics with ErrValue for a name that is empty, contains a dot, or belongs to a
// parameter or buffer. Follows Module.register_module.
func (b *Base) Register(name string, m Module) {
	b.mustNotBeFieldList("Register")
	b.mustAdmit(name, m)
	b.putChild(name, m)
	delete(b.fromFields, name)
}

// mustNotBeFieldList panics if b is the list of a field, because reading the field again
// would undo the change.
func (b *Base) mustNotBeFieldList(op string) {
	if b != nil && b.listOf != "" {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			fmt.Sprintf("the list of the modules in the field n.%s: change the field", b.listOf)))
	}
}

// mustAdmit panics unless m can become the child with that name.
func (b *Base) mustAdmit(name string, m Module) {
	const op = "Register"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindModule)
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", fmt.Sprintf("module %q is nil", name)))
	}
	c := baseOf(m)
	switch {
	case c == nil:
		panic(torch.NewError(op, torch.ErrNil, "m",
			fmt.Sprintf("module %q is a %s that embeds a nil layer", name, goName(m))))
	case c.self == nil:
		panic(torch.NewError(op, torch.ErrValue, "m",
			fmt.Sprintf("module %q, a %s, was never told that it is one: its constructor calls m.Init(m)", name,
				goName(m))))
	case !sameModule(c.self, m):
		panic(torch.NewError(op, torch.ErrValue, "m",
			fmt.Sprintf("module %q is a %s that embeds a %s: its constructor calls m.Init(m)", name, goName(m),
				goName(c.self))))
	case c == b:
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("module %q cannot be its own child", name)))
	}
	// A module that was never a child is below nothing, so building a tree takes
	// linear time.
	if b.name != "" && len(c.children) > 0 && c.isAbove(b) {
		panic(torch.NewError(op, torch.ErrValue, "m", fmt.Sprintf("module %q has this module below it", name)))
	}
}

// putChild makes m the child with that name.
func (b *Base) putChild(name string, m Module) {
	c := adoptChild(name, m)
	if i := b.childIndex(name); i >= 0 {
		b.children[i].Module.ModuleBase().noteReplacement(c)
		b.children[i].Module = m
	} else {
		b.children = append(b.children, NamedModule{name, m})
		b.childAt = b.childAt.withLast(len(b.children), func(i int) string { return b.children[i].Name })
	}
	b.noteChange()
}

// adoptChild records that m becomes the child with that name.
func adoptChild(name string, m Module) *Base {
	c := m.ModuleBase()
	if c.name == "" {
		c.name = name
	}
	if c.wrapper != nil { // writing unconditionally would race with readers
		c.wrapper = nil
	}
	return c
}

// setChildren replaces the list of children, which may have been reordered or
// shortened.
func (b *Base) setChildren(list []NamedModule) {
	b.mustNotBeFieldList("ModuleList")
	b.children, b.childAt = list, nil
	b.noteChange()
}

func (b *Base) childIndex(name string) int {
	if b.childAt != nil {
		return b.childAt.indexOf(name)
	}
	return slices.IndexFunc(b.children, func(n NamedModule) bool { return n.Name == name })
}

// noteChange makes the next call check the fields again.
func (b *Base) noteChange() {
	if b.hasFlag(flagUser) {
		b.clearFlag(flagReady)
	}
}

type kind int

const (
	kindModule kind = iota
	kindParameter
	kindBuffer
)

func (b *Base) mustAcceptName(op, name string, k kind) {
	fail := func(why string) {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q %s", name, why)))
	}
	if name == "" {
		fail("is empty")
	}
	if strings.Contains(name, ".") {
		fail("holds a dot, which separates the names of a path")
	}
	if k != kindModule && b.childIndex(name) >= 0 {
		fail("is the name of a child")
	}
	if k != kindParameter && b.param(name) != nil {
		fail("is the name of a parameter")
	}
	if k != kindBuffer && b.buf(name) != nil {
		fail("is the name of a buffer")
	}
	if b.IsDerived(name) {
		fail("is derived by a function, which Derive(name, nil) takes away")
	}
	if why := b.whyNotInScript(name, k); why != "" {
		fail(why)
	}
}
