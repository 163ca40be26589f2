package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A guard is a call to a function of cgotorch/aten/guards.hpp before an operator runs. It
// rejects arguments with which libtorch would end the process.
type guard struct {
	check string
	args  []guardArg
}

// A guardArg is an argument of the operator, by its position, or a literal.
type guardArg struct {
	at      int
	literal string
}

// readGuards reads guards.txt and sets the guards of each operator. Guards for lists
// whose length the schema fixes come first. The guards from guards.txt follow, in order.
func readGuards(file string, ops []*operator) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return parseGuards(string(text), ops)
}

func parseGuards(text string, ops []*operator) error {
	bound := map[string]*operator{}
	for _, op := range ops {
		if op.skip == "" {
			bound[op.Name()] = op
		}
	}
	other := map[string]bool{} // lists whose length has a row in the file
	rows := map[*operator][]guard{}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		call, patterns, ok := strings.Cut(line, "): ")
		check, params, ok2 := strings.Cut(call, "(")
		if !ok || !ok2 {
			return fmt.Errorf("guards.txt:%d: want check(arguments): operators", n+1)
		}
		var args []string
		if params != "" {
			args = strings.Split(params, ", ")
		}
		for _, pattern := range strings.Fields(patterns) {
			found := matching(pattern, bound)
			if len(found) == 0 {
				return fmt.Errorf("guards.txt:%d: %s is not a bound operator", n+1, pattern)
			}
			kept := 0
			for _, op := range found {
				g, err := op.guard(check, args)
				if err != nil && strings.Contains(pattern, "*") {
					continue // This overload of the operator does not have the argument.
				}
				kept++
				if err != nil {
					return fmt.Errorf("guards.txt:%d: %w", n+1, err)
				}
				if check == "length" {
					other[op.Name()+" "+args[0]] = true
				}
				if !slices.ContainsFunc(rows[op], func(r guard) bool {
					return r.check == check && slices.Equal(r.args, g.args)
				}) {
					rows[op] = append(rows[op], g)
				}
			}
			if kept == 0 {
				return fmt.Errorf("guards.txt:%d: no operator %s has these arguments", n+1, pattern)
			}
		}
	}
	for name, op := range bound {
		for i, a := range op.args {
			if a.Type.Size > 1 && a.kind.guard == "ints" && !other[name+" "+a.Name] {
				lengths := "or_one"
				if a.HasDefault && a.Default == "[]" {
					lengths = "or_none"
				}
				op.guards = append(op.guards,
					guard{"length", []guardArg{{at: i}, {literal: strconv.Itoa(a.Type.Size)}, {literal: lengths}}})
			}
		}
		op.guards = append(op.guards, rows[op]...)
	}
	return nil
}

func matching(pattern string, bound map[string]*operator) []*operator {
	if op, ok := bound[pattern]; ok {
		return []*operator{op}
	}
	var found []*operator
	for name, op := range bound {
		if ok, _ := path.Match(pattern, name); ok {
			found = append(found, op)
		}
	}
	slices.SortFunc(found, func(a, b *operator) int { return strings.Compare(a.Name(), b.Name()) })
	return found
}

// modes are the words that a guard's arguments may contain.
var modes = []string{"exactly", "or_one", "or_none"}

// guard converts a row of guards.txt to a guard of op.
func (op *operator) guard(check string, args []string) (guard, error) {
	g := guard{check: check}
	for _, name := range args {
		if name == "size" && len(g.args) == 1 && op.args[g.args[0].at].Type.Size > 0 {
			name = strconv.Itoa(op.args[g.args[0].at].Type.Size) // as in the schema
		}
		at := slices.IndexFunc(op.args, func(a argument) bool { return a.Name == name })
		_, err := strconv.Atoi(name)
		switch {
		case at >= 0 && op.args[at].kind.guard == "":
			return g, fmt.Errorf("%s: no guard can check argument %s", op.Name(), name)
		case at >= 0:
			g.args = append(g.args, guardArg{at: at})
		case err == nil || slices.Contains(modes, name):
			g.args = append(g.args, guardArg{literal: name})
		default:
			return g, fmt.Errorf("%s has no argument %s", op.Name(), name)
		}
	}
	return g, nil
}

// call returns the C++ call of the guard. value returns the expression for the operator's
// argument at the given position.
func (g guard) call(value func(at int) string) string {
	var args []string
	for _, a := range g.args {
		if a.literal != "" {
			args = append(args, qualified(a.literal))
		} else {
			args = append(args, value(a.at))
		}
	}
	return "gt::guard::" + g.check + "(" + strings.Join(args, ", ") + ");"
}

func qualified(literal string) string {
	if slices.Contains(modes, literal) {
		return "gt::guard::" + literal
	}
	if literal == "-9223372036854775808" {
		return "INT64_MIN" // C++ has no literal for this number
	}
	return literal
}

// guardCalls returns the C++ calls of the guards, for the operator's own C++ function.
func (op *operator) guardCalls() string {
	if len(op.guards) == 0 {
		return ""
	}
	var b strings.Builder
	for _, g := range op.guards {
		fmt.Fprintf(&b, "    %s\n", g.call(func(at int) string {
			a := op.args[at]
			return fmt.Sprintf("gt::guard::%s{%q, %s}", a.kind.guard, a.Name, subst(a.kind.seen, a.c))
		}))
	}
	return b.String()
}

// boxedGuards returns the C++ code that calls the guards before a boxed call of the
// operator.
func (op *operator) boxedGuards() string {
	var calls []string
	for _, g := range op.guards {
		calls = append(calls, g.call(func(at int) string {
			a := op.args[at]
			return fmt.Sprintf("w.%s_(%q, %d)", a.kind.guard+optionalGuard[a.kind.code], a.Name, at)
		}))
	}
	return strings.Join(calls, " ")
}

// optionalGuard contains the suffix of a guard's name for each optional argument kind.
// The first word of such an argument states whether it is given.
var optionalGuard = map[string]string{"I": "_or_none", "D": "_or_none"}

// writeGuards writes the guards of the boxed calls. Operators with the same guards share
// one body. writeGuards returns the number of each operator's body, or 0 for an operator
// without guards.
func (g *generator) writeGuards(b *bytes.Buffer, ops []*operator) map[*operator]int {
	numbers, place := map[string]int{}, map[*operator]int{}
	fmt.Fprintf(b, "// %s\n#pragma once\n\n", g.banner())
	fmt.Fprint(b, "static constexpr void (*guards[])(const gt::guard::words&) = {\n    nullptr,\n")
	for _, op := range ops {
		if len(op.guards) == 0 {
			continue
		}
		body := op.boxedGuards()
		if numbers[body] == 0 {
			numbers[body] = len(numbers) + 1
			fmt.Fprintf(b, "    // %d\n    [](const gt::guard::words& w) {\n      %s\n    },\n", numbers[body],
				strings.ReplaceAll(body, "; ", ";\n      "))
		}
		place[op] = numbers[body]
	}
	fmt.Fprint(b, "};\n")
	return place
}
