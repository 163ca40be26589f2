package main

import (
	"bytes"
	"fmt"
	"strings"
)

// doc returns the documentation of a method: its result, shape and dtype, errors, and
// Python's name. The package comment explains who owns the result, and the errors for nil
// and closed tensors.
func (m *method) doc(form string) string {
	verb := "returns"
	if strings.HasPrefix(m.returns, "where ") {
		verb = "is true"
	}
	sentences := []string{fmt.Sprintf("%s %s %s.", m.methodName(m.op), verb, m.returns)}
	if result := m.result(form); result != "" {
		sentences = append(sentences, result)
	}
	if errors := enumerate(m.errors(form)); errors != "" {
		sentences = append(sentences, "It panics with "+errors+".")
	}
	return strings.Join(append(sentences, "Follows "+m.python(m.op)+"."), " ")
}

// inPlaceDoc returns the documentation of the method's in-place form.
func (m *method) inPlaceDoc(form string) string {
	name := m.methodName(m.op)
	errors := []string{fmt.Sprintf("It panics as %s does", name)}
	if m.dtype != "bool" { // Only other results need the sentence: every dtype can hold a bool.
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
	return fmt.Sprintf(
		"%s is the in-place form of %s. It modifies t, which keeps its shape and dtype, and returns t. %s. Follows %s.",
		m.methodName(m.twin), name, list, m.python(m.twin))
}

// result returns a sentence about the result's shape and dtype. If the schema declares
// the result as a view, the sentence states this too. result returns "" if the method's
// description already contains this information.
func (m *method) result(form string) string {
	if m.op.Returns[0].Type.Alias != "" {
		return "The result is a view of t."
	}
	floats := "; integers and bools become the default float type"
	of := map[string]string{
		"keep": " and dtype", "bool": " and dtype Bool", "float": " and dtype" + floats,
		"real":      " and dtype; complex numbers become real",
		"realfloat": " and dtype" + floats + ", and complex numbers become real",
	}[m.dtype]
	broadcast := map[string]string{
		"keep": " and dtypes are promoted", "float": " and dtypes are promoted" + floats,
		"bool": "; the result has dtype Bool",
	}[m.dtype]
	switch {
	case m.has("plain"):
		return ""
	case strings.HasPrefix(form, "scalar") && (m.dtype == "keep" || m.dtype == "float"):
		s := "The result has t's shape, and its dtype is promoted by the kind of number"
		if m.dtype == "float" {
			s += floats
		}
		return s + "."
	case form == "unary" || strings.HasPrefix(form, "scalar"):
		return "The result has t's shape" + of + "."
	}
	return "Shapes broadcast" + broadcast + "."
}

// errors lists the kinds of errors. The errors that all methods of this form share come
// first.
func (m *method) errors(form string) []string {
	var list []string
	switch form {
	case "binary", "ternary":
		list = append(list, "ErrShape if the shapes do not broadcast",
			"ErrDevice if the tensors are on different devices")
	case "scalar", "scalarFirst":
		arg := "input"
		if form == "scalar" {
			arg = m.op.args[1].goName
		}
		list = append(list, "ErrType if "+arg+" is not a number", "ErrValue if it is out of range")
	}
	if len(m.refused) > 0 {
		list = append(list, "ErrDType for "+kindsText(m.refused))
	}
	if m.panics != "" {
		list = append(list, m.panics)
	}
	return list
}

// kindsText returns the names of the given kinds of dtypes, in the plural.
func kindsText(kinds []string) string {
	names := map[string]string{
		"bool": "bools", "int": "integers", "float": "floating point",
		"complex": "complex numbers",
	}
	var list []string
	for _, k := range kinds {
		list = append(list, names[k])
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// enumerate joins a list of errors with commas and "and".
func enumerate(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", with ") + ", and with " + list[len(list)-1]
}

// python returns PyTorch's name of an operator.
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

// comment writes text as a doc comment in lines of at most 80 characters. It keeps
// "Follows" and Python's name on one line.
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
