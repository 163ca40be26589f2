package main

import (
	"go/token"
	"strings"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// structName returns the name of an operator's C++ struct in at::_ops.
func structName(f *schema.Func) string {
	if f.Overload == "" {
		return f.Root
	}
	return f.Root + "_" + f.Overload
}

// goName returns the exported Go name of an operator in torch/aten:
//
//	add.Tensor -> AddTensor       add_.Tensor    -> Add_Tensor
//	_softmax   -> UnderSoftmax    __and__.Scalar -> DunderAndScalar
//	matmul     -> MatMul          log_softmax    -> LogSoftmax
func goName(f *schema.Func) string { return joinName(f, spell) }

// nativeName returns the name of an operator in cgotorch/aten. Each word begins with a
// capital letter, even if torch/aten spells it differently. So a new spelling in
// torch/aten does not recompile the operators.
func nativeName(f *schema.Func) string { return joinName(f, raise) }

func joinName(f *schema.Func, spell func(word string) string) string {
	root, prefix, suffix := f.Root, "", ""
	switch {
	case strings.HasPrefix(root, "__") && strings.HasSuffix(root, "__"):
		prefix, root = "Dunder", strings.Trim(root, "_")
	case strings.HasPrefix(root, "_"):
		prefix, root = "Under", root[1:]
	}
	if strings.HasSuffix(root, "_") {
		suffix, root = "_", strings.TrimSuffix(root, "_")
	}
	overload := join(f.Overload, spell)
	if strings.HasSuffix(f.Overload, "_") {
		overload += "_" // for example range.out_, because range.out exists too
	}
	return prefix + join(root, spell) + suffix + overload
}

// join splits a snake_case name into words, spells each with spell, and joins them.
func join(s string, spell func(word string) string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		if word != "" {
			b.WriteString(spell(word))
		}
	}
	return b.String()
}

// raise returns word with its first letter in upper case.
func raise(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// reservedGo are the names of variables and packages in generated Go functions.
var reservedGo = setOf("cx st r res try lists nums reals ls abi native torch runtime C op len nil any bool string " +
	"int64 float64 again count ws buf got math")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// goParam returns the Go name of a parameter: lower camel case, and never a keyword.
func goParam(name string) string {
	n := join(name, raise)
	if first := name[0]; first < 'A' || first > 'Z' {
		n = strings.ToLower(n[:1]) + n[1:]
	}
	if token.IsKeyword(n) || reservedGo[n] {
		n += "_"
	}
	return n
}

// reservedC are C++ keywords and the names of variables in generated C++.
var reservedC = setOf(
	"default int float double long short bool char register new delete this operator template class " +
		"union struct enum static const void if else for while do switch case return true false typename cx res " +
		"lists nums reals r")

func cParam(name string) string {
	if reservedC[name] {
		return name + "_"
	}
	return name
}
