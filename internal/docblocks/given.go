package docblocks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// given contains the declarations of testdata/given.go.
type given struct {
	vars  []value           // in the order of testdata/given.go
	decls map[string]string // functions and types
}

// A value is a variable of given.go. Each function that uses it declares its own copy.
type value struct {
	name, typ, expr string
	needs           []string
}

func readGiven(root, name string) (*given, error) {
	path := filepath.Join(root, "internal", "docblocks", "testdata", name)
	src, err := os.ReadFile(path) //nolint:gosec // a file of this repository
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		return nil, err
	}
	text := func(n ast.Node) string {
		return string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	g := &given{decls: map[string]string{}}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = strings.TrimPrefix(text(d.Recv.List[0].Type), "*")
			}
			g.decls[name] += text(d) + "\n"
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					g.decls[s.Name.Name] += "type " + text(s) + "\n"
				case *ast.ValueSpec:
					v := value{name: s.Names[0].Name}
					if s.Type != nil {
						v.typ = text(s.Type)
					}
					if len(s.Values) > 0 {
						v.expr = text(s.Values[0])
					}
					ast.Inspect(s, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							v.needs = append(v.needs, id.Name)
						}
						return true
					})
					g.vars = append(g.vars, v)
				}
			}
		}
	}
	return g, nil
}

// locals returns declarations of the named variables and of the variables that they need.
// uses are all names in the declarations.
func (g *given) locals(names []string) (src string, uses []string) {
	need := map[string]bool{}
	for _, n := range names {
		need[n] = true
	}
	// A name that the function declares does not refer to the page's declaration.
	taken := map[string]bool{}
	for _, v := range slices.Backward(g.vars) {
		if need[v.name] {
			taken[v.name] = true
			for _, n := range v.needs {
				need[n] = true
				uses = append(uses, n)
			}
		}
	}
	var b strings.Builder
	for _, v := range g.vars {
		if !taken[v.name] {
			continue
		}
		b.WriteString("var " + v.name + " " + v.typ)
		if v.expr != "" {
			b.WriteString(" = " + v.expr)
		}
		b.WriteString("; _ = " + v.name + "\n")
		if v.name == "err" {
			b.WriteString("defer blockrun.Check(&err)\n")
		}
	}
	return b.String(), uses
}
