package main

import (
	"bytes"
	"fmt"
)

// optionFunc is the form of a function that takes one tensor and options.
type optionFunc struct {
	name, pkg    string
	family, read string // interface of the options, and the function that reads the options into o
	args         string // arguments of the operator that come from o
	about        string // a description of the options
	errors       []string
}

var planeErrors = []string{
	"ErrIndex for a dimension out of range", "ErrShape for a repeated dimension or if S and Dims differ in length",
	"ErrValue for an unknown Norm or an S below 1 that is not -1",
}

// optionForms are the option forms, by the argument types of their operators.
var optionForms = map[string]*optionFunc{
	"Tensor int? int str?": {
		name: "line", pkg: "fft", family: "Option", read: "readOptions", args: "o.n.pointer(), o.dim, o.norm.pointer()",
		about: "[Dim] selects the dimension, by default the last. [N] first cuts it or pads it with zeros. [Norm] " +
			"sets how the result is scaled.",
		errors: []string{
			"ErrIndex for a dimension out of range or a tensor without dimensions",
			"ErrValue for an unknown Norm or an N below 1",
		},
	},
	"Tensor int[1]? int[1] str?": {
		name: "plane", pkg: "fft", family: "NOption", read: "readTwo", args: "o.sizes, o.dims, o.norm.pointer()",
		about: "[Dims] selects the dimensions, by default the last two. [S] first cuts them or pads them with " +
			"zeros. [Norm] sets how the result is scaled.",
		errors: planeErrors,
	},
	"Tensor int[1]? int[1]? str?": {
		name: "space", pkg: "fft", family: "NOption", read: "readN", args: "o.sizes, o.dims, o.norm.pointer()",
		about: "[Dims] selects the dimensions, by default the last len(S), or all without S. [S] first cuts them " +
			"or pads them with zeros. [Norm] sets how the result is scaled.",
		errors: planeErrors,
	},
	"Tensor int[1]?": {
		name: "shift", pkg: "fft", family: "ShiftOption", read: "readShift", args: "o.dims",
		about:  "[Dim] or [Dims] selects the dimensions, by default all.",
		errors: []string{"ErrIndex for a dimension out of range"},
	},
}

// optionForm returns the option form with the given name, or nil.
func optionForm(name string) *optionFunc {
	for _, f := range optionForms {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (f *optionFunc) write(b *bytes.Buffer, m *method) {
	name := m.functionName()
	fmt.Fprintf(b, "func %s(input *torch.Tensor, opts ...%s) *torch.Tensor {\nconst op = \"%s.%s(input)\"\n", name,
		f.family, m.pkg, name)
	fmt.Fprintf(b, "h, o := input.HandleFor(op, 0), %s(op, opts)\nr := torch.BeginRaw(op, input)\n", f.read)
	fmt.Fprintf(b, "return r.Tensor(aten.%s(r.Ctx, h, %s))\n}\n", m.op.nativeName, f.args)
}
