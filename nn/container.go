package nn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Sequential passes its input through its children in the order of registration.
// Registering a layer under a name that is in use replaces the layer with that name.
// Follows torch.nn.Sequential.
type Sequential struct{ Base }

// NewSequential makes a Sequential of layers, named "0", "1" and so on. Closing the
// Sequential closes the layers. NewSequential panics with ErrNil for a nil layer. Follows
// torch.nn.Sequential.
func NewSequential(layers ...Layer) *Sequential {
	s := new(Sequential)
	s.startLayer(s)
	for i, l := range layers {
		mustNotBeNil("NewSequential", fmt.Sprintf("layers[%d]", i), l)
		s.Append(l)
	}
	return s
}

// In registers s as a child of parent, under the given name, and returns s:
//
//	n.mlp = nn.NewSequential(nn.NewLinear(4, 8), nn.NewReLU()).In(n, "mlp")
//
// It panics as [Base.Register] does.
func (s *Sequential) In(parent Module, name string) *Sequential {
	registerIn(parent, name, s)
	return s
}

// mustNotBeNil panics with ErrNil for a nil module, and for a module whose embedded
// layer is nil.
func mustNotBeNil(op, arg string, m Module) {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, arg, "a nil module"))
	}
	if baseOf(m) == nil {
		panic(torch.NewError(op, torch.ErrNil, arg, fmt.Sprintf("the layer that this %s embeds is nil", goName(m))))
	}
}

// registerIn registers m in parent. It panics with ErrNil if parent is nil.
func registerIn(parent Module, name string, m Module) {
	mustNotBeNil("In", "parent", parent)
	parent.ModuleBase().Register(name, m)
}

// Append adds a layer at the end and returns s. It panics with ErrNil for a nil
// layer, and otherwise as [Base.Register] does.
func (s *Sequential) Append(l Layer) *Sequential {
	mustNotBeNil("Sequential.Append", "l", l)
	return s.Add(strconv.Itoa(s.Len()), l)
}

// Add is Append with a name. It panics with ErrValue if the name is already
// used.
func (s *Sequential) Add(name string, l Layer) *Sequential {
	mustNotBeNil("Sequential.Add", "l", l)
	if s.Get(name) != nil {
		panic(torch.NewError("Sequential.Add", torch.ErrValue, "name", fmt.Sprintf("%q is taken", name)))
	}
	s.Register(name, l)
	return s
}

// Len returns the number of layers.
func (s *Sequential) Len() int {
	mustBeMade("Sequential.Len", s)
	s.watch(nil)
	return len(s.children)
}

// At returns layer i; a negative i counts from the end. It panics with ErrIndex
// if there is no such layer, and with ErrType if the module registered there is
// not a Layer.
func (s *Sequential) At(i int) Layer {
	mustBeMade("Sequential.At", s)
	s.watch(nil)
	const op = "Sequential.At"
	return s.layerAt(op, mustIndex(op, i, s.Len()))
}

// layerAt returns child i. Base.Register accepts any module, so the child may not be a
// Layer.
func (s *Sequential) layerAt(op string, i int) Layer {
	c := &s.children[i]
	l, ok := c.Module.(Layer)
	if !ok {
		panic(torch.NewError(op, torch.ErrType, "m",
			fmt.Sprintf("child %q, a %s, has no Forward that takes one tensor and returns one tensor", c.Name,
				c.Module.ModuleBase().TypeName())))
	}
	return l
}

// Forward runs the layers in order. Without layers it returns x. It frees each
// intermediate result once the next layer has run, unless the autograd graph needs it.
// A layer that keeps its input needs its own handle, such as torch.Disown(x.Detach()).
// Forward panics with ErrType if a registered module is not a Layer.
func (s *Sequential) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(s, x, s.run)
}

func (s *Sequential) run(x *torch.Tensor) *torch.Tensor {
	if s.Len() == 0 {
		return x
	}
	return torch.Tidy(func() *torch.Tensor {
		h := x
		for i := range s.children {
			next := s.layerAt("Sequential", i).Forward(h)
			if next != h {
				own.Release(h)
			}
			h = next
		}
		return h
	})
}

