package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// listRoom is how many words a list has in the buffer on the caller's stack: its
// length and elements. Longer ones move the buffer to the heap.
const listRoom = 9

// writtenArgs are the tensors that the operator writes to, in order.
func (op *operator) writtenArgs() []argument {
	var w []argument
	for _, a := range op.args {
		if a.kind.code == "m" {
			w = append(w, a)
		}
	}
	return w
}

// codes are the kinds of the arguments, and what becomes of each value that the
// operator returns: boxed.cpp says what the letters mean.
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
		// An argument handed back. Where it is known which, the tensor that comes
		// back is compared with the caller's.
		n := slices.IndexFunc(op.writtenArgs(), func(a argument) bool { return a.Type.Alias == r.Type.Alias })
		if n < 0 || r.Type.List {
			results += "-"
		} else {
			results += string(rune('0' + n))
		}
	}
	return args, results
}

// writeTable writes the table of all operators that boxed.cpp looks into.
func (g *generator) writeTable(b *bytes.Buffer, ops []*operator, guards map[*operator]int) {
	fmt.Fprintf(b, "// %s\n#pragma once\n\n", g.banner())
	fmt.Fprint(b, "// name, overload, arguments, results, typed, below autograd, how many arguments\n// came with a later version, which, guard\n")
	fmt.Fprint(b, "static constexpr gt::boxed::Operator operators[] = {\n")
	for _, op := range ops {
		var added []string
		for _, a := range op.args[len(op.args)-op.added:] {
			added = append(added, a.Name)
		}
		args, results := op.codes()
		fmt.Fprintf(b, "    {\"aten::%s\", %q, %q, %q, %t, %t, %d, %q, %d},\n",
			op.Root, op.Overload, args, results, g.typed(op), fresh[op.Name()], op.added, strings.Join(added, " or "), guards[op])
	}
	fmt.Fprint(b, "};\n")
}

// writeBoxed writes Go functions that hand their arguments over as words.
func (g *generator) writeBoxed(b *bytes.Buffer, ops []*operator) {
	var body bytes.Buffer
	for _, op := range ops {
		g.docComment(&body, op, op.nativeName)
		params := []string{"cx abi.Ctx"}
		for _, a := range op.args {
			params = append(params, a.goName+" "+a.kind.goType)
		}
		fmt.Fprintf(&body, "func %s(%s) %s {\n%s}\n", op.nativeName, strings.Join(params, ", "), op.goResults(), g.boxedBody(op))
	}
	fmt.Fprintf(b, "// %s\n\npackage aten\n\nimport (\n", g.banner())
	if strings.Contains(body.String(), "math.") {
		fmt.Fprint(b, "\"math\"\n\n")
	}
	fmt.Fprint(b, "\"github.com/gotorch/gotorch/cgotorch/abi\"\n)\n")
	b.Write(body.Bytes())
}

// packArgs writes the arguments into a buffer of words and returns the expression of
// the slice of them.
func (op *operator) packArgs(b *strings.Builder) string {
	var first, run []string // the words before the first list; those since the last
	lists, room := 0, 0
	var rest strings.Builder
	flush := func() {
		if len(run) > 0 {
			fmt.Fprintf(&rest, "ws = put(ws, %s)\n", strings.Join(run, ", "))
		}
		run = nil
	}
	for _, a := range op.args {
		switch {
		case a.kind.put != "":
			value := a.goName
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
			fmt.Fprintf(&rest, "%s(%s, %s)\n", a.kind.put, into, value)
			lists++
		case lists == 0:
			first = append(first, subst(a.kind.pack, a.goName))
			room += a.kind.words
		default:
			run = append(run, subst(a.kind.pack, a.goName))
			room += a.kind.words
		}
	}
	flush()
	switch {
	case lists > 0:
		fmt.Fprintf(b, "buf := [%d]uint64{%s}\n%s", room+lists*listRoom, strings.Join(first, ", "), rest.String())
		return "ws"
	case len(first) > 0:
		fmt.Fprintf(b, "ws := [...]uint64{%s}\n", strings.Join(first, ", "))
		return "ws[:]"
	}
	return "nil"
}

func (g *generator) boxedBody(op *operator) string {
	var b strings.Builder
	w := op.packArgs(&b)
	call := func(fn string) string {
		return fmt.Sprintf("%s(cx, %d, %s, %t)", fn, g.number[op], w, op.functional())
	}
	for _, c := range []struct {
		class class
		fn    string
	}{
		{classTensor, "boxedTensor"},
		{classList, "boxedList"},
		{classInt, "boxedInt"},
		{classBool, "boxedBool"},
		{classFloat, "boxedFloat"},
		{classScalar, "boxedScalar"},
	} {
		if op.only(c.class) {
			return b.String() + "return " + call(c.fn) + "\n"
		}
	}
	if len(op.results) == 0 {
		return b.String() + "return " + call("boxedNothing") + "\n"
	}
	if op.count(classTensor) == len(op.results) {
		fmt.Fprintf(&b, "st = boxed(cx, %d, %s, words(res[:]), %t)\nreturn\n", g.number[op], w, op.functional())
		return b.String()
	}
	var take strings.Builder
	size, seen := 0, map[class]int{}
	for _, r := range op.results {
		n := seen[r.class]
		seen[r.class]++
		switch r.class {
		case classTensor:
			fmt.Fprintf(&take, "res[%d] = abi.Tensor(got[%d])\n", n, size)
		case classList:
			fmt.Fprintf(&take, "lists[%d] = TakeList(got[%d:])\n", n, size)
			size++
		case classInt:
			fmt.Fprintf(&take, "nums[%d] = int64(got[%d])\n", n, size)
		case classFloat:
			fmt.Fprintf(&take, "reals[%d] = math.Float64frombits(got[%d])\n", n, size)
		}
		size++
	}
	fmt.Fprintf(&b, "var got [%d]uint64\nst = boxed(cx, %d, %s, got[:], %t)\n%sreturn\n", size, g.number[op], w, op.functional(), take.String())
	return b.String()
}
