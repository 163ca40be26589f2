// Command genoptions writes the methods that make types options of functions.
//
// A family of functions has an interface with one method that does nothing. A directive
// in the interface's comment lists the types that are options of the family:
//
//	// A ReduceOption is an option of the reductions.
//	//
//	//gotorch:options Dim Dims KeepDim DType
//	type ReduceOption interface{ reduceOption() }
//
// Several directives form one list. The types belong to the same package. The command
// writes the methods to option_markers.go in the package's directory.
//
// Usage: genoptions [-root DIR] [-check]. It processes DIR and all directories below it.
// With -check it writes nothing and fails if a file is not up to date.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const output = "option_markers.go"

func main() {
	root := flag.String("root", ".", "the `folder` to go through")
	check := flag.Bool("check", false, "fail if a file is not up to date, and write nothing")
	flag.Parse()
	if err := run(*root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "genoptions:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	var problems []error
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (name == "testdata" || name == "build" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		problems = append(problems, update(path, check))
		return nil
	})
	return errors.Join(append(problems, err)...)
}

// update updates the generated file in dir. With check, it instead returns an error if
// the file is out of date.
func update(dir string, check bool) error {
	families, name, err := read(dir)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, output)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := write(name, families)
	switch {
	case err != nil || bytes.Equal(old, text):
		return err
	case check:
		return fmt.Errorf("%s is out of date; run make generate", path)
	case text == nil:
		return os.Remove(path)
	}
	return os.WriteFile(path, text, 0o666)
}

// A family is an interface with options.
type family struct {
	name, marker string
	options      []string
}

// check returns an error if an option of the family is not a type of the package, is
// listed twice, or already has the method.
func (f *family) check(types, methods map[string]bool) error {
	for i, o := range f.options {
		switch {
		case !types[strings.TrimPrefix(o, "*")]:
			return fmt.Errorf("%s: the package has no type %s", f.name, o)
		case slices.Contains(f.options[:i], o):
			return fmt.Errorf("%s: %s occurs twice", f.name, o)
		case methods[o+"."+f.marker]:
			return fmt.Errorf("%s: %s has a method %s already", f.name, o, f.marker)
		}
	}
	return nil
}
