package lint

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// tools are directories of programs. Variables of a program are not state of the library.
var tools = []string{"bench", "examples", "internal/cmd", "internal/compilefail", "internal/docblocks", "internal/lint"}

// Globals returns the package-level variables of the library that change after program
// start, as "folder.name". These are the variables that a function other than init
// writes, and those that contain a lock, an atomic value, a channel or a pointer. Globals
// finds a write through a pointer only if it is a call of sync/atomic. root is the
// module's directory. Test files are ignored.
func Globals(root string) ([]string, error) {
	g := &globals{fset: token.NewFileSet(), root: root, done: map[string]*types.Package{}, found: map[string]bool{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if _, e := os.Stat(filepath.Join(name, "go.mod")); e == nil && rel != "." {
			return filepath.SkipDir // another module
		}
		if base := d.Name(); rel != "." &&
			(base == "build" || base == "testdata" || base == "vendor" || base[0] == '.') ||
			slices.Contains(tools, rel) {
			return filepath.SkipDir
		}
		_, err = g.check(rel)
		return err
	})
	return slices.Sorted(maps.Keys(g.found)), err
}

// globals type-checks packages from their sources alone. Other modules are replaced by
// the declarations in shapes, which suffice to recognize state.
type globals struct {
	fset  *token.FileSet
	root  string
	done  map[string]*types.Package // by import path
	found map[string]bool
}

// shapes contains declarations of types from other packages that hold state. The
// declarations contain only what globals needs.
var shapes = map[string]string{
	"sync": `package sync
type Mutex struct{ state chan int }
func (*Mutex) Lock()
type RWMutex struct{ state chan int }
type Pool struct{ New func() any; state chan int }
type Map struct{ state chan int }
type Once struct{ state chan int }
type Cond struct{ state chan int }
type WaitGroup struct{ state chan int }`,
	"sync/atomic": `package atomic
type Int32 struct{ state chan int }
type Int64 struct{ state chan int }
type Uint32 struct{ state chan int }
type Uint64 struct{ state chan int }
type Uintptr struct{ state chan int }
type Bool struct{ state chan int }
type Value struct{ state chan int }
type Pointer[T any] struct{ state chan int }`,
	"unsafe": "",
}

// Import implements the interface types.Importer.
func (g *globals) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if folder, ours := strings.CutPrefix(name, module); ours {
		return g.check(folder)
	}
	if p := g.done[name]; p != nil {
		return p, nil
	}
	src := shapes[name]
	if src == "" {
		src = "package " + strings.ReplaceAll(path.Base(name), "-", "_")
	}
	file, err := parser.ParseFile(g.fset, name, src, 0)
	if err != nil {
		return nil, err
	}
	p, _ := g.typed(name, []*ast.File{file}, nil)
	g.done[name] = p
	return p, nil
}

// typed returns a package with partial type information. It ignores type errors, because
// many declarations from other modules are missing.
func (g *globals) typed(name string, files []*ast.File, info *types.Info) (*types.Package, error) {
	conf := types.Config{FakeImportC: true, Importer: g, Error: func(error) {}}
	return conf.Check(name, g.fset, files, info)
}

func (g *globals) check(folder string) (*types.Package, error) {
	name := module + folder
	if p, ok := g.done[name]; ok {
		return p, nil
	}
	entries, err := os.ReadDir(filepath.Join(g.root, filepath.FromSlash(folder)))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		dir := filepath.Join(g.root, filepath.FromSlash(folder))
		if ok, err := build.Default.MatchFile(dir, e.Name()); err != nil || !ok {
			continue
		}
		file, err := parser.ParseFile(g.fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	info := &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	p, _ := g.typed(name, files, info)
	g.done[name] = p
	if p == nil || p.Name() == "main" {
		return p, nil
	}
	for _, n := range p.Scope().Names() {
		if v, ok := p.Scope().Lookup(n).(*types.Var); ok && holdsState(v.Type(), 0) {
			g.add(v)
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR {
				g.pointers(vars, info)
			}
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && (fn.Recv != nil || fn.Name.Name != "init") {
				g.writes(fn.Body, info)
			}
		}
	}
	return p, nil
}

// pointers finds variables that point to C memory. The type checker does not know their
// types.
func (g *globals) pointers(d *ast.GenDecl, info *types.Info) {
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		for i, value := range s.Values {
			call, ok := value.(*ast.CallExpr)
			if !ok {
				continue
			}
			if to, ok := ast.Unparen(call.Fun).(*ast.StarExpr); ok && to != nil {
				g.add(info.Defs[s.Names[i]])
			}
		}
	}
}

// writes finds the package-level variables that a function's body writes.
func (g *globals) writes(body ast.Node, info *types.Info) {
	written := func(e ast.Expr) {
		if v := root(e, info); v != nil {
			g.add(v)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					written(e)
				}
			}
		case *ast.IncDecStmt:
			written(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				written(n.Key)
				if n.Value != nil {
					written(n.Value)
				}
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") {
				written(n.Args[0])
			}
			// AddInt64(&v, 1) and similar functions write v.
			if strings.HasPrefix(text(n.Fun), "atomic.") {
				for _, a := range n.Args {
					if to, ok := a.(*ast.UnaryExpr); ok && to.Op == token.AND {
						written(to.X)
					}
				}
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && byPointer(info.Selections[sel]) {
				written(sel.X)
			}
		}
		return true
	})
}

// byPointer reports whether a method call may change its receiver.
func byPointer(s *types.Selection) bool {
	if s == nil || s.Kind() != types.MethodVal {
		return false
	}
	sig := s.Obj().(*types.Func).Signature()
	if _, is := types.Unalias(s.Recv()).(*types.Pointer); is {
		return false // The call changes what the pointer points to, but not the pointer.
	}
	_, is := types.Unalias(sig.Recv().Type()).(*types.Pointer)
	return is
}

// root returns the package-level variable that an expression is part of. It returns nil
// if there is none, or if the variable is reached through a pointer.
func root(e ast.Expr, info *types.Info) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if v := global(info.Uses[x.Sel]); v != nil {
				return v
			}
			e = x.X
		case *ast.Ident:
			return global(info.Uses[x])
		default:
			return nil
		}
	}
}

func (g *globals) add(o types.Object) {
	g.found[strings.TrimPrefix(o.Pkg().Path(), module)+"."+o.Name()] = true
}

func global(o types.Object) *types.Var {
	v, ok := o.(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return nil
	}
	return v
}

// holdsState reports whether a value of type t can change without an assignment to its
// variable.
func holdsState(t types.Type, depth int) bool {
	if depth > 8 {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Chan, *types.Pointer:
		return true
	case *types.Array:
		return holdsState(t.Elem(), depth+1)
	case *types.Struct:
		for i := range t.NumFields() {
			f := t.Field(i)
			if _, pointer := f.Type().Underlying().(*types.Pointer); !pointer && holdsState(f.Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// Global is a process-wide variable, and the reason why it is process-wide.
type Global struct{ Name, Reason string }

// Row returns g's row of the table in docs/architecture.md.
func (g Global) Row() string { return fmt.Sprintf("| `%s` | %s |", g.Name, g.Reason) }
