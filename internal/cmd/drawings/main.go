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

// drawings returns the contents of the files by the files' names.
func drawings() map[string]string {
	return map[string]string{
		"ownership.svg": ownership(),
		"views.svg":     views(),
		"step.svg":      step(),
		"scopes.svg":    scopes(),
		"loader.svg":    loader(),
		"training.svg":  training(),
		"capture.svg":   capture(),
	}
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: drawings FOLDER")
		os.Exit(2)
	}
	for name, text := range drawings() {
		file := filepath.Join(os.Args[1], name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the documentation
			fmt.Fprintln(os.Stderr, "drawings:", err)
			os.Exit(1)
		}
	}
}
