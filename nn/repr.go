package nn

import "strings"

// String shows the tree of modules as Python's print(model) does:
//
//	Sequential(
//	  (0): Linear(in_features=4, out_features=2, bias=True)
//	  (1): ReLU()
//	)
func (b *Base) String() string {
	if b == nil {
		return "<nil>"
	}
	lines := make([]string, 0, len(b.children))
	for _, c := range b.children {
		lines = append(lines, "("+c.Name+"): "+c.Module.String())
	}
	return b.repr(b.extraRepr(), lines)
}

// A describer is a layer that prints its fields as they are, as in Python.
type describer interface{ describe() string }

// repr shows a module with a line for each child.
func (b *Base) repr(extra string, children []string) string {
	if len(children) == 0 && !strings.Contains(extra, "\n") {
		return b.TypeName() + "(" + extra + ")"
	}
	var s strings.Builder
	s.WriteString(b.TypeName() + "(\n")
	if extra != "" {
		s.WriteString("  " + indent(extra) + "\n")
	}
	for _, c := range children {
		s.WriteString("  " + indent(c) + "\n")
	}
	s.WriteString(")")
	return s.String()
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }

// TypeName returns the name that the module prints under: the name of its Go
// type, such as "Linear", or the one given to Init. Follows type(m).__name__.
func (b *Base) TypeName() string {
	b.exists("TypeName")
	switch {
	case b.typeName != "":
		return b.typeName
	case b.self == nil:
		return "Base"
	}
	return goName(b.self)
}

// exists panics for a nil Base. What is printed may be said before Init.
func (b *Base) exists(op string) {
	if b == nil {
		b.initialized(op)
	}
}

// SetTypeName sets the name that the module prints under; "" is that of its Go type.
// [TypeName] does so when it is made.
func (b *Base) SetTypeName(name string) {
	b.exists("SetTypeName")
	b.typeName = name
}

// SetExtraRepr sets what String shows between the parentheses, such as
// "in_features=4". Follows Module.extra_repr.
func (b *Base) SetExtraRepr(s string) {
	b.exists("SetExtraRepr")
	b.extra = func(*Base) string { return s }
}

func (b *Base) extraRepr() string {
	if b.extra != nil {
		return b.extra(b)
	}
	if l, ok := b.self.(describer); ok {
		return l.describe()
	}
	return ""
}

// hasBias is for what the constructors of layers print: as in Python the bias there
// is, not the one that there was at first.
func (b *Base) hasBias() bool {
	e := find(b.params, "bias")
	return e != nil && *e.slot != nil || b.isDerived("bias")
}
