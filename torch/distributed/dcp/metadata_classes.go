package dcp

import (
	"strings"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// Python modules of the classes in .metadata.
const (
	metadataModule   = "torch.distributed.checkpoint.metadata"
	filesystemModule = "torch.distributed.checkpoint.filesystem"
	// The module of the class before PyTorch 2.3.
	shardedModule = "torch.distributed._shard.sharded_tensor.metadata"
)

// class is a class or function that .metadata refers to, as "module.name".
type class struct{ name string }

// object is the result of calling a class or function.
type object struct {
	class  *class
	state  any
	result any // what a known function returned
}

// parser converts the parts of a pickle that it knows. Everything else becomes an opaque object,
// because writers put their own classes where the format allows it.
type parser struct {
	path    string
	classes map[pickle.Global]*class
}

func (p *parser) Global(_ *pickle.Reader, g pickle.Global) any {
	if g.Module == "torch" {
		if d, ok := dtypes[g.Name]; ok {
			return d
		}
	}
	g.Offset = 0
	c := p.classes[g]
	if c == nil {
		c = &class{g.String()}
		p.classes[g] = c
	}
	return c
}

func (p *parser) Call(u *pickle.Reader, f any, args []any) any {
	c, ok := f.(*class)
	if !ok {
		u.Fail("the pickle calls a value that is not a function")
	}
	switch c.name {
	case "torch.Size":
		if len(args) == 1 {
			switch of := args[0].(type) {
			case *pickle.Tuple:
				return &pickle.Tuple{Items: of.Items, Class: "torch.Size"}
			case *pickle.List:
				return &pickle.Tuple{Items: of.Items, Class: "torch.Size"}
			}
		}
		u.Fail("the argument of torch.Size is not a tuple")
	case "torch.serialization._get_layout":
		if len(args) == 1 {
			if name, ok := args[0].(string); ok {
				return &object{class: c, result: layoutNamed(name)}
			}
		}
		u.Fail("an invalid layout")
	case "collections.OrderedDict":
		if len(args) == 0 {
			return &pickle.Map{Class: c.name}
		}
	}
	return &object{class: c}
}

func (p *parser) New(u *pickle.Reader, f any, _ []any, _ *pickle.Map) any {
	c, ok := f.(*class)
	if !ok {
		u.Fail("the pickle creates an object from a value that is not a class")
	}
	return &object{class: c}
}

func (p *parser) Build(u *pickle.Reader, v, state any) {
	switch v := v.(type) {
	case *object:
		v.state = state
	case *pickle.Map:
		m, ok := state.(*pickle.Map)
		if !ok {
			u.Fail("the attributes of a dict are not a dict")
		}
		v.State = m
	default:
		u.Fail("the pickle sets the state of a value that is not an object")
	}
}

func (p *parser) Persistent(u *pickle.Reader, _ any) any {
	u.Fail("the pickle refers to data outside of itself")
	return nil
}

func (p *parser) Append(u *pickle.Reader, v any, _ []any) { p.ignoreAdded(u, v) }

func (p *parser) SetItems(u *pickle.Reader, v any, _ []any) { p.ignoreAdded(u, v) }

// ignoreAdded ignores values added to an opaque object.
func (p *parser) ignoreAdded(u *pickle.Reader, v any) {
	if _, ok := v.(*object); !ok {
		u.Fail("the pickle adds items to a value that is not an object")
	}
}

// dtypes are the dtypes that a file may contain, by their names in Python.
var dtypes = func() map[string]torch.DType {
	m := map[string]torch.DType{}
	for d := torch.Uint8; d <= torch.Float4E2M1FNX2; d++ {
		if d.Size() > 0 {
			m[strings.TrimPrefix(d.String(), "torch.")] = d
		}
	}
	return m
}()

// layoutNamed returns the layout with a name, or 0 if there is none.
func layoutNamed(name string) torch.Layout {
	for _, l := range []torch.Layout{
		torch.Strided, torch.SparseCOO, torch.SparseCSR, torch.SparseCSC, torch.SparseBSR,
		torch.SparseBSC, torch.Jagged, torch.Mkldnn,
	} {
		if l.String() == strings.TrimPrefix(strings.TrimPrefix(name, "torch."), "_") {
			return l
		}
	}
	return 0
}

// fields returns the fields of v, which must be an object of one of the named classes.
func (p *parser) fields(u *pickle.Reader, v any, what string, names ...string) *pickle.Map {
	o, ok := v.(*object)
	if !ok {
		u.Fail("%s: expected a Python object", what)
	}
	if !isInstance(o, names...) {
		u.FailWith(torch.ErrUnsupported, what+": unexpected class "+quoteName(o.class.name))
	}
	m, ok := o.state.(*pickle.Map)
	if !ok && o.state != nil {
		u.Fail("%s: the object has no fields", what)
	}
	if m == nil {
		m = new(pickle.Map)
	}
	return m
}

func isInstance(o *object, names ...string) bool {
	for _, n := range names {
		if o.class.name == n {
			return true
		}
	}
	return false
}
