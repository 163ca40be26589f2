// Command darwin provides what a cross-build for macOS needs in addition to a compiler.
//
//	go run ./internal/cmd/darwin stubs GOROOT FOLDER
//	go run ./internal/cmd/darwin check RPATH PROGRAM...
//
// stubs writes text files (.tbd) that stand for the macOS libraries that Go's standard
// library links against. The linker finds them with its flags -F and -L. check reads the
// headers of programs and fails if there is a program that macOS would not load.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "darwin:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "stubs":
		return writeStubs(args[1], args[2])
	case len(args) >= 3 && args[0] == "check":
		return checkAll(args[1], args[2:])
	}
	return fmt.Errorf("expected stubs GOROOT FOLDER, or check RPATH PROGRAM..., got %q", args)
}

// checkAll prints a line for each program and returns the first error.
func checkAll(rpath string, paths []string) (err error) {
	for _, path := range paths {
		p, e := read(path)
		if e == nil {
			e = p.fault(rpath)
		}
		if e != nil {
			e = fmt.Errorf("%s: %w", path, e)
			fmt.Println(e)
			if err == nil {
				err = e
			}
			continue
		}
		fmt.Println(p)
	}
	return err
}
