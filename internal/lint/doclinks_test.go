package lint_test

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linkedPackage describes a package. A method, field or embedded type has a name such as
// Type.Name.
type linkedPackage struct {
	name    string
	files   []*ast.File
	imports map[string]string
	names   map[string]bool
	embeds  map[string][]ast.Expr // the types that each type embeds
}

// broken returns exactly the links in a comment that lead nowhere.
func TestBrokenDocLinks(t *testing.T) {
	parse := func(src string) *ast.File {
		f, err := parser.ParseFile(token.NewFileSet(), "a.go", src, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		return f
	}
	a, torch := newLinkedPackage("a"), newLinkedPackage("torch")
	a.add(parse(`package a

import "io/fs"
import "github.com/gotorch/gotorch/torch"

type T[E any] struct { F int; torch.Tensor }

func (t *T[E]) M() {}

type I interface { N() }

const C = 1`))
	torch.add(parse("package torch\n\ntype Tensor struct{}\n\nfunc (t *Tensor) Add() {}"))
	all := map[string]*linkedPackage{"a": a, "torch": torch}
	for text, want := range map[string][]string{
		"[T], [*T], [T.M], [T.F], [T.Add], [T.Tensor], [I.N], [C] and [a.C]": nil,
		"[torch.Tensor], [*torch.Tensor.Add], [fs.FileMode], [bytes.Reader]": nil,
		"[0, 1), [word], x[I] and\n\n\t[Code]":                               nil,
		"[U]":                                                                {"U"},
		"- [*U]":                                                             {"U"},
		"[T.Sub] and [T.M]":                                                  {"T.Sub"},
		"[torch.U], [torch.Tensor.Sub]":                                      {"torch.U", "torch.Tensor.Sub"},
		"[nn.Module] is not imported":                                        {"nn.Module"},
	} {
		_, broken := a.broken(text, all)
		assert.Equal(t, want, broken, text)
	}
}

// Every link in a doc comment, such as [Name], [Type.Method] or [pkg.Name], leads to a
// declaration. Go prints a link that it cannot resolve as a word in brackets.
func TestDocLinksLeadSomewhere(t *testing.T) {
	fset, all := token.NewFileSet(), map[string]*linkedPackage{}
	eachFile(t, "", []string{"testdata"}, func(file string) {
		if !isCode(file) {
			return
		}
		parsed, err := parser.ParseFile(fset, filepath.Join(root, file), nil,
			parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		folder := path.Dir(file)
		if all[folder] == nil {
			all[folder] = newLinkedPackage(parsed.Name.Name)
		}
		all[folder].add(parsed)
	})
	links := 0
	var wrong []string
	for _, p := range all {
		for _, f := range p.files {
			if ast.IsGenerated(f) {
				continue
			}
			for _, c := range docs(f) {
				n, broken := p.broken(c.Text(), all)
				links += n
				for _, b := range broken {
					wrong = append(wrong, fmt.Sprintf("%s: [%s]", fset.Position(c.Pos()), b))
				}
			}
		}
	}
	slices.Sort(wrong)
	assert.Empty(t, strings.Join(wrong, "\n"))
	require.Greater(t, links, 2000, "the walk has seen the links")
}

func newLinkedPackage(name string) *linkedPackage {
	return &linkedPackage{
		name: name, imports: map[string]string{}, names: map[string]bool{}, embeds: map[string][]ast.Expr{},
	}
}

// add adds a file to p, with the packages that it imports and the names that it declares.
func (p *linkedPackage) add(f *ast.File) {
	p.files = append(p.files, f)
	for _, s := range f.Imports {
		to, _ := strconv.Unquote(s.Path.Value) // no error, because the parser has checked the quotes
		name := path.Base(to)
		if s.Name != nil {
			name = s.Name.Name
		}
		p.imports[name] = to
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = baseName(d.Recv.List[0].Type) + "." + name
			}
			p.names[name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					p.addType(s)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						p.names[n.Name] = true
					}
				}
			}
		}
	}
}

