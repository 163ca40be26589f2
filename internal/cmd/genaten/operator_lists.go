package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// readNames reads a list of operators, one name per line, in order. Operators in
// typed.txt have their own C++ function; all others are called boxed. Operators in
// boxed.txt have a function on raw handles, which packs the arguments of the boxed call.
// For the remaining operators, the functions of torch/aten pack the arguments.
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
			return nil, fmt.Errorf("%s: %s is not a bound operator", path, line)
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
