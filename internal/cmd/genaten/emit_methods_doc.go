package main

import (
	"bytes"
	"fmt"
	"strings"
)

// doc is the documentation of a method: what it returns, shape and dtype, who
// owns the result and what it shares memory with, the errors, Python's name.
func (m *method) doc(form string) string {
	verb := "returns"
	if strings.HasPrefix(m.returns, "whe") { // whether, where
		verb = "tells"
	}
	return strings.Join([]string{
		fmt.Sprintf("%s %s %s.", m.methodName(m.op), verb, m.returns), m.result(form),
		"It panics with " + m.errors(form) + ".", "Follows " + m.python(m.op) + ".",
	}, " ")
}

// inPlaceDoc is that of the form with an underscore.
func (m *method) inPlaceDoc(form string) string {
	name := m.methodName(m.op)
	errors := []string{fmt.Sprintf("It panics as %s does", name)}
	if m.dtype != "bool" { // any dtype holds truth, which has no gradient
		errors = append(errors, "with ErrDType if the result does not fit t's dtype")
	}
	if form == "binary" || form == "ternary" {
		errors = append(errors, "with ErrShape if the result does not fit t's shape")
	}
	if m.dtype != "bool" || !strings.HasPrefix(m.op.Root, "logical_") {
		errors = append(errors, "with ErrAutograd for a leaf that requires gradients, outside NoGrad")
	}
	list := errors[0]
	if n := len(errors); n > 1 {
		list = strings.Join(errors[:n-1], ", ") + ", and " + errors[n-1]
	}
	return fmt.Sprintf("%s is %s in place: it changes t, which keeps its shape and dtype, and returns t. %s. Follows %s.",
		m.methodName(m.twin), name, list, m.python(m.twin))
}

// result says what shape and dtype the result has, and, from the annotation in
// the schema, whose memory and whose it is.
func (m *method) result(form string) string {
	const owned = "owned by the innermost scope, else by the collector."
	if m.op.Returns[0].Type.Alias != "" {
		return "It is a view that shares t's memory, " + owned
	}
	floats := "integers and bools become the default float type"
	of := map[string]string{
		"keep": "of t's shape and dtype", "bool": "of t's shape and dtype Bool", "double": "of t's shape",
		"float": "of t's shape and dtype (" + floats + ")",
		"real":  "of t's shape and dtype (complex numbers become real)", "realfloat": "of t's shape and dtype (" + floats + ", complex numbers real)",
	}[m.dtype]
	broadcast := map[string]string{
		"keep": " and the dtypes are promoted", "float": " and the dtypes are promoted (" + floats + ")", "bool": ", and the dtype is Bool",
	}[m.dtype]
	switch {
	case m.has("plain"):
		return "It is a new tensor, " + owned
	case strings.HasPrefix(form, "scalar") && (m.dtype == "keep" || m.dtype == "float"):
		s := "It is a new tensor of t's shape, its dtype promoted by the kind of number"
		if m.dtype == "float" {
			s += " (" + floats + ")"
		}
		return s + ", " + owned
	case form == "unary" || strings.HasPrefix(form, "scalar"):
		return "It is a new tensor " + of + ", " + owned
	}
	return "The shapes broadcast" + broadcast + ". It is a new tensor, " + owned
}

// errors lists the kinds of error, those that all methods of the form have
// first.
func (m *method) errors(form string) string {
	list := []string{"ErrNil or ErrClosed for a tensor that is nil or closed"}
	switch form {
	case "binary", "ternary":
		list = append(list, "ErrShape if the shapes do not broadcast", "ErrDevice if the tensors are on different devices")
	case "scalar", "scalarFirst":
		arg := "input"
		if form == "scalar" {
			arg = m.op.args[1].goName
		}
		list = append(list, "ErrType if "+arg+" is no number", "ErrValue if it does not fit")
	}
	if len(m.refused) > 0 {
		list = append(list, "ErrDType for "+kindsText(m.refused))
	}
	if m.panics != "" {
		list = append(list, m.panics)
	}
	return enumerate(list)
}

// kindsText names kinds of dtype in the plural.
func kindsText(kinds []string) string {
	names := map[string]string{"bool": "bools", "int": "integers", "float": "floating point", "complex": "complex numbers"}
	var list []string
	for _, k := range kinds {
		list = append(list, names[k])
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// enumerate joins what it panics with.
func enumerate(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", with ") + ", and with " + list[len(list)-1]
}

// python is PyTorch's name of an operator.
func (m *method) python(op *operator) string {
	name := op.Root
	if py := m.flags["py"]; py != "" {
		name = py
	}
	switch {
	case m.has("F"):
		if op == m.twin {
			return "torch.nn.functional." + strings.TrimSuffix(name, "_") + "(..., inplace=True)"
		}
		return "torch.nn.functional." + name
	case op == m.twin:
		return "Tensor." + name
	}
	return "torch." + name
}

// comment writes text as a doc comment in lines of at most 80 characters. "Follows"
// and Python's name stand on one line.
func comment(b *bytes.Buffer, text string) {
	line := "//"
	b.WriteString("\n")
	for _, word := range strings.Fields(strings.ReplaceAll(text, " Follows ", " Follows\x00")) {
		word = strings.ReplaceAll(word, "\x00", " ")
		if len(line)+1+len(word) > 80 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
