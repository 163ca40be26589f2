package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// cReturn returns the return type of an operator in C.
func (op *operator) cReturn() string {
	switch {
	case op.only(classTensor):
		return "gt_ret"
	case op.only(classList):
		return "gt_list_ret"
	case op.only(classInt), op.only(classBool):
		return "gt_int_ret"
	case op.only(classFloat):
		return "gt_float_ret"
	case op.only(classScalar):
		return "gt_scalar_ret"
	}
	return "uintptr_t"
}

// direct reports whether the C function returns only a status. It then writes its
// results, if there are any, through parameters.
func (op *operator) direct() bool { return len(op.results) != 1 }

// outputs are the parameters through which C functions write results, by class.
var outputs = []struct {
	class class
	c     string
	put   string
}{
	{classTensor, "gt_tensor* res", "gt::release(%s)"},
	{classList, "gt_list_ret* lists", "gt::list(%s)"},
	{classInt, "int64_t* nums", "gt::number(%s)"},
	{classFloat, "double* reals", "gt::number(%s)"},
}

func (op *operator) prototype() string {
	params := []string{"gt_ctx cx"}
	for _, a := range op.args {
		params = append(params, subst(a.kind.c, a.c))
	}
	if op.direct() {
		for _, o := range outputs {
			if op.count(o.class) > 0 {
				params = append(params, o.c)
			}
		}
	}
	return fmt.Sprintf("%s gt_%s(%s)", op.cReturn(), op.cxx, strings.Join(params, ", "))
}

// cxxReturn returns the C++ return type for the stand-in of an operator that a version
// lacks.
func (op *operator) cxxReturn() string {
	names := map[class]string{
		classTensor: "at::Tensor", classList: "std::vector<at::Tensor>", classInt: "int64_t",
		classBool: "bool", classFloat: "double", classScalar: "at::Scalar",
	}
	if len(op.results) == 0 {
		return "void"
	}
	if len(op.Returns) == 1 {
		return names[op.results[0].class]
	}
	var types []string
	next := 0
	for i := range op.Returns {
		t := "int" // The result is an argument, and the caller does not use it.
		if next < len(op.results) && op.results[next].index == i {
			t = names[op.results[next].class]
			next++
		}
		types = append(types, t)
	}
	return "std::tuple<" + strings.Join(types, ", ") + ">"
}

// flags are the operators that read a flag of their tensor, such as conjugation. They are
// called as methods of the tensor, as in Python: with autograd off, the dispatcher would
// first resolve the flag, and the operator would see a copy without it.
var flags = map[string]bool{"is_conj": true, "is_neg": true, "_is_zerotensor": true}

// callExpr returns the C++ call of the operator. If a version of libtorch lacks the last
// arguments, the call for that version omits them, and requires that they have their
// default values.
func (op *operator) callExpr() string {
	if flags[op.Name()] {
		return fmt.Sprintf("gt::as(%s).%s()", op.args[0].c, op.Name())
	}
	var args, absent []string
	for i, a := range op.args {
		args = append(args, subst(a.kind.cxx, a.c))
		if i >= len(op.args)-op.added {
			absent = append(absent, "("+subst(a.kind.absent, a.c)+")")
		}
	}
	if op.added == 0 {
		return fmt.Sprintf("at::_ops::%s::call(%s)", op.cxx, strings.Join(args, ", "))
	}
	all, old := strings.Join(args, ", "), strings.Join(args[:len(args)-op.added], ", ")
	var names []string
	for _, a := range op.args[len(op.args)-op.added:] {
		names = append(names, a.Name)
	}
	return fmt.Sprintf(`[&]<class Op>(Op*) {
      if constexpr (requires { Op::call(%s); }) {
        return Op::call(%s);
      } else {
        if (!(%s)) gt::missing("argument %s of operator %s");
        return Op::call(%s);
      }
    }(static_cast<at::_ops::%s*>(nullptr))`,
		all, all, strings.Join(absent, " && "), strings.Join(names, " or "), op.Name(), old, op.cxx)
}

