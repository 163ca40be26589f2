package nn

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// Edits of Sequential and ModuleList, whose children are named by index.

// mustBeNumbered panics with ErrValue if a child is not named by its index.
func (b *Base) mustBeNumbered(op string) {
	b.mustNotBeFieldList(op)
	for i, c := range b.children {
		if c.Name != strconv.Itoa(i) {
			panic(torch.NewError(op, torch.ErrValue, "receiver",
				fmt.Sprintf("child %d has the name %q, which is not its index", i, c.Name)))
		}
	}
}

func (b *Base) renumber() {
	for i := range b.children {
		c := &b.children[i]
		name := strconv.Itoa(i)
		if m := c.Module.ModuleBase(); m.name == c.Name {
			m.name = name
		}
		c.Name = name
	}
	b.setChildren(b.children)
}

func (b *Base) insertChild(op string, i int, m Module) {
	n := len(b.children)
	if i < -n || i > n {
		panic(torch.NewError(op, torch.ErrIndex, "i", fmt.Sprintf("%d of %d elements", i, n)))
	}
	if i < 0 {
		i += n
	}
	b.mustBeNumbered(op)
	name := strconv.Itoa(n)
	b.mustAdmit(name, m)
	adoptChild(name, m)
	b.children = slices.Insert(slices.Clone(b.children), i, NamedModule{name, m})
	b.renumber()
}

// replaceChild registers m in place of child i.
func (b *Base) replaceChild(op string, i int, m Module) {
	b.Register(b.children[mustIndex(op, i, len(b.children))].Name, m)
}

func (b *Base) removeChild(op string, i int) Module {
	i = mustIndex(op, i, len(b.children))
	m := b.children[i].Module
	b.setChildren(slices.Delete(slices.Clone(b.children), i, i+1))
	return m
}

// childrenBetween returns the children from i to j. Negative indices count from the end, as in
// Python's slices.
func (b *Base) childrenBetween(i, j int) []NamedModule {
	i, j = clampBounds(i, j, len(b.children))
	return b.children[i:j]
}

// clampBounds clamps slice indices to n elements, as Python does.
func clampBounds(i, j, n int) (from, to int) {
	limit := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	from, to = limit(i), limit(j)
	return from, max(from, to)
}

// Set replaces layer i with l; a negative i counts from the end. It does not close the
// old layer. It panics with ErrIndex if there is no such layer, with ErrNil for a nil
// layer, and otherwise as [Base.Register] does. Follows s[i] = l.
func (s *Sequential) Set(i int, l Layer) {
	const op = "Sequential.Set"
	mustNotBeNil(op, "l", l)
	s.replaceChild(op, i, l)
}

// Insert inserts a layer before layer i and returns s; a negative i counts from the
// end. The layers after it are renamed. It panics with ErrIndex for an index out of
// range, with ErrValue if a layer is not named by its index, with ErrNil for a nil
// layer, and otherwise as [Base.Register] does. Follows Sequential.insert.
func (s *Sequential) Insert(i int, l Layer) *Sequential {
	const op = "Sequential.Insert"
	mustNotBeNil(op, "l", l)
	s.insertChild(op, i, l)
	return s
}

// Extend appends the layers of another Sequential and returns s. Both then hold the
// layers. It panics with ErrNil for a nil Sequential. Follows Sequential.extend.
func (s *Sequential) Extend(other *Sequential) *Sequential {
	const op = "Sequential.Extend"
	mustNotBeNil(op, "other", other)
	for i := range slices.Clone(other.children) {
		s.Append(other.layerAt(op, i))
	}
	return s
}

// Pop removes layer i and returns it without closing it; a negative i counts from the
// end. The remaining layers are renamed to their indices. It panics with ErrIndex if
// there is no such layer, and with ErrType if it is not a Layer.
// Follows Sequential.pop.
func (s *Sequential) Pop(i int) Layer {
	mustBeMade("Sequential.Pop", s)
	const op = "Sequential.Pop"
	l := s.layerAt(op, mustIndex(op, i, s.Len()))
	s.removeChild(op, i)
	s.renumber()
	return l
}

// Slice returns a Sequential of the layers from i to j under their present names.
// Both Sequentials share the layers: close only one. Negative indices count from the
// end; indices out of range are clamped. Follows s[i:j].
func (s *Sequential) Slice(i, j int) *Sequential {
	mustBeMade("Sequential.Slice", s)
	part := NewSequential()
	for _, c := range s.childrenBetween(i, j) {
		part.Register(c.Name, c.Module)
	}
	return part
}

