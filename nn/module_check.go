package nn

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// mustBeReady runs on the first call and after each registration. It panics if Init was
// not called or a field is not registered.
func (b *Base) mustBeReady(op string) {
	b.mustBeInitialized(op)
	if b.hasFlag(flagReady) && (!b.hasFlag(flagUser) || b.checkedReplacements.Load() == replacementCount.Load()) {
		return
	}
	b.mustHaveRegisteredFields()
	b.setFlag(flagReady)
}

// mustAllBeReady checks all modules of a tree. It checks the program's modules every time,
// since their fields may have changed.
func (b *Base) mustAllBeReady(op string) {
	b.mustBeInitialized(op)
	if functionalCalls.Load() != 0 {
		b.mustHaveTurn()
	}
	b.walk(func(b *Base) {
		if b.self == nil {
			return
		}
		// mustHoldRegistered reads the record of the fields. mustHaveRegisteredFields,
		// below, replaces this record.
		if b.hasFlag(flagReady) {
			b.mustHoldRegistered()
		}
		if b.hasFlag(flagUser) {
			b.mustHaveRegisteredFields()
			b.setFlag(flagReady)
		} else {
			b.mustBeReady("")
		}
	})
}

// mustHaveRegisteredFields panics with ErrValue if a field holds an unregistered module
// or parameter, because it would not be trained, moved or saved. It looks through
// pointers, slices, maps, interfaces and structs. It skips fields tagged torch:"-" and
// types without fields, such as an interpreter's types.
func (b *Base) mustHaveRegisteredFields() {
	b.checkedReplacements.Store(replacementCount.Load())
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return
	}
	b.registerFields()
	c := fieldChecker{
		b: b, modules: map[*Base][]string{b: nil}, tensors: map[*torch.Tensor]bool{},
		seen: map[reference]bool{referenceTo(v): true},
	}
	c.addTensors(b)
	for _, n := range b.children {
		below := n.Module.ModuleBase()
		c.modules[below] = append(c.modules[below], n.Name)
		c.addTensors(below)
	}
	c.walk(v.Elem())
	// Copy the record: a pointer to c.record would keep c and its tensors alive.
	list := c.record
	b.fieldRecord.Store(&list)
}

type fieldChecker struct {
	b          *Base
	modules    map[*Base][]string // the modules of the tree, with their children's names
	tensors    map[*torch.Tensor]bool
	isComplete bool               // whether modules has the whole tree, not only b and its children
	seen       map[reference]bool // values already checked: a value can refer to itself
	queue      []pathValue
	record     fieldRecord
	container  string // "List" in a slice or array, "Dict" in a map

	sought     *Base                 // if not nil, only find the fields that hold this module
	holders    []holdingField        // the fields that hold sought
	setElement func(m reflect.Value) // in an element of a map, assigns a module to the element
	isCopy     bool                  // the walk is in a copy of a value, whose fields cannot be assigned
}

// addTensors records the tensors of a module.
func (c *fieldChecker) addTensors(b *Base) {
	for _, e := range b.params {
		c.tensors[*e.slot] = true
	}
	for _, e := range b.buffers {
		c.tensors[*e.slot] = true
	}
}

// addDescendants records the modules below the children of c.b. It runs only if a field
// holds such a module, which is rare. So checking every module of a tree usually takes
// linear time.
func (c *fieldChecker) addDescendants() {
	if c.isComplete {
		return
	}
	c.isComplete = true
	c.b.walk(func(b *Base) {
		if _, ok := c.modules[b]; !ok {
			c.modules[b] = nil
			c.addTensors(b)
		}
	})
}

// isBelow reports whether b belongs to the module tree that c checks.
func (c *fieldChecker) isBelow(b *Base) bool {
	if _, ok := c.modules[b]; ok {
		return true
	}
	c.addDescendants()
	_, ok := c.modules[b]
	return ok
}