func (op *operator) cxxBody() string {
	call := op.callExpr()
	var before, after string
	for _, a := range op.writtenArgs() {
		before += subst("    gt::slot $_slot($);\n", a.c)
		after += subst("    $_slot.settle();\n", a.c)
	}
	if len(op.results) == 0 {
		return before + "    " + call + ";\n" + after + "    return 0;\n"
	}
	give := ""
	if len(op.results) == 1 {
		give = map[class]string{classTensor: "gt::one(%s)", classList: "gt::list(%s)"}[op.results[0].class]
		if give == "" {
			give = "{gt::number(%s), 0}"
		}
	}
	if give != "" && after == "" && len(op.Returns) == 1 {
		return "    return " + fmt.Sprintf(give, call) + ";\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s    auto r = %s;\n%s", before, call, after)
	value := func(i int) string {
		if len(op.Returns) == 1 {
			return "std::move(r)"
		}
		return fmt.Sprintf("std::move(std::get<%d>(r))", i)
	}
	if give != "" {
		return b.String() + "    return " + fmt.Sprintf(give, value(op.results[0].index)) + ";\n"
	}
	// Write tensors last. Making a list or reading a number may fail, and a tensor that
	// was already returned would then leak.
	for _, o := range slices.Backward(outputs) {
		n := 0
		for _, r := range op.results {
			if r.class == o.class {
				fmt.Fprintf(&b, "    %s[%d] = %s;\n", o.c[strings.LastIndex(o.c, " ")+1:], n,
					fmt.Sprintf(o.put, value(r.index)))
				n++
			}
		}
	}
	b.WriteString("    return 0;\n")
	return b.String()
}

func (op *operator) cxxFailure() string {
	switch {
	case op.only(classList):
		return "return {nullptr, 0, gt::caught()};"
	case op.only(classScalar):
		return "return {{}, gt::caught()};"
	case len(op.results) == 1:
		return "return {0, gt::caught()};"
	}
	return "return gt::caught();"
}

// writeCxx writes the C++ file of one shard.
func (g *generator) writeCxx(b *bytes.Buffer, ops []*operator, header string) {
	convert := "convert.hpp"
	fmt.Fprintf(b, "// %s\n", g.banner())
	if ops[0].takesList() {
		convert = "convert_list.hpp"
		fmt.Fprint(b, "#ifdef GOTORCH_TOGETHER  // compiled by boxed.cpp, which needs the same slow headers\n\n")
	}
	fmt.Fprintf(b, "#include \"%s\"\n#include \"guards.hpp\"\n#include \"%s\"\n\n", convert, header)
	headers := map[string]bool{} // headers, each with whether every version has it
	for _, op := range ops {
		headers[op.header] = headers[op.header] || len(op.versions) == len(g.inv.versions)
	}
	for _, h := range slices.Sorted(maps.Keys(headers)) {
		if headers[h] {
			fmt.Fprintf(b, "#include <ATen/ops/%s_ops.h>\n", h)
		} else {
			fmt.Fprintf(b, "#if __has_include(<ATen/ops/%s_ops.h>)\n#include <ATen/ops/%s_ops.h>\n#endif\n", h, h)
		}
	}
	g.writeStandIns(b, ops)
	fmt.Fprint(b, "\nextern \"C\" {\n\n")
	for _, op := range ops {
		below := ""
		if fresh[op.Name()] {
			when := "cx"
			if unless := freshUnless[op.Name()]; unless != "" {
				when = unless + " ? 0 : cx"
			}
			below = "    gt::BelowAutograd below(" + when + ");\n"
		}
		fmt.Fprintf(b, "%s {\n  try {\n    gt::enter(cx);\n%s%s%s  } catch (...) {\n    %s\n  }\n}\n\n",
			op.prototype(), op.guardCalls(), below, op.cxxBody(), op.cxxFailure())
	}
	fmt.Fprint(b, "}  // extern \"C\"\n")
	if ops[0].takesList() {
		fmt.Fprint(b, "\n#endif\n")
	}
}

// writeStandIns declares stand-ins for operators that some version lacks. C++ prefers a
// struct that at::_ops itself declares, so a stand-in is used only if the installed
// headers do not declare the operator.
func (g *generator) writeStandIns(b *bytes.Buffer, ops []*operator) {
	var some bool
	for _, op := range ops {
		if len(op.versions) == len(g.inv.versions) {
			continue
		}
		if !some {
			fmt.Fprint(b, "\nnamespace gt_absent {\n")
			some = true
		}
		fmt.Fprintf(b, "struct %s {\n  template <class... A>\n  static %s call(A&&...) {\n    "+
			"gt::missing(\"operator %s\");\n  }\n};\n",
			op.cxx, op.cxxReturn(), op.Name())
	}
	if some {
		fmt.Fprint(b, "}  // namespace gt_absent\nnamespace at::_ops {\nusing namespace gt_absent;\n}\n")
	}
}