// ModuleList holds modules named "0", "1" and so on, in the order of registration. A
// ModuleList has no Forward: the module that holds the list calls its elements.
// Follows torch.nn.ModuleList.
type ModuleList struct{ Base }

// NewModuleList makes a ModuleList. Closing the list closes the modules. NewModuleList
// panics with ErrNil for a nil module. Follows torch.nn.ModuleList.
func NewModuleList(modules ...Module) *ModuleList {
	l := new(ModuleList)
	l.startLayer(l)
	for i, m := range modules {
		mustNotBeNil("NewModuleList", fmt.Sprintf("modules[%d]", i), m)
		l.Append(m)
	}
	return l
}

// In registers l as a child of parent, under the given name, and returns l. It panics as
// [Base.Register] does.
func (l *ModuleList) In(parent Module, name string) *ModuleList {
	registerIn(parent, name, l)
	return l
}

// Append adds a module at the end and returns l. It panics with ErrNil for a nil
// module, and otherwise as [Base.Register] does.
func (l *ModuleList) Append(m Module) *ModuleList {
	mustNotBeNil("ModuleList.Append", "m", m)
	l.Register(strconv.Itoa(l.Len()), m)
	return l
}

// Len returns the number of modules.
func (l *ModuleList) Len() int {
	mustBeMade("ModuleList.Len", l)
	l.watch(nil)
	return len(l.children)
}

// At returns module i; a negative i counts from the end. It panics with
// ErrIndex if there is no such module.
func (l *ModuleList) At(i int) Module {
	mustBeMade("ModuleList.At", l)
	l.watch(nil)
	return l.children[mustIndex("ModuleList.At", i, l.Len())].Module
}

// String shows consecutive equal modules as one entry, as Python does.
func (l *ModuleList) String() string {
	if l == nil {
		return "<nil>"
	}
	return printText(l)
}

func (l *ModuleList) print(t *treeText, depth int) {
	l.printAs(t, depth, l.extraRepr(), len(l.children) > 0, func() {
		// first is the first of the equal modules that share one entry. head and body
		// are the pieces where its indices and its text start.
		head, body, first := 0, 0, 0
		for i, c := range l.children {
			if i > first && c.Module.ModuleBase() == l.children[i-1].Module.ModuleBase() {
				continue
			}
			end := len(t.pieces)
			t.addLine(depth + 1)
			t.add("")
			t.addModule(c.Module, depth+1)
			if i > first && isSameText(t.pieces[body:end], t.pieces[end+2:]) {
				t.pieces = t.pieces[:end]
				continue
			}
			if i > first {
				t.pieces[head] = indexRange(first, i)
			}
			head, body, first = end+1, end+2, i
		}
		t.pieces[head] = indexRange(first, len(l.children))
	})
}

// indexRange formats the indices of the children that one line of a ModuleList describes.
func indexRange(from, to int) string {
	if n := to - from; n > 1 {
		return fmt.Sprintf("(%d-%d): %d x ", from, to-1, n)
	}
	return fmt.Sprintf("(%d): ", from)
}

// isSameText reports whether the pieces of a, joined, are the same text as the pieces of
// b.
func isSameText(a, b []string) bool {
	var x, y string
	for {
		for x == "" && len(a) > 0 {
			x, a = a[0], a[1:]
		}
		for y == "" && len(b) > 0 {
			y, b = b[0], b[1:]
		}
		n := min(len(x), len(y))
		if n == 0 || x[:n] != y[:n] {
			return x == y
		}
		x, y = x[n:], y[n:]
	}
}

// ModuleDict holds modules by name. A ModuleDict has no Forward: the module that holds
// the dict calls its elements.
// Follows torch.nn.ModuleDict.
type ModuleDict struct{ Base }

