package main

import (
	"bytes"
	"fmt"
	"slices"
)

// coverage writes COVERAGE.md: the omitted operators with the reasons, and the number of
// operators that are not omitted.
func (g *generator) coverage() error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!-- %s -->\n\n# Operator coverage\n\n", g.banner())
	fmt.Fprintf(&b, "Every overload that libtorch exports is bound unless it is listed below.\nThe generated "+
		"packages hold the union over the versions: %d overloads.\n", len(g.supported()))
	typed := 0
	for _, op := range g.supported() {
		if g.typed(op) {
			typed++
		}
	}
	fmt.Fprintf(&b, "%d of them have a C++ function of their own, those that the library calls; all others\nare "+
		"called the boxed way.\n\n", typed)
	fmt.Fprint(&b, "| libtorch | exported | bound | left out |\n|---|---|---|---|\n")
	for _, v := range g.inv.versions {
		all, bound := 0, 0
		for _, op := range g.ops {
			if slices.Contains(op.versions, v) {
				all++
				if op.skip == "" {
					bound++
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", v, all, bound, all-bound)
	}
	fmt.Fprint(&b, "\n## Inputs\n\n")
	for _, s := range g.inv.sums {
		fmt.Fprintf(&b, "- `%s`\n", s)
	}
	fmt.Fprint(&b, "\n## Left out\n\n| overload | reason |\n|---|---|\n")
	for _, op := range g.ops {
		if op.skip != "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", op.Name(), op.skip)
		}
	}
	fmt.Fprint(&b, "\n## Not in every version\n\nThese return an error that says so where the installed libtorch "+
		"lacks them.\n\n| overload | missing from |\n|---|---|\n")
	for _, op := range g.ops {
		if v := g.inv.lacking(op); v != "" && op.skip == "" {
			fmt.Fprintf(&b, "| `%s` | %s |\n", op.Name(), v)
		}
	}
	return g.emit(nativeDir, "COVERAGE.md", &b)
}
