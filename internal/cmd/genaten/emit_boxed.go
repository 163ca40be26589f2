package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// listRoom is the number of words reserved for a list in the buffer on the caller's
// stack: its length and eight elements. A longer list moves the buffer to the heap.
const listRoom = 9

// writtenArgs returns the tensors that the operator writes to, in order.
func (op *operator) writtenArgs() []argument {
	var w []argument
	for _, a := range op.args {
		if a.kind.code == "m" {
			w = append(w, a)
		}
	}
	return w
}

// codes returns a letter for the kind of each argument, and a letter for each value that
// the operator returns. boxed.cpp explains the letters.
func (op *operator) codes() (args, results string) {
	for _, a := range op.args {
		args += a.kind.code
	}
	next := 0
	for i, r := range op.Returns {
		if next < len(op.results) && op.results[next].index == i {
			results += map[class]string{
				classTensor: "t", classList: "l", classInt: "i", classBool: "b", classFloat: "d", classScalar: "s",
			}[op.results[next].class]
			next++
			continue
		}
		// This result is one of the arguments. If the schema says which one, boxed.cpp
		// compares the returned tensor with the caller's.
		n := slices.IndexFunc(op.writtenArgs(), func(a argument) bool { return a.Type.Alias == r.Type.Alias })
		if n < 0 || r.Type.List {
			results += "-"
		} else {
			results += string(rune('0' + n))
		}
	}
	return args, results
}

// writeTable writes the table of all operators, which boxed.cpp uses.
func (g *generator) writeTable(b *bytes.Buffer, ops []*operator, guards map[*operator]int) {
	fmt.Fprintf(b, "// %s\n#pragma once\n\n", g.banner())
	fmt.Fprint(b, "// name, overload, arguments, results, typed, below autograd, how many arguments\n// came with a "+
		"later version, which, guard\n")
	fmt.Fprint(b, "static constexpr gt::boxed::Operator operators[] = {\n")
	for _, op := range ops {
		var added []string
		for _, a := range op.args[len(op.args)-op.added:] {
			added = append(added, a.Name)
		}
		args, results := op.codes()
		fmt.Fprintf(b, "    {\"aten::%s\", %q, %q, %q, %t, %t, %d, %q, %d},\n",
			op.Root, op.Overload, args, results, g.typed(op), fresh[op.Name()], op.added, strings.Join(added, " or "),
			guards[op])
	}
	fmt.Fprint(b, "};\n")
}

// writeBoxed writes functions on raw handles that pack their arguments, for the operators
// that Go code other than torch/aten calls. For all other operators, the functions of
// torch/aten pack the arguments themselves.
func (g *generator) writeBoxed(b *bytes.Buffer, ops []*operator) {
	var body bytes.Buffer
	for _, op := range ops {
		g.docComment(&body, op, op.nativeName)
		params := []string{"cx abi.Ctx"}
		var values []string
		for _, a := range op.args {
			params = append(params, a.goName+" "+a.kind.goType)
			values = append(values, a.goName)
		}
		fmt.Fprintf(&body, "func %s(%s) %s {\n%s}\n",
			op.nativeName, strings.Join(params, ", "), op.goResults(), g.boxedBody(op, values))
	}
	fmt.Fprintf(b, "// %s\n\npackage aten\n\nimport (\n", g.banner())
	if strings.Contains(body.String(), "math.") {
		fmt.Fprint(b, "\"math\"\n\n")
	}
	fmt.Fprint(b, "\"github.com/gotorch/gotorch/cgotorch/abi\"\n)\n")
	b.Write(body.Bytes())
}

func (g *generator) boxedBody(op *operator, values []string) string {
	words, slice := op.packArgs(values, "")
	before, call := g.boxedCall(op, "cx", slice, "")
	switch {
	case len(op.results) < 2:
		return words + "return " + call + "\n"
	case !op.mixed():
		return words + "st = " + call + "\nreturn\n"
	}
	var take strings.Builder
	got, lists := op.gotValues(""), op.nativeValues()
	for i := range op.results {
		fmt.Fprintf(&take, "%s = %s\n", lists[i], got[i])
	}
	return words + before + "st = " + call + "\n" + take.String() + "return\n"
}

// packArgs returns the statements that write the arguments to a buffer of words, and the
// slice with these words. values are Go expressions for the arguments. pkg is the
// qualifier for names of cgotorch/aten.
func (op *operator) packArgs(values []string, pkg string) (statements, slice string) {
	var first, run []string // words before the first list, and words since the last list
	lists, room := 0, 0
	var rest strings.Builder
	flush := func() {
		if len(run) > 0 {
			fmt.Fprintf(&rest, "ws = %sPack(ws, %s)\n", pkg, strings.Join(run, ", "))
		}
		run = nil
	}
	for i, a := range op.args {
		pack := strings.NewReplacer("$", values[i], "@", pkg).Replace(a.kind.pack)
		switch {
		case a.kind.put != "":
			value := values[i]
			if a.kind.code == "a" {
				value += "[:]"
			}
			flush()
			into := "ws"
			if lists == 0 {
				into = fmt.Sprintf("buf[:%d]", room)
				rest.WriteString("ws := ")
			} else {
				rest.WriteString("ws = ")
			}
			fmt.Fprintf(&rest, "%s(%s, %s)\n", strings.ReplaceAll(a.kind.put, "@", pkg), into, value)
			lists++
		case lists == 0:
			first = append(first, pack)
			room += a.kind.words
		default:
			run = append(run, pack)
			room += a.kind.words
		}
	}
	flush()
	switch {
	case lists > 0:
		return fmt.Sprintf("buf := [%d]uint64{%s}\n%s", room+lists*listRoom, strings.Join(first, ", "),
			rest.String()), "ws"
	case len(first) > 0:
		return fmt.Sprintf("ws := [...]uint64{%s}\n", strings.Join(first, ", ")), "ws[:]"
	}
	return "", "nil"
}

// boxedCall returns the Go call of an operator. If the call needs a variable for its
// results, before declares the variable.
func (g *generator) boxedCall(op *operator, cx, words, pkg string) (before, call string) {
	fn, into := "Boxed", ""
	switch {
	case len(op.results) == 0:
		fn = "BoxedNothing"
	case len(op.results) == 1:
		fn = map[class]string{
			classTensor: "BoxedTensor", classList: "BoxedList", classInt: "BoxedInt",
			classBool: "BoxedBool", classFloat: "BoxedFloat", classScalar: "BoxedScalar",
		}[op.results[0].class]
	case op.mixed():
		before, into = fmt.Sprintf("var got [%d]uint64\n", len(op.results)+op.count(classList)), ", got[:]"
	default:
		fn = "BoxedTensors"
		before, into = fmt.Sprintf("var res [%d]abi.Tensor\n", len(op.results)), ", res[:]"
	}
	return before, fmt.Sprintf("%s%s(%s, %d, %s%s, %t)", pkg, fn, cx, g.number[op], words, into, op.functional())
}

// gotValues returns Go expressions for the results of an operator whose results are of
// several classes. Their words are in the variable got.
func (op *operator) gotValues(pkg string) []string {
	var values []string
	at := 0
	for _, r := range op.results {
		switch r.class {
		case classTensor:
			values = append(values, fmt.Sprintf("abi.Tensor(got[%d])", at))
		case classList:
			values = append(values, fmt.Sprintf("%sTakeList(got[%d:])", pkg, at))
			at++
		case classFloat:
			values = append(values, fmt.Sprintf("math.Float64frombits(got[%d])", at))
		default:
			values = append(values, fmt.Sprintf("int64(got[%d])", at))
		}
		at++
	}
	return values
}
