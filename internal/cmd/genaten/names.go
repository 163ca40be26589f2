package main

import (
	"go/token"
	"strings"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// structName is the C++ struct of an operator in at::_ops.
func structName(f *schema.Func) string {
	if f.Overload == "" {
		return f.Root
	}
	return f.Root + "_" + f.Overload
}

// goName is the exported Go name of an operator:
//
//	add.Tensor -> AddTensor       add_.Tensor    -> Add_Tensor
//	_softmax   -> UnderSoftmax    __and__.Scalar -> DunderAndScalar
func goName(f *schema.Func) string {
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
	overload := camel(f.Overload)
	if strings.HasSuffix(f.Overload, "_") {
		overload += "_" // range.out_ beside range.out
	}
	return prefix + camel(root) + suffix + overload
}

// camel joins the words of a snake_case name, each with its first letter raised.
func camel(s string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(s, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// reservedGo are names that a generated Go function uses for itself.
var reservedGo = map[string]bool{
	"cx": true, "st": true, "r": true, "res": true, "try": true, "lists": true, "nums": true, "abi": true, "unsafe": true,
	"C": true, "len": true, "nil": true, "bool": true, "string": true, "any": true, "torch": true, "aten": true, "raw": true,
	"int64": true, "float64": true, "again": true, "string_": true,
}

// goParam is the Go name of a parameter: lower camel case, never a keyword.
func goParam(name string) string {
	n := camel(name)
	if first := name[0]; first < 'A' || first > 'Z' {
		n = strings.ToLower(n[:1]) + n[1:]
	}
	if token.IsKeyword(n) || reservedGo[n] {
		n += "_"
	}
	return n
}

var reservedC = map[string]bool{
	"default": true, "int": true, "float": true, "double": true, "long": true, "short": true, "bool": true, "char": true,
	"register": true, "new": true, "delete": true, "this": true, "operator": true, "template": true, "class": true,
	"union": true, "struct": true, "enum": true, "static": true, "const": true, "void": true, "if": true, "else": true,
	"for": true, "while": true, "do": true, "switch": true, "case": true, "return": true, "cx": true,
	"res": true, "lists": true, "nums": true, "reals": true, "r": true, "true": true, "false": true, "typename": true,
}

func cParam(name string) string {
	if reservedC[name] {
		return name + "_"
	}
	return name
}
