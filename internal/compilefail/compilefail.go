// Package compilefail checks whether a statement compiles. Tests of options use it: an
// option that does not apply to a function must not compile.
package compilefail

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

// A Scope is the context in which statements are compiled.
type Scope struct {
	// Imports are the packages that statements may use. If a package has an import name,
	// the name comes first, as in "F github.com/gotorch/gotorch/nn/functional".
	Imports []string

	// Decls are declarations that statements may use, such as
	// "var x *torch.Tensor".
	Decls string
}

// Compile returns the compiler's first error about the statements, or nil. Unused
// variables, imports and values are allowed. Compile panics if an imported package cannot
// be built.
func (s Scope) Compile(statements string) error {
	var src strings.Builder
	src.WriteString("package snippet\n")
	paths := make([]string, len(s.Imports))
	for i, spec := range s.Imports {
		name, path, renamed := strings.Cut(spec, " ")
		if !renamed {
			name, path = "", spec
		}
		paths[i] = path
		fmt.Fprintf(&src, "import %s %q\n", name, path)
	}
	fmt.Fprintf(&src, "%s\nfunc _() {\n%s\n}\n", s.Decls, statements)

	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "snippet.go", src.String(), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var first error
	conf := types.Config{
		Importer: importerFor(fset, paths),
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && unused(e) {
				return
			}
			if first == nil {
				first = err
			}
		},
	}
	_, _ = conf.Check("snippet", fset, []*ast.File{file}, nil)
	return first
}

// Program returns the compiler's first error about a whole file, or nil.
func Program(src string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	var paths []string
	for _, i := range file.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	conf := types.Config{Importer: importerFor(fset, paths)}
	_, err = conf.Check(file.Name.Name, fset, []*ast.File{file}, nil)
	return err
}

// unused reports whether the error is only about an unused variable, import or value.
func unused(e types.Error) bool {
	return e.Soft || strings.HasSuffix(e.Msg, "is not used")
}

// Accepts fails the test for each statement that does not compile.
func (s Scope) Accepts(t testing.TB, statements ...string) {
	t.Helper()
	for _, st := range statements {
		if err := s.Compile(st); err != nil {
			t.Errorf("%s\ndoes not compile: %v", st, err)
		}
	}
}

// Rejects fails the test for each statement that compiles.
func (s Scope) Rejects(t testing.TB, statements ...string) {
	t.Helper()
	for _, st := range statements {
		if s.Compile(st) == nil {
			t.Errorf("%s\ncompiles, and should not", st)
		}
	}
}

var (
	exportMu sync.Mutex
	exports  = map[string]string{} // file of the export data of each package, by the package's path
)

// importerFor returns an importer that reads the compiled packages and their
// dependencies.
func importerFor(fset *token.FileSet, paths []string) types.Importer {
	exportMu.Lock()
	defer exportMu.Unlock()
	for _, p := range paths {
		if exports[p] == "" {
			list(paths)
			break
		}
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		exportMu.Lock()
		defer exportMu.Unlock()
		return os.Open(exports[path])
	})
}

// list finds the compiled packages at paths with `go list -export`, which compiles
// missing packages. It passes the build flags of this program, so that the go command
// finds the packages in the build cache.
func list(paths []string) {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, BuildFlags()...)
	var stderr bytes.Buffer
	cmd := exec.Command("go", append(append(args, "--"), paths...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		panic(fmt.Sprintf("compilefail: go list: %v\n%s", err, stderr.Bytes()))
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
}

// BuildFlags returns the flags of the running program that affect compiled packages.
func BuildFlags() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var flags []string
	for _, s := range info.Settings {
		switch s.Key {
		case "-race", "-asan", "-msan", "-trimpath", "-tags", "-gcflags":
			flags = append(flags, s.Key+"="+s.Value)
		}
	}
	return flags
}
