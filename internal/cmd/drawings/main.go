// Command drawings writes the diagrams in docs/:
//
//	go run ./internal/cmd/drawings docs/img
//
// `make generate MODE=pictures` also draws the other pictures, which show graphs,
// measurements and pages.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// drawings returns the contents of the files by the files' names. benchmarks is the text of
// docs/benchmarks.md, whose figures two of the drawings show.
func drawings(benchmarks string) (map[string]string, error) {
	measured := rows(benchmarks)
	beside, err := python(measured)
	if err != nil {
		return nil, err
	}
	graph, err := capture(measured)
	return map[string]string{
		"python.svg":    beside,
		"ownership.svg": ownership(),
		"views.svg":     views(),
		"step.svg":      step(),
		"scopes.svg":    scopes(),
		"loader.svg":    loader(),
		"training.svg":  training(),
		"capture.svg":   graph,
	}, err
}

// draw returns the drawings of a folder, beside which benchmarks.md lies.
func draw(folder string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(folder, "..", "benchmarks.md"))
	if err != nil {
		return nil, err
	}
	return drawings(string(text))
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: drawings FOLDER")
		os.Exit(2)
	}
	all, err := draw(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "drawings:", err)
		os.Exit(1)
	}
	for name, text := range all {
		file := filepath.Join(os.Args[1], name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the documentation
			fmt.Fprintln(os.Stderr, "drawings:", err)
			os.Exit(1)
		}
	}
}