func (p *linkedPackage) addType(s *ast.TypeSpec) {
	p.names[s.Name.Name] = true
	var members *ast.FieldList
	switch of := s.Type.(type) {
	case *ast.StructType:
		members = of.Fields
	case *ast.InterfaceType:
		members = of.Methods
	default:
		if s.Assign.IsValid() { // an alias
			p.embeds[s.Name.Name] = []ast.Expr{of}
		}
		return
	}
	for _, m := range members.List {
		for _, n := range m.Names {
			p.names[s.Name.Name+"."+n.Name] = true
		}
		if len(m.Names) == 0 {
			p.embeds[s.Name.Name] = append(p.embeds[s.Name.Name], m.Type)
			p.names[s.Name.Name+"."+baseName(m.Type)] = true
		}
	}
}

// baseName returns the name of a type without package, pointer and type arguments: T for
// *p.T[E].
func baseName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return baseName(e.X)
	case *ast.IndexListExpr:
		return baseName(e.X)
	case *ast.StarExpr:
		return baseName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// docs returns the doc comments of the file and of all exported declarations in it.
func docs(f *ast.File) (all []*ast.CommentGroup) {
	add := func(groups ...*ast.CommentGroup) {
		for _, g := range groups {
			if g != nil {
				all = append(all, g)
			}
		}
	}
	add(f.Doc)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(baseName(d.Recv.List[0].Type))) {
				add(d.Doc)
			}
		case *ast.GenDecl:
			exported := false
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if !s.Name.IsExported() {
						continue
					}
					exported = true
					add(s.Doc, s.Comment)
					ast.Inspect(s.Type, func(n ast.Node) bool {
						if field, ok := n.(*ast.Field); ok {
							add(field.Doc, field.Comment)
						}
						return true
					})
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							exported = true
							add(s.Doc, s.Comment)
							break
						}
					}
				}
			}
			if exported {
				add(d.Doc)
			}
		}
	}
	return all
}

// broken returns the number of links in a comment, and the links that lead nowhere.
func (p *linkedPackage) broken(text string, all map[string]*linkedPackage) (n int, broken []string) {
	parse := comment.Parser{ // accepts every text that has the form of a link
		LookupPackage: func(name string) (string, bool) { return name, true },
		LookupSym:     func(string, string) bool { return true },
	}
	walk := func(texts []comment.Text) {
		for _, x := range texts {
			if link, ok := x.(*comment.DocLink); ok && link.Name != "" {
				n++
				if !p.resolves(link, all) {
					parts := []string{link.ImportPath, link.Recv, link.Name}
					parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
					broken = append(broken, strings.Join(parts, "."))
				}
			}
		}
	}
	var blocks func(list []comment.Block)
	blocks = func(list []comment.Block) {
		for _, b := range list {
			switch b := b.(type) {
			case *comment.Heading:
				walk(b.Text)
			case *comment.Paragraph:
				walk(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					blocks(item.Content)
				}
			}
		}
	}
	blocks(parse.Parse(text).Content)
	return n, broken
}

const ofModule = "github.com/gotorch/gotorch/"

// resolves reports whether pkg.go.dev can resolve a link. The link's package must be
// imported or belong to the standard library. If it is a package of this module, it must
// also declare the name.
func (p *linkedPackage) resolves(link *comment.DocLink, all map[string]*linkedPackage) bool {
	if link.ImportPath == "" || link.ImportPath == p.name {
		return p.has(link.Recv, link.Name, all)
	}
	to, imported := p.imports[link.ImportPath]
	if folder, ours := strings.CutPrefix(to, ofModule); ours {
		return all[folder] != nil && all[folder].has(link.Recv, link.Name, all)
	}
	_, std := comment.DefaultLookupPackage(link.ImportPath)
	return imported || std
}

// has reports whether p declares name. If recv is not empty, name must be a method or
// field of the type recv, or of a type that recv embeds.
func (p *linkedPackage) has(recv, name string, all map[string]*linkedPackage) bool {
	if recv == "" {
		return p.names[name]
	}
	if p.names[recv+"."+name] {
		return true
	}
	for _, e := range p.embeds[recv] {
		in := p
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		if s, ok := e.(*ast.SelectorExpr); ok {
			folder, ours := strings.CutPrefix(p.imports[s.X.(*ast.Ident).Name], ofModule)
			if in = all[folder]; !ours || in == nil {
				return true // the embedded type is of another module, whose names are not known here
			}
		}
		if in.has(baseName(e), name, all) {
			return true
		}
	}
	return false
}
