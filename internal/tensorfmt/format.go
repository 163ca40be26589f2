package tensorfmt

import (
	"fmt"
	"strconv"
	"strings"
)

// Tensor describes a tensor for [Format].
type Tensor struct {
	// Shape is the full shape, before any cut.
	Shape []int64
	// DType is PyTorch's name without the module: "float32", "int64".
	DType string
	// DefaultDType is the default floating-point dtype; "" means float32. This dtype is
	// not shown, nor are the matching complex dtype, int64 and bool.
	DefaultDType string
	// Device is shown as a suffix. Leave it empty for a tensor on the default device.
	Device string
	// Values are the elements that remain after the cuts; see [NewPlan]. They are not
	// used for a meta, nested or sparse tensor, nor if no elements are needed.
	Values Values

	// Meta marks a tensor without data. The Parts of a sparse meta tensor need no Values.
	Meta bool
	// Parts are the components of a sparse tensor in Python's order: indices and values,
	// or crow_indices, col_indices and values.
	Parts []Part
	// NNZ is the number of specified elements of a sparse tensor.
	NNZ int64
	// Layout is PyTorch's name without the module, such as "sparse_coo"; "" means
	// strided. It is shown as a suffix.
	Layout string
	// Quantized contains the suffixes that describe a quantizer, such as
	// "quantization_scheme=torch.per_tensor_affine" and "scale=0.1". Values are then the
	// dequantized elements.
	Quantized []string
	// Nested holds the rendered components of a nested tensor.
	Nested []string

	// GradFn is the name of the node that created the tensor, such as "AddBackward0". A
	// C++ namespace is not shown.
	GradFn string
	// RequiresGrad is shown if GradFn is empty.
	RequiresGrad bool
}

// Part is a named component of a sparse tensor. It contains the elements that are shown.
type Part struct {
	Name   string
	Shape  []int64
	Values Values
}

// Format returns the text of t that Python's print shows. It returns an error if Values
// does not have the number of elements that [NewPlan] requires, or if a size is negative.
func Format(t Tensor, o Options) (string, error) {
	s := o.resolve()
	if err := t.check(s); err != nil {
		return "", err
	}
	if s.element != nil && t.bare() {
		return renderBody(t.Shape, t.Values, 0, s), nil
	}
	prefix := "tensor("
	if t.Nested != nil {
		prefix = "nested_tensor("
	}
	indent := len(prefix)
	text := prefix + t.contents(indent, s)
	return join(text, t.suffixes(s), indent, s.width, t.Layout == "sparse_coo"), nil
}

// bare reports whether the tensor is a single number, which Element prints without
// "tensor(...)", as Python's format(t, spec) does.
func (t Tensor) bare() bool {
	return len(t.Shape) == 0 && t.Nested == nil && t.Parts == nil && !t.Meta
}

// contents returns the text between the opening parenthesis and the suffixes.
func (t Tensor) contents(indent int, s settings) string {
	switch {
	case t.Nested != nil:
		return nestedContents(t.Nested)
	case t.Parts != nil:
		parts := make([]string, len(t.Parts))
		for i, p := range t.Parts {
			parts[i] = p.text(indent, t.Meta, s)
		}
		return strings.Join(parts, ",\n"+strings.Repeat(" ", indent))
	case t.Meta:
		return "..."
	default:
		return renderBody(t.Shape, t.Values, indent, s)
	}
}

func (p Part) text(indent int, meta bool, s settings) string {
	if p.Name != "values" {
		s.element = nil // Options.Element applies only to the values, not to the indices
	}
	head := p.Name + "=tensor("
	body := "..."
	if !meta {
		body = renderBody(p.Shape, p.Values, indent+len(head), s)
	}
	if meta || numel(p.Shape) == 0 {
		body += ", size=" + tuple(p.Shape)
	}
	return head + body + ")"
}

func nestedContents(components []string) string {
	shifted := make([]string, len(components))
	for i, c := range components {
		shifted[i] = "  " + strings.ReplaceAll(c, "\n", "\n  ")
	}
	return "[\n" + strings.Join(shifted, ",\n") + "\n]"
}

