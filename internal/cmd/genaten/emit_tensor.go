package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// face describes an argument in torch/aten, and how it is converted to an argument of the
// native function. In its expressions, $ stands for the parameter, # for the parameter's
// name in quotes and @ for its position.
type face struct {
	goType string
	before string // expression computed before the native call, because it may panic
	call   string // expression passed to the native function; % stands for the value of before
	use    string // how the crossing keeps it alive: as "arg", as "list", until "after" the call, or not ("")
}

var faces = map[string]face{
	"Tensor":        {"*torch.Tensor", "handle(op, @, $)", "%", "arg"},
	"Tensor?":       {"*torch.Tensor", "optional(op, @, $)", "%", "arg"},
	"Tensor[]":      {"[]*torch.Tensor", "torch.Handles(opName(op), $, false)", "%", "list"},
	"Tensor?[]":     {"[]*torch.Tensor", "torch.Handles(opName(op), $, true)", "%", "list"},
	"Scalar":        {"any", "number(op, #, $)", "%", ""},
	"Scalar?":       {"any", "torch.ScalarOf(op, #, $)", "%", ""},
	"Scalar[]":      {"[]any", "numbers(op, #, $)", "%", ""},
	"ScalarType":    {"torch.DType", "", "$.Code()", ""},
	"ScalarType?":   {"torch.DType", "", "$.Code()", ""},
	"Layout":        {"torch.Layout", "", "$.Code()", ""},
	"Layout?":       {"torch.Layout", "", "$.Code()", ""},
	"MemoryFormat":  {"torch.MemoryFormat", "", "$.Code()", ""},
	"MemoryFormat?": {"torch.MemoryFormat", "", "$.Code()", ""},
	"Device":        {"torch.Device", "", "$.Code()", ""},
	"Device?":       {"*torch.Device", "", "deviceCode($)", ""},
	"Generator?":    {"*torch.Generator", "$.Handle()", "%", "after"},
}

// defaults are the values that nil or zero stands for, if the schema's default is not
// None.
var defaults = map[string]string{
	"ScalarType? long":                "torch.Int64",
	"MemoryFormat contiguous_format":  "torch.ContiguousFormat",
	"MemoryFormat? contiguous_format": "torch.ContiguousFormat",
}

func (a *argument) face() (face, error) {
	f, ok := faces[a.kind.name]
	if !ok {
		return face{goType: a.kind.goType, call: "$"}, nil
	}
	if !a.HasDefault || a.Default == "None" {
		return f, nil
	}
	if a.kind.name == "Scalar" {
		f.before = "numberOr(op, #, $, " + a.Default + ")"
		return f, nil
	}
	d, ok := defaults[a.kind.name+" "+a.Default]
	if !ok && strings.HasPrefix(f.goType, "torch.") {
		return f, fmt.Errorf("argument %s: cannot express the default %s in Go", a.Name, a.Default)
	}
	if ok {
		f.call = "or($, " + d + ").Code()"
	}
	return f, nil
}

// tensor writes torch/aten: a function over *torch.Tensor for each operator. Operators
// with the same first letter are in one file, so that a new operator changes only one
// file.
func (g *generator) tensor() error {
	files := map[string][]*operator{}
	for _, op := range g.supported() {
		name, under := strings.CutPrefix(op.goName, "Under")
		key := strings.ToLower(name[:1])
		if under {
			key = "under_" + key
		}
		files[key] = append(files[key], op)
	}
	for _, key := range slices.Sorted(maps.Keys(files)) {
		var body, b bytes.Buffer
		for _, op := range files[key] {
			if err := g.writeTensorFunc(&body, op); err != nil {
				return fmt.Errorf("%s: %w", op.Name(), err)
			}
		}
		fmt.Fprintf(&b, "// %s\n\npackage aten\n\nimport (\n", g.banner())
		uses := func(pkg, line string) {
			if bytes.Contains(body.Bytes(), []byte(pkg+".")) {
				fmt.Fprint(&b, line)
			}
		}
		uses("math", "\"math\"\n")
		uses("runtime", "\"runtime\"\n")
		uses("abi", "\n\"github.com/gotorch/gotorch/cgotorch/abi\"\n")
		fmt.Fprint(&b, "native \"github.com/gotorch/gotorch/cgotorch/aten\"\n\"github.com/gotorch/gotorch/torch\"\n)\n")
		b.Write(body.Bytes())
		if err := g.emit(tensorDir, "ops_"+key+".go", &b); err != nil {
			return err
		}
	}
	return nil
}

