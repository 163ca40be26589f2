package nn

import (
	"reflect"
	"strings"

	"github.com/gotorch/gotorch/internal/embedded"
)

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
	return printText(b)
}

func (b *Base) print(t *treeText, depth int) {
	b.printAs(t, depth, b.extraRepr(), len(b.currentChildren()) > 0, func() {
		for _, c := range b.children {
			t.addLine(depth + 1)
			t.add("(", c.Name, "): ")
			t.addModule(c.Module, depth+1)
		}
	})
}

// describer is a layer that formats its fields as Python does.
type describer interface{ describe() string }

// printAs prints a module with its description and its children.
func (b *Base) printAs(t *treeText, depth int, extra string, parent bool, children func()) {
	t.add(b.TypeName(), "(")
	if !parent && !strings.Contains(extra, "\n") {
		t.add(extra, ")")
		return
	}
	if extra != "" {
		t.addLine(depth + 1)
		t.addText(extra, depth+1)
	}
	if parent {
		children()
	}
	t.addLine(depth)
	t.add(")")
}

// printer writes its module into the text of a tree, whose lines are indented by
// depth.
type printer interface {
	print(t *treeText, depth int)
}

func printText(p printer) string {
	t := new(treeText)
	p.print(t, 0)
	return t.String()
}

// treeText is text in pieces, so that each piece is written once however deep its
// module is.
type treeText struct {
	pieces []string
	blanks string // a line break and the deepest indentation used so far
}

func (t *treeText) add(pieces ...string) { t.pieces = append(t.pieces, pieces...) }

func (t *treeText) addLine(depth int) {
	n := 1 + 2*depth
	if len(t.blanks) < n {
		t.blanks = "\n" + strings.Repeat(" ", 2*n)
	}
	t.add(t.blanks[:n])
}

func (t *treeText) addText(s string, depth int) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		t.add(line)
		if !more {
			return
		}
		t.addLine(depth)
		s = rest
	}
}

// addModule adds the text of a module: the result of its String, which may be the
// program's own.
func (t *treeText) addModule(m Module, depth int) {
	if p, ok := m.(printer); ok && printsAsHere(m) {
		p.print(t, depth)
		return
	}
	t.addText(m.String(), depth)
}

func (t *treeText) String() string { return strings.Join(t.pieces, "") }

// printsAsHere reports whether m's String method, possibly inherited, belongs to this
// package.
func printsAsHere(m Module) bool {
	for level := []reflect.Type{reflect.TypeOf(m)}; len(level) > 0; {
		var below []reflect.Type
		for _, t := range level {
			method, ok := t.MethodByName("String")
			switch {
			case !ok:
				continue
			case t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct:
				return false
			case !embedded.IsGenerated(method):
				return t.Elem().PkgPath() == packagePath
			}
			for i := range t.Elem().NumField() {
				f := t.Elem().Field(i)
				switch {
				case !f.Anonymous:
				case f.Type.Kind() == reflect.Struct:
					below = append(below, reflect.PointerTo(f.Type))
				default:
					below = append(below, f.Type)
				}
			}
		}
		level = below
	}
	return false
}

// TypeName returns the type name that the module prints: the name of its Go type,
// such as "Linear", or the name given to Init. Follows type(m).__name__.
func (b *Base) TypeName() string {
	b.mustExist("TypeName")
	switch {
	case b.typeName != "":
		return b.typeName
	case b.self == nil:
		return "Base"
	}
	return goName(b.self)
}

// SetTypeName sets the type name that the module prints; "" restores the name of its
// Go type. The option [TypeName] sets it at construction.
func (b *Base) SetTypeName(name string) {
	b.mustExist("SetTypeName")
	b.typeName = name
}

// SetExtraRepr sets the text that String shows between the parentheses, such as
// "in_features=4". Follows Module.extra_repr.
func (b *Base) SetExtraRepr(s string) {
	b.mustExist("SetExtraRepr")
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

// hasBias reports whether the layer has a bias now, for printing, as in Python.
func (b *Base) hasBias() bool {
	e := findEntry(b.params, "bias")
	return e != nil && *e.slot != nil || b.isDerived("bias")
}