// suffixes returns the texts after the contents.
func (t Tensor) suffixes(s settings) []string {
	var out []string
	if t.Device != "" {
		out = append(out, "device='"+t.Device+"'")
	}
	size, dtype := "size="+tuple(t.Shape), "dtype=torch."+t.DType
	switch {
	case t.Nested != nil:
	case t.Parts != nil:
		out = append(out, size)
		if !t.Meta {
			out = append(out, "nnz="+strconv.FormatInt(t.NNZ, 10))
		}
		if !t.impliedDType() {
			out = append(out, dtype)
		}
	case t.Quantized != nil:
		out = append(append(out, size, dtype), t.Quantized...)
	case t.Meta || numel(t.Shape) == 0:
		// Without elements, the text does not show the dtype and the shape, so they are
		// added. For one dimension the brackets already show that the size is 0.
		if t.Meta || len(t.Shape) != 1 {
			out = append(out, size)
		}
		if t.DType != t.defaultDType() {
			out = append(out, dtype)
		}
	default:
		if s.edge == 0 {
			out = append(out, size)
		}
		if !t.impliedDType() {
			out = append(out, dtype)
		}
	}
	if t.Layout != "" {
		out = append(out, "layout=torch."+t.Layout)
	}
	switch {
	case t.GradFn != "":
		out = append(out, "grad_fn=<"+t.GradFn[strings.LastIndexByte(t.GradFn, ':')+1:]+">")
	case t.RequiresGrad:
		out = append(out, "requires_grad=True")
	}
	return out
}

func (t Tensor) defaultDType() string {
	if t.DefaultDType == "" {
		return "float32"
	}
	return t.DefaultDType
}

// impliedDType reports whether the shown elements imply the dtype, so that the suffix is
// left out.
func (t Tensor) impliedDType() bool {
	complexDefault := "complex64"
	if t.defaultDType() == "float64" {
		complexDefault = "complex128"
	}
	switch t.DType {
	case t.defaultDType(), complexDefault, "int64", "bool":
		return true
	}
	return false
}

// check returns an error for data that does not match the shape.
func (t Tensor) check(s settings) error {
	for _, size := range t.Shape {
		if size < 0 {
			return fmt.Errorf("tensorfmt: negative size in shape %v", t.Shape)
		}
	}
	switch {
	case t.Nested != nil, t.Meta:
		return nil
	case t.Parts == nil:
		return checkValues("values", t.Shape, t.Values, s)
	}
	for _, p := range t.Parts {
		if err := checkValues(p.Name, p.Shape, p.Values, s); err != nil {
			return err
		}
	}
	return nil
}

func checkValues(name string, shape []int64, v Values, s settings) error {
	p := newPlan(shape, s)
	if want := p.Numel(); want != 0 && int64(v.Len()) != want {
		return fmt.Errorf("tensorfmt: %s of shape %v needs %d elements, got %d", name, shape, want, v.Len())
	}
	return nil
}

// join appends the suffixes, each on a new line if it would exceed the line width. Python
// counts the last line from the line break, so its length is larger by one. The initial
// value of line accounts for this.
func join(text string, suffixes []string, indent, width int, newline bool) string {
	var out strings.Builder
	out.WriteString(text)
	line := len(text) - strings.LastIndexByte(text, '\n') + 1
	for _, suffix := range suffixes {
		if newline || line+len(suffix)+2 > width {
			out.WriteString(",\n" + strings.Repeat(" ", indent) + suffix)
			line = indent + len(suffix)
			newline = false
		} else {
			out.WriteString(", " + suffix)
			line += len(suffix) + 2
		}
	}
	out.WriteByte(')')
	return out.String()
}

// tuple returns a shape as Python prints a tuple.
func tuple(shape []int64) string {
	if len(shape) == 1 {
		return "(" + strconv.FormatInt(shape[0], 10) + ",)"
	}
	sizes := make([]string, len(shape))
	for i, n := range shape {
		sizes[i] = strconv.FormatInt(n, 10)
	}
	return "(" + strings.Join(sizes, ", ") + ")"
}
