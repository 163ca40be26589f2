package nn

import (
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A SetSubmoduleOption is [Strict].
type SetSubmoduleOption interface{ opt.SetSubmoduleCall }

// SetSubmodule puts m at a path such as "mlp.0", in place of the module there. Fields
// of the modules along the path that hold the old module are set to m, so that their
// Forward calls it:
//
//	type LoRA struct {
//		*nn.Linear
//		A, B *nn.Linear
//	}
//
//	encoder.SetSubmodule("layers.0.linear1", NewLoRA(old))
//
// The last name may be new, unless [Strict] is true; its default here is false. The
// old module is not closed. SetSubmodule panics with ErrType, and changes nothing, if
// a field cannot hold m; declare a field as [Layer] to let it hold other layers. It
// panics with ErrIndex if the path before the last name does not exist, or with
// Strict the whole path, and otherwise as [Base.Register] does.
// Follows Module.set_submodule.
func (b *Base) SetSubmodule(path string, m Module, opts ...SetSubmoduleOption) {
	const op = "SetSubmodule"
	strict := opt.Read(op, opts, Strict(false))
	b.mustBeInitialized(op)
	names := strings.Split(path, ".")
	last := len(names) - 1
	chain := []*Base{b} // from b to the parent
	b.registerFields()
	for i, name := range names[:last] {
		at := chain[i].childIndex(name)
		if at < 0 {
			panic(torch.NewError(op, torch.ErrIndex, "path",
				fmt.Sprintf("no module %q", strings.Join(names[:last], "."))))
		}
		next := chain[i].children[at].Module.ModuleBase()
		next.registerFields()
		chain = append(chain, next)
	}
	parent, name := chain[last], names[last]
	at := parent.childIndex(name)
	if strict && at < 0 {
		panic(torch.NewError(op, torch.ErrIndex, "path", fmt.Sprintf("no module %q", path)))
	}
	if at < 0 {
		parent.mustNotBeFieldList(op)
	} else {
		parent.children[at].Module.ModuleBase().mustNotBeFieldList(op)
	}
	parent.mustAdmit(name, m)
	var fields []holdingField
	if at >= 0 {
		old := parent.children[at].Module.ModuleBase()
		for i, holder := range chain {
			fields = append(fields, holder.fieldsToSet(old, m, i == last, name)...)
		}
	}
	parent.putChild(name, m)
	for _, f := range fields {
		f.set(reflect.ValueOf(m))
	}
}

// holdingField is a field that holds a module, or an element of a list or map in a
// field.
type holdingField struct {
	path  string
	value reflect.Value
	t     reflect.Type // the type of the field
	set   func(m reflect.Value)
}

// fieldsToSet returns the fields of a module that hold old and must be set to m. It
// panics if a field cannot hold m.
func (b *Base) fieldsToSet(old *Base, m Module, parent bool, name string) []holdingField {
	others := 0 // the number of other names that old has in this module
	for _, c := range b.children {
		if c.Module.ModuleBase() == old && (!parent || c.Name != name) {
			others++
		}
	}
	if others > 0 && !parent {
		return nil
	}
	var fields []holdingField
	for _, f := range b.fieldsHolding(old) {
		switch {
		case others > 0 && !sameName(f.path, name):
		case f.value.Type() == reflect.TypeOf(m) && f.value.Pointer() == reflect.ValueOf(m).Pointer():
		case f.set == nil || !reflect.TypeOf(m).AssignableTo(f.t):
			panic(torch.NewError("SetSubmodule", torch.ErrType, "m", fmt.Sprintf(
				"the field n.%s of %s has type %v and cannot hold a %s, so Forward would still call the old layer: "+
					"give the field the type nn.Layer",
				f.path, goName(b.self), f.t, goName(m))))
		default:
			fields = append(fields, f)
		}
	}
	return fields
}

// fieldsHolding returns the fields that hold the module with that Base.
func (b *Base) fieldsHolding(held *Base) []holdingField {
	v := reflect.ValueOf(b.self)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	c := fieldChecker{b: b, sought: held, seen: map[reference]bool{referenceTo(v): true}}
	c.walk(v.Elem())
	return c.holders
}

// sameName reports whether a field name matches a child's name: "OutProj" matches
// "out_proj".
func sameName(field, child string) bool {
	return strings.EqualFold(strings.ReplaceAll(lastName(field), "_", ""), strings.ReplaceAll(child, "_", ""))
}

// replacementCount counts the children that were replaced. Modules check their fields
// again after a replacement, because a field may hold the old child.
var replacementCount atomic.Uint64

// noteReplacement records that another module, which may hold b, has replaced b.
func (b *Base) noteReplacement(by *Base) {
	replacementCount.Add(1)
	if by != b && by.isAbove(b) {
		b.wrapper = by
	}
}

// isAbove reports whether c is b or a module below b.
func (b *Base) isAbove(c *Base) (found bool) {
	b.walkRegistered(func(below *Base) { found = found || below == c })
	return found
}

// mustBeCurrent panics with ErrValue if m, which a field holds, is only part of a registered
// module. That module wraps m and has replaced it, or it is a struct that embeds m and has
// its own Forward. A Forward that uses the field would skip the rest of that module.
func (c *fieldChecker) mustBeCurrent(m Module, b *Base, path string) {
	var by Module
	switch {
	case b.wrapper != nil && !b.wrapper.isAbove(c.b):
		by = b.wrapper.self
	case b.hasFlag(flagOuter) && !sameModule(b.self, m):
		by = b.self
	default:
		return
	}
	c.refuse(path, fmt.Sprintf(
		"holds a %s, but the registered module is the %s around it, which Forward would not call: give the field the "+
			"type nn.Layer, and assign the %[2]s to it or call SetSubmodule; a field with the tag `torch:\"-\"` is "+
			"left "+
			"alone",
		goName(m), goName(by)))
}