// Set replaces module i with m; a negative i counts from the end. It does not close the
// old module. It panics with ErrIndex if there is no such module, with ErrNil for a nil
// module, and otherwise as [Base.Register] does. Follows l[i] = m.
func (l *ModuleList) Set(i int, m Module) {
	const op = "ModuleList.Set"
	mustNotBeNil(op, "m", m)
	l.replaceChild(op, i, m)
}

// Insert inserts a module before module i and returns l; a negative i counts from the
// end. The modules after it are renamed. It panics with ErrIndex for an index out of
// range, with ErrNil for a nil module, and otherwise as [Base.Register] does.
// Follows ModuleList.insert.
func (l *ModuleList) Insert(i int, m Module) *ModuleList {
	const op = "ModuleList.Insert"
	mustNotBeNil(op, "m", m)
	l.insertChild(op, i, m)
	return l
}

// Extend appends modules and returns l. It panics with ErrNil for a nil module.
// Follows ModuleList.extend.
func (l *ModuleList) Extend(modules ...Module) *ModuleList {
	mustBeMade("ModuleList.Extend", l)
	for i, m := range modules {
		mustNotBeNil("ModuleList.Extend", fmt.Sprintf("modules[%d]", i), m)
	}
	for _, m := range modules {
		l.Append(m)
	}
	return l
}

// Pop removes module i and returns it without closing it; a negative i counts from
// the end. The modules after it are renamed. It panics with ErrIndex if there is no
// such module. Follows ModuleList.pop.
func (l *ModuleList) Pop(i int) Module {
	mustBeMade("ModuleList.Pop", l)
	m := l.removeChild("ModuleList.Pop", i)
	l.renumber()
	return m
}

// Slice returns a ModuleList of the modules from i to j, renamed from "0". Both lists
// share the modules: close only one. Negative indices count from the end; indices out
// of range are clamped. Follows l[i:j].
func (l *ModuleList) Slice(i, j int) *ModuleList {
	mustBeMade("ModuleList.Slice", l)
	part := NewModuleList()
	for _, c := range l.childrenBetween(i, j) {
		part.Append(c.Module)
	}
	return part
}

// Has reports whether there is a module with that name. Follows `name in d` in Python.
func (d *ModuleDict) Has(name string) bool {
	mustBeMade("ModuleDict.Has", d)
	return d.childIndex(name) >= 0
}

// Keys returns the names in the order of registration. Follows ModuleDict.keys.
// Children returns names and modules, as ModuleDict.items does.
func (d *ModuleDict) Keys() []string {
	mustBeMade("ModuleDict.Keys", d)
	d.watch(nil)
	keys := make([]string, len(d.children))
	for i, c := range d.children {
		keys[i] = c.Name
	}
	return keys
}

// Values returns the modules in the order of registration. Follows ModuleDict.values.
func (d *ModuleDict) Values() []Module {
	mustBeMade("ModuleDict.Values", d)
	d.watch(nil)
	return d.childModules()
}

// Values returns the modules in order. Follows `for m in l` in Python.
func (l *ModuleList) Values() []Module {
	mustBeMade("ModuleList.Values", l)
	l.watch(nil)
	return l.childModules()
}

// Values returns the layers in order. It panics as At does. Follows `for m in s` in
// Python.
func (s *Sequential) Values() []Layer {
	mustBeMade("Sequential.Values", s)
	s.watch(nil)
	values := make([]Layer, s.Len())
	for i := range values {
		values[i] = s.layerAt("Sequential.Values", i)
	}
	return values
}

func (b *Base) childModules() []Module {
	values := make([]Module, len(b.children))
	for i, c := range b.children {
		values[i] = c.Module
	}
	return values
}

// Update adds the modules of another ModuleDict, replacing those with the same names,
// and returns d. Both then hold the modules. It panics with ErrNil for a nil
// ModuleDict. Follows ModuleDict.update.
func (d *ModuleDict) Update(other *ModuleDict) *ModuleDict {
	mustNotBeNil("ModuleDict.Update", "other", other)
	for _, c := range slices.Clone(other.children) {
		d.Add(c.Name, c.Module)
	}
	return d
}

// Pop removes the module with that name and returns it without closing it. It panics
// with ErrIndex if there is none. Follows ModuleDict.pop.
func (d *ModuleDict) Pop(name string) Module {
	mustBeMade("ModuleDict.Pop", d)
	const op = "ModuleDict.Pop"
	i := slices.Index(d.Keys(), name)
	if i < 0 {
		panic(torch.NewError(op, torch.ErrIndex, "name", fmt.Sprintf("no module %q", name)))
	}
	m := d.removeChild(op, i)
	d.noteChange()
	return m
}

// Clear removes all modules without closing them. Follows ModuleDict.clear.
func (d *ModuleDict) Clear() {
	mustBeMade("ModuleDict.Clear", d)
	d.setChildren(nil)
}
