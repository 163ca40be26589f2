package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// method is a line of methods.txt.
type method struct {
	op      *operator
	twin    *operator // operator of the in-place form, or nil
	file    string
	dtype   string
	refused []string
	flags   map[string]string
	returns string
	panics  string
	pkg     string // the package of a function, or "" for a method of package torch
}

// methodFile is a group of methods, written to one Go file.
type methodFile struct {
	name, about string
	methods     []*method
	aliases     [][2]string // pairs of an alias and the name that it stands for, as in Python
}

// readMethods reads the table of one-line methods.
func readMethods(path string, ops []*operator) ([]*methodFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseMethods(path, "", string(text), ops)
}

// parseMethods reads the lines of a table, for package torch or for pkg.
func parseMethods(path, pkg, text string, ops []*operator) ([]*methodFile, error) {
	byName := map[string]*operator{}
	for _, op := range ops {
		byName[op.Name()] = op
	}
	var files []*methodFile
	for n, line := range strings.Split(text, "\n") {
		name, isFile := strings.CutPrefix(line, "file ")
		about, isComment := strings.CutPrefix(line, "# ")
		switch {
		case isFile:
			files = append(files, &methodFile{name: name})
		case isComment && len(files) > 0 && len(files[len(files)-1].methods) == 0:
			files[len(files)-1].about = about
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "alias ") && len(files) > 0:
			second, first, ok := strings.Cut(strings.TrimPrefix(line, "alias "), "=")
			switch {
			case pkg == "":
				return nil, fmt.Errorf("%s:%d: second name of an operator, which package torch does not allow",
					path, n+1)
			case !ok:
				return nil, fmt.Errorf("%s:%d: no first name", path, n+1)
			}
			f := files[len(files)-1]
			f.aliases = append(f.aliases, [2]string{strings.TrimSpace(second), strings.TrimSpace(first)})
		default:
			m, err := parseMethod(line, pkg, byName)
			if err == nil && len(files) == 0 {
				err = fmt.Errorf("no file for it")
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
			}
			m.file = files[len(files)-1].name
			files[len(files)-1].methods = append(files[len(files)-1].methods, m)
		}
	}
	return files, nil
}

var (
	methodDTypes = setOf("keep float real realfloat double bool complex")
	dtypeKinds   = setOf("bool int float complex")
	methodFlags  = setOf("in hot F plain py")
)

func parseMethod(line, pkg string, ops map[string]*operator) (*method, error) {
	const bar = "\x00"
	cells := strings.Split(strings.ReplaceAll(line, `\|`, bar), "|")
	if len(cells) != 5 && len(cells) != 6 {
		return nil, fmt.Errorf("%d columns", len(cells))
	}
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), bar, "|")
	}
	m := &method{
		op: ops[cells[0]], dtype: cells[1], refused: strings.Fields(cells[2]), returns: cells[4], pkg: pkg,
		flags: map[string]string{},
	}
	if len(cells) == 6 {
		m.panics = cells[5]
	}
	if m.op == nil || m.op.skip != "" {
		return nil, fmt.Errorf("no operator %s", cells[0])
	}
	if !methodDTypes[m.dtype] {
		return nil, fmt.Errorf("no dtype rule %s", m.dtype)
	}
	for _, kind := range m.refused {
		if !dtypeKinds[kind] {
			return nil, fmt.Errorf("no kind of dtype %s", kind)
		}
	}
	for f := range strings.FieldsSeq(cells[3]) {
		name, value, _ := strings.Cut(f, "=")
		if !methodFlags[name] {
			return nil, fmt.Errorf("no flag %s", name)
		}
		m.flags[name] = value
	}
	if m.form(m.op) == "" {
		return nil, fmt.Errorf("%s fits none of the forms in torch/op_call.go", m.op.Name())
	}
	if m.has("in") {
		if m.twin = inPlaceTwin(m.op, ops); m.twin == nil {
			return nil, fmt.Errorf("%s has no in-place form", m.op.Name())
		}
	}
	return m, nil
}

func (m *method) has(flag string) bool { _, ok := m.flags[flag]; return ok }

// inPlaceTwin returns the operator whose name is op's name with an underscore, or nil. It
// must have the same arguments.
func inPlaceTwin(op *operator, ops map[string]*operator) *operator {
	for _, other := range ops {
		if other.Root == op.Root+"_" && slices.EqualFunc(op.args, other.args, func(a, b argument) bool {
			return a.Type.Base == b.Type.Base
		}) {
			return other
		}
	}
	return nil
}

// form returns the name of the function of torch/op_call.go that calls operators like op:
// unary, binary, ternary, scalar or scalarFirst. It returns "" if there is none.
func (m *method) form(op *operator) string {
	var kinds []string
	for _, a := range op.args {
		kinds = append(kinds, strings.ReplaceAll(a.Type.String(), "SymInt", "int"))
	}
	if len(op.Returns) != 1 || op.Returns[0].Type.Base != "Tensor" || op.Returns[0].Type.List {
		return ""
	}
	if form := optionForms[strings.Join(kinds, " ")]; form != nil && form.pkg == m.pkg {
		return form.name
	}
	return map[string]string{
		"Tensor": "unary", "Tensor Tensor": "binary", "Tensor Tensor Tensor": "ternary", "Tensor Scalar": "scalar",
		"Scalar Tensor": "scalarFirst",
	}[strings.Join(kinds, " ")]
}

// methodName returns the Go name of a curated method: the operator's name without the
// overload suffix. It ends in Scalar if this overload takes a number where a different
// overload takes a tensor.
func (m *method) methodName(op *operator) string {
	f := *op.Func
	f.Overload = ""
	name, under := strings.CutSuffix(goName(&f), "_")
	if m.form(m.op) == "scalar" {
		name += "Scalar"
	}
	if under {
		name += "_"
	}
	return name
}
