package nn

import (
	"strconv"
	"strings"
)

// Repr returns the tree of modules as Python's print(model) shows it:
//
//	Sequential(
//	  (0): Linear(in_features=4, out_features=2, bias=True)
//	  (1): ReLU()
//	)
func Repr(m Module) string {
	b := m.ModuleBase()
	if len(b.children) == 0 {
		return TypeName(m) + "(" + b.extra + ")"
	}
	var s strings.Builder
	s.WriteString(TypeName(m) + "(\n")
	if b.extra != "" {
		s.WriteString("  " + b.extra + "\n")
	}
	for _, c := range b.children {
		text := strings.ReplaceAll(Repr(c.Module), "\n", "\n  ")
		s.WriteString("  (" + c.Name + "): " + text + "\n")
	}
	s.WriteString(")")
	return s.String()
}

// SetExtraRepr sets what Repr shows between the parentheses, such as
// "in_features=4". Follows Module.extra_repr.
func (b *Base) SetExtraRepr(s string) { b.extra = s }

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// pyFloat writes a number as Python does: 1e-05 rather than 1e-5, 0.0 rather
// than 0.
func pyFloat(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}