func (g *generator) writeTensorFunc(b *bytes.Buffer, op *operator) error {
	var params, tensors, names, before, lists, after []string
	args := make([]string, len(op.args))
	order, _ := op.order()
	for _, i := range order {
		a := &op.args[i]
		f, err := a.face()
		if err != nil {
			return err
		}
		expand := func(s string) string {
			return strings.NewReplacer("$", a.goName, "#", fmt.Sprintf("%q", a.goName), "@", fmt.Sprint(len(tensors)),
				"%", fmt.Sprintf("h%d", i)).Replace(s)
		}
		params = append(params, a.goName+" "+f.goType)
		if f.before != "" {
			before = append(before, fmt.Sprintf("h%d := %s\n", i, expand(f.before)))
		}
		args[i] = expand(f.call)
		switch f.use {
		case "arg":
			tensors, names = append(tensors, a.goName), append(names, a.goName)
		case "list":
			lists = append(lists, "r.Use("+a.goName+"...)\n")
		case "after":
			after = append(after, "runtime.KeepAlive("+a.goName+")\n")
		}
	}
	g.docComment(b, op, op.goName)
	fmt.Fprintf(b, "func %s(%s) %s {\n", op.goName, strings.Join(groupTypes(params), ", "), op.tensorResults())
	call := g.tensorCall(op, args)
	fmt.Fprintf(b, "const op = \"%s(%s)\"\n%s%s", op.goName, strings.Join(names, ", "), strings.Join(before, ""),
		call.words)
	fmt.Fprintf(b, "r := torch.BeginRaw(%s)\n%s", strings.Join(append([]string{"op"}, tensors...), ", "),
		strings.Join(lists, ""))
	op.tensorEnd(b, call, strings.Join(after, ""))
	b.WriteString("}\n")
	return nil
}

// tensorCall describes how a function of torch/aten calls the native function.
type tensorCall struct {
	words  string   // statements before the native call that pack the arguments
	into   string   // declaration of the variable that the call writes its results to
	call   string   // the call; it returns only a status if it writes its results
	values []string // expressions for the results
}

// tensorCall returns the native call for op. args are the arguments of op's function on
// raw handles. If there is no such function, the call is boxed.
func (g *generator) tensorCall(op *operator, args []string) tensorCall {
	const pkg = "native."
	if g.byHandle(op) {
		args = append([]string{"r.Ctx"}, args...)
		return tensorCall{call: pkg + op.nativeName + "(" + strings.Join(args, ", ") + ")", values: op.nativeValues()}
	}
	words, slice := op.packArgs(args, pkg)
	into, call := g.boxedCall(op, "r.Ctx", slice, pkg)
	c := tensorCall{words, into, call, op.nativeValues()}
	if op.mixed() {
		c.values = op.gotValues(pkg)
	}
	return c
}

// order returns the order of the arguments in torch/aten. The out arguments come first,
// and the others follow as in the schema. outs is the number of out arguments.
func (op *operator) order() (order []int, outs int) {
	var others []int
	for i := range op.args {
		if a := &op.args[i]; a.KwargOnly && a.Type.Mutable() {
			order = append(order, i)
		} else {
			others = append(others, i)
		}
	}
	return append(order, others...), len(order)
}

// groupTypes writes "a T, b T" as "a, b T".
func groupTypes(params []string) []string {
	var grouped []string
	for i, p := range params {
		name, typ, _ := strings.Cut(p, " ")
		if i+1 < len(params) && strings.HasSuffix(params[i+1], " "+typ) && !strings.Contains(typ, " ") {
			grouped = append(grouped, name)
		} else {
			grouped = append(grouped, p)
		}
	}
	return grouped
}

// tensorResults returns the Go result list, in the order of the schema. A result has its
// name from the schema, unless the function uses that name for something else.
func (op *operator) tensorResults() string {
	taken := map[string]bool{}
	for _, a := range op.args {
		taken[a.goName] = true
	}
	var types, names []string
	for _, r := range op.Returns {
		types = append(types, returnType(r.Type.String()))
		if r.Name == "" {
			continue
		}
		if name := goParam(r.Name); !taken[name] {
			taken[name] = true
			names = append(names, name+" "+types[len(types)-1])
		}
	}
	switch {
	case len(types) == 0:
		return ""
	case len(types) == 1:
		return types[0]
	case len(names) == len(types):
		types = groupTypes(names)
	}
	return "(" + strings.Join(types, ", ") + ")"
}