// NewModuleDict makes an empty ModuleDict. Add puts modules into it:
//
//	n.heads = nn.NewModuleDict().Add("left", left).Add("right", right).In(n, "heads")
//
// Closing the dict closes the modules. Follows torch.nn.ModuleDict.
func NewModuleDict() *ModuleDict {
	d := new(ModuleDict)
	d.startLayer(d)
	return d
}

// In registers d as a child of parent, under the given name, and returns d. It panics as
// [Base.Register] does.
func (d *ModuleDict) In(parent Module, name string) *ModuleDict {
	registerIn(parent, name, d)
	return d
}

// Add adds a module under a name, or replaces the module with that name, and
// returns d. It panics as [Base.Register] does.
func (d *ModuleDict) Add(name string, m Module) *ModuleDict {
	mustNotBeNil("ModuleDict.Add", "m", m)
	d.Register(name, m)
	return d
}

// Len returns the number of modules.
func (d *ModuleDict) Len() int {
	mustBeMade("ModuleDict.Len", d)
	d.watch(nil)
	return len(d.children)
}

// At returns the module with that name. It panics with ErrIndex if there is none; use
// Get to get nil instead.
func (d *ModuleDict) At(name string) Module {
	mustBeMade("ModuleDict.At", d)
	d.watch(nil)
	if i := d.childIndex(name); i >= 0 {
		return d.children[i].Module
	}
	panic(torch.NewError("ModuleDict.At", torch.ErrIndex, "name", fmt.Sprintf("no module %q", name)))
}

// ParameterList holds parameters named "0", "1" and so on.
// Follows torch.nn.ParameterList.
type ParameterList struct{ Base }

// NewParameterList makes a ParameterList. It takes ownership of the tensors and turns
// on their gradients. It panics with ErrNil for a nil tensor, and otherwise as
// [NewParameter] does. Follows torch.nn.ParameterList.
func NewParameterList(params ...*torch.Tensor) *ParameterList {
	l := new(ParameterList)
	l.startLayer(l)
	for i, p := range params {
		asParameter("NewParameterList", fmt.Sprintf("params[%d]", i), p)
		l.Append(p)
	}
	return l
}

// In registers l as a child of parent, under the given name, and returns l. It panics as
// [Base.Register] does.
func (l *ParameterList) In(parent Module, name string) *ParameterList {
	registerIn(parent, name, l)
	return l
}

// Append adds a parameter at the end and returns it. It panics with ErrNil for a
// nil tensor, and otherwise as [NewParameter] does.
func (l *ParameterList) Append(p *torch.Tensor) *torch.Tensor {
	p.HandleFor("ParameterList.Append(p)", 0)
	return l.RegisterParameter(strconv.Itoa(l.Len()), p)
}

// Len returns the number of parameters.
func (l *ParameterList) Len() int {
	mustBeMade("ParameterList.Len", l)
	l.watch(nil)
	return len(l.params)
}

// At returns parameter i; a negative i counts from the end. It panics with
// ErrIndex if there is no such parameter.
func (l *ParameterList) At(i int) *torch.Tensor {
	mustBeMade("ParameterList.At", l)
	l.watch(nil)
	return *l.params[mustIndex("ParameterList.At", i, l.Len())].slot
}

// String shows dtypes and sizes, as Python does.
func (l *ParameterList) String() string {
	if l == nil {
		return "<nil>"
	}
	return printText(l)
}

func (l *ParameterList) print(t *treeText, depth int) {
	lines := make([]string, len(l.params))
	for i, p := range l.params {
		text := "closed"
		if t := *p.slot; !t.IsClosed() {
			text = fmt.Sprintf("[torch.%v of size %s%s]", t.DType(), sizeString(t.Shape()), gpuSuffix(t))
		}
		lines[i] = fmt.Sprintf("  (%d): Parameter containing: %s", i, text)
	}
	l.printAs(t, depth, strings.Join(lines, "\n"), false, nil)
}

// mustIndex resolves a negative index and panics with ErrIndex if it is outside the n
// elements.
func mustIndex(op string, i, n int) int {
	if i < -n || i >= n {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d of %d elements", i, n)))
	}
	if i < 0 {
		i += n
	}
	return i
}