// isRegistered reports whether a module of the tree has registered t.
func (c *fieldChecker) isRegistered(t *torch.Tensor) bool {
	if c.tensors[t] {
		return true
	}
	c.addDescendants()
	return c.tensors[t]
}

// visit reports whether v is a tensor or a module. It panics if the tensor or module
// should be registered and is not. For a module that c.b embeds, which shares its Base,
// visit returns false, so that the fields of the embedded module are checked too.
func (c *fieldChecker) visit(v reflect.Value, path string) bool {
	if v.Type() == tensorType {
		if c.sought == nil {
			c.visitTensor(v, path)
		}
		return true
	}
	m, ok := v.Interface().(Module)
	if !ok {
		return false
	}
	b := baseOf(m)
	switch {
	case c.sought != nil:
		c.noteHolder(v, m, path)
	case b != nil:
		c.visitModule(v, m, b, path)
	}
	return b != c.b
}

func (c *fieldChecker) visitTensor(v reflect.Value, path string) {
	t := v.Interface().(*torch.Tensor)
	if !t.IsClosed() && t.RequiresGrad() && t.IsLeaf() && !c.isRegistered(t) {
		remedy := fmt.Sprintf("n.RegisterParameter(%q, n.%s)", pythonName(lastName(path)), path)
		switch {
		case c.container == "" && !strings.Contains(path, "."):
			remedy = fmt.Sprintf("make it a parameter, with nn.NewParameter(n.%s)", path)
		case c.container == "List":
			remedy = fmt.Sprintf("put the elements into nn.NewParameterList(...).In(n, %q)",
				pythonName(lastName(path)))
		case c.container == "Dict":
			remedy = "call n.RegisterParameter for each element, under a name of its own"
		}
		c.refuseUnregistered(path, "a parameter", remedy)
	}
	c.recordTensor(v, t, path)
}

func (c *fieldChecker) visitModule(v reflect.Value, m Module, b *Base, path string) {
	c.recordModule(v, b, path)
	if !c.isBelow(b) {
		if b.self != nil && b.self.ModuleBase() != b {
			c.refuse(path, fmt.Sprintf(
				"is a copy of a %s and shares its parameters with the original: use a pointer instead", goName(m)))
		}
		remedy := fmt.Sprintf("pass n.As(%q) to its constructor, or call n.Register(%q, n.%s)",
			pythonName(lastName(path)), pythonName(lastName(path)), path)
		switch c.container {
		case "List":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleList(...).In(n, %q) as well",
				pythonName(lastName(path)))
		case "Dict":
			remedy = fmt.Sprintf("put the elements into nn.NewModuleDict().Add(...).In(n, %q) as well",
				pythonName(lastName(path)))
		}
		if c.container == "" && strings.Contains(path, ".") { // the field is in an embedded layer or another struct
			remedy += "; if another layer has taken its place, close it and assign nil to the field"
		}
		c.refuseUnregistered(path, "a "+goName(m), remedy)
	}
	if b != c.b {
		c.mustBeCurrent(m, b, path)
	}
}

// noteHolder reports whether v holds the module in c.sought, and records it.
func (c *fieldChecker) noteHolder(v reflect.Value, m Module, path string) bool {
	if b := baseOf(m); c.sought == nil || b != c.sought || b == c.b {
		return false
	}
	f := holdingField{path: path, value: reflect.ValueOf(m), t: v.Type(), set: c.setElement}
	if v.CanSet() {
		f.set = v.Set
	}
	if c.isCopy {
		f.set = nil
	}
	c.holders = append(c.holders, f)
	return true
}

func (c *fieldChecker) refuse(path, why string) {
	panic(torch.NewError(c.b.TypeName(), torch.ErrValue, "n."+path, why))
}

func (c *fieldChecker) refuseUnregistered(path, what, remedy string) {
	c.refuse(path,
		fmt.Sprintf("holds %s that was never registered, so that nothing trains, moves or saves it: %s; a field "+
			"with the tag `torch:\"-\"` is left alone", what, remedy))
}