func returnType(schemaType string) string {
	switch schemaType {
	case "Tensor":
		return "*torch.Tensor"
	case "Tensor[]":
		return "[]*torch.Tensor"
	case "ScalarType":
		return "torch.DType"
	case "bool", "SymBool":
		return "bool"
	case "float":
		return "float64"
	case "Scalar":
		return "any"
	}
	return "int64"
}

// tensorEnd writes the end of a function: the native call, the end of the crossing to C,
// and the return statement.
func (op *operator) tensorEnd(b *bytes.Buffer, c tensorCall, keep string) {
	switch {
	case op.only(classTensor) && len(op.Returns) == 1 && keep == "":
		fmt.Fprintf(b, "return r.Tensor(%s)\n", c.call)
		return
	case op.only(classTensor):
		fmt.Fprintf(b, "res := r.Tensor(%s)\n%s", c.call, keep)
	case len(op.results) == 0 || c.into != "":
		fmt.Fprintf(b, "%sr.Status(%s)\n%s", c.into, c.call, keep)
	default:
		fmt.Fprintf(b, "%s, st := %s\nr.Status(st)\n%s", strings.Join(op.nativeLists(), ", "), c.call, keep)
	}
	if len(op.Returns) > 0 {
		fmt.Fprintf(b, "return %s\n", strings.Join(op.returned(c.values), ", "))
	}
}

// nativeLists returns the names of the variables that hold the results of a function on
// raw handles.
func (op *operator) nativeLists() []string {
	if len(op.results) == 1 {
		return []string{"res"}
	}
	var names []string
	for _, v := range resultLists {
		if op.count(v.class) > 0 {
			names = append(names, v.name)
		}
	}
	return names
}

// nativeValues returns the expressions of the results. If there are several, they are
// elements of the variables of nativeLists.
func (op *operator) nativeValues() []string {
	if len(op.results) == 1 {
		return []string{"res"}
	}
	var values []string
	seen := map[class]int{}
	for _, r := range op.results {
		for _, v := range resultLists {
			if v.class == r.class {
				values = append(values, fmt.Sprintf("%s[%d]", v.name, seen[r.class]))
			}
		}
		seen[r.class]++
	}
	return values
}

// returned returns the Go expressions of the results, computed from the expressions of
// the native results. For a result that is an argument which the operator wrote to, the
// expression is the argument itself.
func (op *operator) returned(values []string) []string {
	var exprs []string
	next := 0
	for i, r := range op.Returns {
		if r.Type.Mutable() {
			for _, a := range op.args {
				if a.Type.Alias == r.Type.Alias {
					exprs = append(exprs, a.goName)
				}
			}
			continue
		}
		for op.results[next].index != i {
			next++
		}
		c, value := op.results[next].class, values[next]
		switch {
		// Raw.Tensor has already wrapped this result.
		case c == classTensor && len(op.results) == 1:
			exprs = append(exprs, value)
		case c == classTensor:
			exprs = append(exprs, "r.Wrap("+value+")")
		case c == classList:
			exprs = append(exprs, "r.WrapAll("+value+")")
		case c == classScalar:
			exprs = append(exprs, "torch.ScalarValue("+value+")")
		case r.Type.Base == "ScalarType":
			exprs = append(exprs, "torch.DTypeOf(int8("+value+"))")
		default:
			exprs = append(exprs, value)
		}
	}
	return exprs
}

// table writes the package that maps the names of operators to their functions.
func (g *generator) table() error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage optable\n\nimport \"github.com/gotorch/gotorch/torch/aten\"\n\n// Functions "+
		"has every function of package aten under its operator's name.\nvar Functions = map[string]any{\n", g.banner())
	var outs, list bytes.Buffer
	for _, op := range g.supported() {
		fmt.Fprintf(&b, "%q: aten.%s,\n", op.Name(), op.goName)
		if _, n := op.order(); n > 0 {
			fmt.Fprintf(&outs, "%q: %d,\n", op.Name(), n)
		}
		if fresh[op.Name()] {
			fmt.Fprintf(&list, "%q,\n", op.Name())
		}
	}
	b.WriteString("}\n\n// Outs has the number of arguments that results are written to, the last of the\n// schema " +
		"and the first of the function.\nvar Outs = map[string]int{\n")
	b.Write(outs.Bytes())
	b.WriteString("}\n\n// Fresh are the operators that leave autograd out of a call where gradients are off.\nvar " +
		"Fresh = []string{\n")
	b.Write(list.Bytes())
	b.WriteString("}\n")
	return g.emit(tableDir, "ops_table.go", &b)
}
