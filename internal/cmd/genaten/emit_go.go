package main

import (
	"bytes"
	"fmt"
	"strings"
)

// writeGo writes the Go file of one shard: functions on raw handles.
func (g *generator) writeGo(b *bytes.Buffer, ops []*operator, header string) {
	fmt.Fprintf(b, "// %s\n\npackage aten\n\n/*\n", g.banner())
	for _, op := range ops {
		if op.passesPointers() {
			fmt.Fprintf(b, "#cgo noescape gt_%s\n", op.cxx)
		}
		if !op.mayCallBack() {
			fmt.Fprintf(b, "#cgo nocallback gt_%s\n", op.cxx)
		}
	}
	fmt.Fprintf(b, "#include \"%s\"\n*/\nimport \"C\"\n\nimport \"github.com/gotorch/gotorch/cgotorch/abi\"\n", header)
	for _, op := range ops {
		g.writeGoFunc(b, op)
	}
}

func (op *operator) passesPointers() bool {
	for _, a := range op.args {
		if a.kind.pointers() {
			return true
		}
	}
	return len(op.results) > 1
}

// resultLists are, by class, the Go results of an operator that has several results.
var resultLists = []struct {
	class     class
	name, typ string
}{
	{classTensor, "res", "abi.Tensor"},
	{classList, "lists", "[]abi.Tensor"},
	{classInt, "nums", "int64"},
	{classFloat, "reals", "float64"},
}

// goResults returns the Go result list of the function on raw handles.
func (op *operator) goResults() string {
	switch {
	case len(op.results) == 0:
		return "abi.Status"
	case op.only(classTensor):
		return "abi.Ret"
	case op.only(classList):
		return "([]abi.Tensor, abi.Status)"
	case op.only(classInt):
		return "(int64, abi.Status)"
	case op.only(classBool):
		return "(bool, abi.Status)"
	case op.only(classFloat):
		return "(float64, abi.Status)"
	case op.only(classScalar):
		return "(abi.Scalar, abi.Status)"
	}
	var parts []string
	for _, v := range resultLists {
		if n := op.count(v.class); n > 0 {
			parts = append(parts, fmt.Sprintf("%s [%d]%s", v.name, n, v.typ))
		}
	}
	return "(" + strings.Join(append(parts, "st abi.Status"), ", ") + ")"
}

// docComment writes the comment of a function: the operator's schema, and the versions
// that lack the operator.
func (g *generator) docComment(b *bytes.Buffer, op *operator, name string) {
	fmt.Fprintf(b, "\n// %s is\n//\n//\t%s\n", name, op.Text)
	if v := g.inv.lacking(op); v != "" {
		fmt.Fprintf(b, "//\n// libtorch %s lacks it.\n", v)
	}
	if op.added > 0 {
		var names []string
		for _, a := range op.args[len(op.args)-op.added:] {
			names = append(names, a.Name)
		}
		fmt.Fprintf(b, "//\n// libtorch %s takes no %s.\n", g.inv.versions[0], strings.Join(names, ", "))
	}
}

func (g *generator) writeGoFunc(b *bytes.Buffer, op *operator) {
	params, args := []string{"cx abi.Ctx"}, []string{"C.gt_ctx(cx)"}
	for _, a := range op.args {
		params = append(params, a.goName+" "+a.kind.goType)
		args = append(args, subst(a.kind.call, a.goName))
	}
	if op.direct() {
		for _, p := range []struct {
			class class
			expr  string
		}{
			{classTensor, "handles(res[:])"},
			{classList, "&ls[0]"},
			{classInt, "ints(nums[:])"},
			{classFloat, "floats(reals[:])"},
		} {
			if op.count(p.class) > 0 {
				args = append(args, p.expr)
			}
		}
	}
	call := fmt.Sprintf("C.gt_%s(%s)", op.cxx, strings.Join(args, ", "))
	g.docComment(b, op, op.nativeName)
	fmt.Fprintf(b, "func %s(%s) %s {\n", op.nativeName, strings.Join(params, ", "), op.goResults())
	b.WriteString(op.goBody(call))
	b.WriteString("}\n")
}

// goBody returns the body of a function, with the given C call. If a failed call of the
// operator changes nothing, the body repeats the call once when RetryOOM returns true.
func (op *operator) goBody(call string) string {
	var pre, stmt, status, ret string
	switch {
	case len(op.results) == 0:
		stmt, status, ret = "st := "+call, "st", "return abi.Status(st)"
	case op.only(classTensor):
		stmt, status, ret = "r := "+call, "r.err", "return abi.Ret{T: abi.Tensor(r.t), Err: abi.Status(r.err)}"
	case op.only(classList):
		stmt, status, ret = "r := "+call, "r.err", "return takeList(r), abi.Status(r.err)"
	case op.only(classInt):
		stmt, status, ret = "r := "+call, "r.err", "return int64(r.v), abi.Status(r.err)"
	case op.only(classBool):
		stmt, status, ret = "r := "+call, "r.err", "return r.v != 0, abi.Status(r.err)"
	case op.only(classFloat):
		stmt, status, ret = "r := "+call, "r.err", "return float64(r.v), abi.Status(r.err)"
	case op.only(classScalar):
		stmt, status, ret = "r := "+call, "r.err", "return takeNumber(r.v), abi.Status(r.err)"
	default:
		stmt, status, ret = "r := "+call, "r", "st = abi.Status(r)\nreturn"
		if n := op.count(classList); n > 0 {
			pre = fmt.Sprintf("var ls [%d]C.gt_list_ret\n", n)
			var fill strings.Builder
			for i := range n {
				fmt.Fprintf(&fill, "lists[%d] = takeList(ls[%d])\n", i, i)
			}
			ret = fill.String() + ret
		}
	}
	if !op.functional() {
		return pre + stmt + "\n" + ret + "\n"
	}
	return fmt.Sprintf("%sfor try := 0; ; try++ {\n%s\nif %s == 0 || !again(try, %s) {\n%s\n}\n}\n", pre, stmt, status,
		status, ret)
}
