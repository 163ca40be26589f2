package nn

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Base is embedded by every module. It holds the registered children, parameters and
// buffers, the training flag and the hooks. Call [Base.Init] before using it. It must not
// be copied.
//
// Fields of the struct are registered in order if they hold modules, slices or arrays of
// modules, or parameters made by [NewParameter]. They get Python's names: FC1 becomes
// fc1, LayerNorm becomes layer_norm, and a slice named blocks becomes a [ModuleList]. A
// tag `torch:"name"` gives a field a different name, and `torch:"-"` excludes it. The
// fields are read again whenever children or parameters are listed, so a new value in a
// field replaces the old one and nil removes it.
type Base struct {
	self        Module // the module that embeds this Base; nil before Init
	params      []entry
	buffers     []entry
	children    []NamedModule
	childAt     nameIndex
	paramAt     nameIndex
	bufferAt    nameIndex
	fieldRecord atomic.Pointer[fieldRecord] // the fields that hold registered modules and tensors
	fromFields  map[string]bool             // names of children and parameters from fields; see fieldsMutex
	wrapper     *Base                       // the Base of the module that wraps and replaced this one, or nil

	listOf              string               // if this is a ModuleList made from a slice field, the path of that field
	name                string               // the name under which a parent first registered this module
	typeName            string               // the TypeName option, or ""
	extra               func(b *Base) string // formats the arguments for String, or nil
	eval                bool
	flags               atomic.Uint32
	checkedReplacements atomic.Uint64 // replacementCount at the last check of the fields
	hooks               hookSet
	stateHooks          *stateHooks     // or nil
	derived             *derivedTensors // or nil
}

// Flags that Call and the layers read with one atomic load.
const (
	flagReady uint32 = 1 << iota // a constructor has made the module, and its fields were checked since
	flagUser                     // the fields are checked: a program may assign to them
	flagHooks                    // there are hooks
	flagOuter                    // a struct that embeds the layer has its own Forward, which runs the hooks
	flagInit                     // Init was called, so Forward goes through Call
	flagSuper                    // Init was also called for a struct that embeds this module
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
			fmt.Sprintf("the %s does not embed this Base: call n.Init(n)", goName(self))))
	}
	if b.self != nil && b.self.ModuleBase() != b {
		panic(torch.NewError(op, torch.ErrValue, "self",
			fmt.Sprintf(
				"the %s contains a %s by value, a copy that shares its parameters with the original: embed a pointer",
				goName(self), goName(b.self))))
	}
	name, reg := opt.Read2(op, opts, TypeName(b.typeName), Registration{})
	// If b.self is set, b belongs to a layer that the module embeds. The layer's
	// constructor has set it.
	if b.self != nil && !inheritsForward(self) {
		b.setFlag(flagOuter)
		if b.hasFlag(flagInit) {
			b.setFlag(flagSuper)
		}
	}
	b.self, b.typeName = self, string(name)
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
			"no constructor made this module: make a layer with its constructor, such as nn.NewLinear; the "+
				"constructor of your own module must call n.Init(n) first, like super().__init__()"+calledFrom()))
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
				fmt.Sprintf("no constructor made this %s: make it with nn.New%s", name, name)))
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

// mustExist panics if b is nil. It does not require Init, because SetTypeName and
// SetExtraRepr may be called before it.
func (b *Base) mustExist(op string) {
	if b == nil {
		b.mustBeInitialized(op)
	}
}
