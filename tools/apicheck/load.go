package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/tools/internal/published"
)

// api contains the packages that other programs can import, by directory.
type api map[string]*types.Package

// checked contains type-checked packages that loaders share, by directory: packages of Go
// and of a source tree.
type checked map[string]*types.Package

// working returns the API of the working tree.
func working(repo string, shared checked) (api, error) {
	modules, err := published.Modules(repo, "")
	if err != nil {
		return nil, err
	}
	return load(repo, modules, shared)
}

// exported returns the API of a tag, from a copy of its source.
func exported(repo, tag string, shared checked) (api, error) {
	modules, err := published.Modules(repo, tag)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "apicheck")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	archive := filepath.Join(dir, "tree.tar")
	if _, err := published.Git(repo, "archive", "--output", archive, tag); err != nil {
		return nil, err
	}
	if out, err := exec.Command("tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("tar: %w: %s", err, out)
	}
	return load(dir, modules, shared)
}

func load(root string, modules []published.Module, shared checked) (api, error) {
	all := api{}
	for _, m := range modules {
		if !m.Published() {
			continue
		}
		l := loader{listed: map[string]*listed{}, done: map[string]*types.Package{}, shared: shared}
		if err := l.list(filepath.Join(root, m.Dir)); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path(), err)
		}
		for _, p := range l.listed {
			if p.DepOnly || p.Name == "main" || !public(p.ImportPath) {
				continue
			}
			pkg, err := l.Import(p.ImportPath)
			if err != nil {
				return nil, err
			}
			if err := unknown(pkg); err != nil {
				return nil, err
			}
			all[strings.TrimPrefix(p.ImportPath, published.Root+"/")] = pkg
		}
	}
	return all, nil
}

// public reports whether a package path belongs to the API.
func public(path string) bool {
	parts := strings.Split(strings.TrimPrefix(path, published.Root+"/"), "/")
	return parts[0] != "cgotorch" && !slices.Contains(parts, "internal")
}

// listed describes a package, as go list prints it.
type listed struct {
	ImportPath, Name, Dir string
	GoFiles, CgoFiles     []string
	ImportMap             map[string]string
	DepOnly, Standard     bool
	Error                 *struct{ Err string }
}

// loader type-checks the packages of one module and their imports, from source. C
// declarations have no type; unknown rejects packages whose API contains such a
// declaration. Nothing is compiled, and function bodies are ignored.
type loader struct {
	listed map[string]*listed
	done   map[string]*types.Package
	shared checked
	from   *listed // the package whose imports are being resolved
}

// list lists the packages of the module in directory dir, for Linux with cgo.
func (l *loader) list(dir string) error {
	cmd := exec.Command("go", "list", "-e", "-deps",
		"-json=ImportPath,Name,Dir,GoFiles,CgoFiles,ImportMap,DepOnly,Standard,Error", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=1", "GOWORK=off")
	cmd.Stderr = new(strings.Builder)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list: %w: %s", err, cmd.Stderr)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if p.Error != nil {
			return fmt.Errorf("%s: %s", p.ImportPath, p.Error.Err)
		}
		l.listed[p.ImportPath] = p
	}
}

// Import type-checks the package with the given path, as seen by the importing package.
func (l *loader) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if l.from != nil {
		if vendored, ok := l.from.ImportMap[path]; ok {
			path = vendored
		}
	}
	if p := l.done[path]; p != nil {
		return p, nil
	}
	p := l.listed[path]
	if p == nil {
		return nil, fmt.Errorf("go list reports nothing about %s", path)
	}
	if same := l.shared[p.Dir]; same != nil {
		return same, nil
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{
		Importer:         l,
		FakeImportC:      true,
		IgnoreFuncBodies: true,
		Sizes:            types.SizesFor("gc", "amd64"),
		Error:            func(error) {}, // with this, Check continues after an error; it returns the first one
	}
	outer := l.from
	l.from = p
	pkg, err := config.Check(path, fset, files, nil)
	l.from = outer
	l.done[path] = pkg
	inside := path == published.Root || strings.HasPrefix(path, published.Root+"/")
	if p.Standard || inside {
		l.shared[p.Dir] = pkg
	}
	// Errors in this repository come from C declarations. They matter only if the API
	// contains such a declaration, which unknown reports.
	if err != nil && !inside {
		return nil, err
	}
	return pkg, nil
}

// unknown returns an error if the type of an exported declaration depends on C or is
// unknown for any other reason: apicheck would not notice changes to such a type.
func unknown(p *types.Package) error {
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		shown := types.ObjectString(obj, nil)
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			shown += types.TypeString(exportedFields(named.Underlying()), nil)
			for m := range types.NewMethodSet(types.NewPointer(named)).Methods() {
				if m.Obj().Exported() {
					shown += types.ObjectString(m.Obj(), nil)
				}
			}
		}
		if strings.Contains(shown, types.Typ[types.Invalid].String()) {
			return fmt.Errorf("%s.%s: its type is not known without cgo", p.Path(), name)
		}
	}
	return nil
}

// exportedFields returns a type without its unexported fields.
func exportedFields(t types.Type) types.Type {
	s, ok := t.(*types.Struct)
	if !ok {
		return t
	}
	var fields []*types.Var
	for f := range s.Fields() {
		if f.Exported() {
			fields = append(fields, f)
		}
	}
	return types.NewStruct(fields, nil)
}
