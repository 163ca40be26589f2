package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// readNames reads a list of operators, a name on each line, in order. Those of
// typed.txt are called by a C++ function of their own; all others go through one boxed
// call. Those of boxed.txt have a function over raw handles for it, which packs the
// arguments; the functions of torch/aten do so for the rest.
func readNames(path string, ops []*operator) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, op := range ops {
		known[op.Name()] = op.skip == ""
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !known[line] {
			return nil, fmt.Errorf("%s: %s is no operator that is bound", path, line)
		}
		names = append(names, line)
	}
	if !slices.IsSorted(names) {
		return nil, fmt.Errorf("%s is not sorted", path)
	}
	typed := map[string]bool{}
	for _, n := range names {
		typed[n] = true
	}
	return typed, nil
}
