package main

import (
	"bytes"
	"fmt"
)

// optionFunc is a form of functions of one tensor and options.
type optionFunc struct {
	name, pkg    string
	family, read string // the interface of the options, and the function that reads them into o
	args         string // what the operator gets of o
	about        string // what the options do
	errors       string // what they can do wrong
}

// optionForms are those forms by the types of their operators' arguments.
var optionForms = map[string]*optionFunc{
	"Tensor int? int str?": {
		name: "line", pkg: "fft", family: "Option", read: "readOptions", args: "o.n.pointer(), o.dim, o.norm.pointer()",
		about:  "[N] cuts the dimension or fills it up with zeros first, [Dim] says which it is, the last unless given, and [Norm] how the result is scaled.",
		errors: ", with ErrIndex if there is no such dimension, or none at all, and with ErrValue for another Norm and for an N below 1",
	},
	"Tensor int[1]? int[1] str?": {
		name: "plane", pkg: "fft", family: "NOption", read: "readTwo", args: "o.sizes, o.dims, o.norm.pointer()",
		about:  "[S] cuts the dimensions or fills them up with zeros first, [Dims] says which they are, the last two unless given, and [Norm] how the result is scaled.",
		errors: ", with ErrIndex for a dimension that is not there, with ErrShape for one that is given twice or if S and Dims are of different lengths, and with ErrValue for another Norm and for an S below 1 that is not -1",
	},
	"Tensor int[1]? int[1]? str?": {
		name: "space", pkg: "fft", family: "NOption", read: "readN", args: "o.sizes, o.dims, o.norm.pointer()",
		about:  "[S] cuts the dimensions or fills them up with zeros first, [Dims] says which they are, the last ones or all unless given, and [Norm] how the result is scaled.",
		errors: ", with ErrIndex for a dimension that is not there, with ErrShape for one that is given twice or if S and Dims are of different lengths, and with ErrValue for another Norm and for an S below 1 that is not -1",
	},
	"Tensor int[1]?": {
		name: "shift", pkg: "fft", family: "ShiftOption", read: "readShift", args: "o.dims",
		about:  "[Dim] or [Dims] says along which dimensions, all unless given.",
		errors: ", and with ErrIndex for a dimension that is not there",
	},
}

// optionForm is the form of that name, or nil.
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
	fmt.Fprintf(b, "func %s(input *torch.Tensor, opts ...%s) *torch.Tensor {\nconst op = \"%s.%s(input)\"\n", name, f.family, m.pkg, name)
	fmt.Fprintf(b, "h, o := input.HandleFor(op, 0), %s(op, opts)\nr := torch.BeginRaw(op, input)\n", f.read)
	fmt.Fprintf(b, "return r.Tensor(aten.%s(r.Ctx, h, %s))\n}\n", m.op.nativeName, f.args)
}
