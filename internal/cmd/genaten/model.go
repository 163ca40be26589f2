package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/cmd/genaten/schema"
)

// operator is one overload with everything that the generator writes about it.
type operator struct {
	*schema.Func        // the schema of the newest version
	goName       string // in torch/aten
	nativeName   string // in cgotorch/aten
	header       string // ATen/ops/HEADER_ops.h declares it
	cxx          string // struct in at::_ops; the C function is gt_ + cxx
	args         []argument
	results      []result
	versions     []string // the versions that have the operator in any form
	added        int      // number of arguments at the end that some version lacks
	skip         string   // why it is left out, or ""
	guards       []guard
}

type argument struct {
	schema.Arg
	kind   *kind
	c      string // its name in C
	goName string
}

// result is a returned value that is not an argument.
type result struct {
	schema.Return
	index int // index of the result in the C++ tuple
	class class
}

type class int

const (
	classTensor class = iota
	classList
	classInt
	classBool
	classFloat
	classScalar
)

// only reports whether the operator returns exactly one result, of class c.
func (op *operator) only(c class) bool {
	return len(op.results) == 1 && op.results[0].class == c
}

func (op *operator) count(c class) int {
	n := 0
	for _, r := range op.results {
		if r.class == c {
			n++
		}
	}
	return n
}

// mixed reports whether op has several results, at least one of which is not a tensor.
func (op *operator) mixed() bool {
	return len(op.results) > 1 && op.count(classTensor) < len(op.results)
}

// functional reports whether a failed call changes nothing, so that it may be repeated.
func (op *operator) functional() bool {
	for _, a := range op.args {
		// Normalizations update the running statistics, although their schema does not
		// declare this.
		if a.Type.Mutable() || a.Name == "running_mean" {
			return false
		}
	}
	return !op.mayCallBack()
}

// mayCallBack reports whether the operator may run Go code. Only a backward pass may,
// through hooks.
func (op *operator) mayCallBack() bool { return op.Root == "_backward" }

// takesList reports whether an argument is a list of tensors.
func (op *operator) takesList() bool {
	return slices.ContainsFunc(op.args, func(a argument) bool { return a.Type.Base == "Tensor" && a.Type.List })
}

// unsupported maps schema types that cannot be passed to C++ to the reason.
var unsupported = map[string]string{
	"Dimname": "named tensors are not bound",
	"Storage": "storages do not cross the boundary; a tensor stands for its storage (set_.source_Tensor)",
	"Stream":  "streams do not cross the boundary",
}

func buildModel(inv *inventory) ([]*operator, error) {
	type form struct {
		f        *schema.Func
		versions []string
	}
	forms := map[string][]form{} // by the operator's name, the oldest version first
	for _, line := range slices.Sorted(maps.Keys(inv.schemas)) {
		f, err := schema.Parse(line)
		if err != nil {
			return nil, err
		}
		forms[f.Name()] = append(forms[f.Name()], form{f, inv.schemas[line]})
	}
	var ops []*operator
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		fs := forms[name]
		slices.SortFunc(fs, func(a, b form) int { return compareVersions(a.versions[0], b.versions[0]) })
		op := &operator{Func: fs[len(fs)-1].f}
		op.header = inv.headers[op.Text]
		op.goName, op.nativeName, op.cxx = goName(op.Func), nativeName(op.Func), structName(op.Func)
		for _, older := range fs {
			op.versions = append(op.versions, older.versions...)
			n, ok := appended(older.f, op.Func)
			if !ok {
				op.skip = "its signature changed between " + older.versions[0] + " and " + fs[len(fs)-1].versions[0]
			}
			op.added = max(op.added, n)
		}
		op.fill()
		ops = append(ops, op)
	}
	return ops, nameClashes(ops)
}

// appended returns how many arguments newer appends to the arguments of older. It returns
// false if the calls differ in any other way. Names may differ.
func appended(older, newer *schema.Func) (int, bool) {
	n := len(newer.Args) - len(older.Args)
	if n < 0 || len(older.Returns) != len(newer.Returns) {
		return 0, false
	}
	for i, a := range older.Args {
		if a.Type != newer.Args[i].Type {
			return 0, false
		}
	}
	for i, r := range older.Returns {
		if r.Type != newer.Returns[i].Type {
			return 0, false
		}
	}
	for _, a := range newer.Args[len(older.Args):] {
		if !a.HasDefault || kindOf(a.Type) == nil || kindOf(a.Type).absent == "" {
			return 0, false
		}
	}
	return n, true
}

func (op *operator) fill() {
	for _, a := range op.Args {
		k := kindOf(a.Type)
		if k == nil && op.skip == "" {
			if op.skip = unsupported[a.Type.Base]; op.skip == "" {
				op.skip = "argument type " + a.Type.String()
			}
		}
		op.args = append(op.args, argument{Arg: a, kind: k, c: cParam(a.Name), goName: goParam(a.Name)})
	}
	for i, r := range op.Returns {
		if r.Type.Mutable() {
			continue
		}
		c, ok := map[string]class{
			"Tensor": classTensor, "Tensor[]": classList, "int": classInt, "SymInt": classInt, "ScalarType": classInt,
			"QScheme": classInt, "bool": classBool, "SymBool": classBool, "float": classFloat, "Scalar": classScalar,
		}[r.Type.String()]
		if !ok && op.skip == "" {
			op.skip = "result type " + r.Type.String()
		}
		op.results = append(op.results, result{Return: r, index: i, class: c})
	}
	if op.mixed() && op.count(classScalar)+op.count(classBool) > 0 && op.skip == "" {
		op.skip = "mix of result types"
	}
}

// nameClashes returns an error if two operators, or two arguments of one operator, have
// the same name.
func nameClashes(ops []*operator) error {
	seen := map[string]string{}
	for _, op := range ops {
		if op.skip != "" {
			continue
		}
		for _, key := range []string{"Go " + op.goName, "native Go " + op.nativeName, "C " + op.cxx} {
			if other, ok := seen[key]; ok {
				return fmt.Errorf("%s and %s share the name %s", other, op.Name(), key)
			}
			seen[key] = op.Name()
		}
		args := map[string]bool{}
		for _, a := range op.args {
			if args[a.goName] {
				return fmt.Errorf("%s has two arguments named %s", op.Name(), a.goName)
			}
			args[a.goName] = true
		}
	}
	return nil
}

// lacking returns the versions without the operator, joined for a comment.
func (inv *inventory) lacking(op *operator) string {
	var v []string
	for _, version := range inv.versions {
		if !slices.Contains(op.versions, version) {
			v = append(v, version)
		}
	}
	return strings.Join(v, ", ")
}
