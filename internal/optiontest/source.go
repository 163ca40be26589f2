package optiontest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Source contains the declarations about options in the source of a package.
type Source struct {
	// Functions maps the exported functions that take options to their families. A method
	// is named Type.Name. The name of a family from a different package includes the
	// package, as in torch.ToOption.
	Functions map[string]string

	// Families maps each family to the names of its types, in order.
	Families map[string][]string

	// Files are the files of the package, except tests. Declarations maps the names in
	// Functions to their declarations.
	Files        []*ast.File
	Declarations map[string]*ast.FuncDecl

	own map[string]bool // the families that the package itself declares
	all []*ast.File     // the files of the package, and of the others that Read has read
}

// Read reads the package in dir, and the packages that declare the families and options
// that it uses.
func Read(t testing.TB, dir string, others ...string) Source {
	t.Helper()
	s := Source{
		Functions: map[string]string{}, Families: map[string][]string{}, own: map[string]bool{},
		Files: parse(t, dir), Declarations: map[string]*ast.FuncDecl{},
	}
	types := declared{
		families: map[string]string{}, markers: map[string]string{},
		methods: map[string]map[string]bool{}, embeds: map[string][]string{},
	}
	for _, f := range s.Files {
		types.add(f, "")
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				s.Declarations[functionName(fn)] = fn
				if family := familyOf(t, fn); family != "" {
					s.Functions[functionName(fn)] = family
				}
			}
		}
	}
	for family := range types.families {
		s.own[family] = true
	}
	s.all = slices.Clone(s.Files)
	for _, other := range others {
		files := parse(t, other)
		s.all = append(s.all, files...)
		for _, f := range files {
			types.add(f, f.Name.Name+".")
		}
	}
	for family, marker := range types.families {
		if m, ok := types.markers[marker]; ok {
			marker = m
		}
		s.Families[family] = types.with(marker)
	}
	return s
}

// Complete checks table, which maps functions to their options. It fails the test if the
// table lacks a function, or an option of its family. It also fails for a family that no
// function uses.
func (s Source) Complete(t testing.TB, table map[string][]string) {
	t.Helper()
	require.NotEmpty(t, s.Functions, "no function takes options")
	taken := map[string]bool{}
	for name, family := range s.Functions {
		taken[family] = true
		options, ok := table[name]
		if assert.True(t, ok, "%s is not in the table", name) {
			assert.ElementsMatch(t, s.Families[family], options, "the options of %s", name)
		}
	}
	for name := range table {
		assert.Contains(t, s.Functions, name)
	}
	for family := range s.own {
		assert.True(t, taken[family], "no function takes a %s", family)
	}
}

// Run checks each row of a table, and that the table is complete.
func (s Source) Run(t *testing.T, rows map[string]Row) {
	t.Helper()
	table := map[string][]string{}
	for name, r := range rows {
		table[name] = r.Options()
		t.Run(name, func(t *testing.T) { r.Check(t) })
	}
	s.Complete(t, table)
}

// Constructors returns the names of the exported functions of the package in dir that begin
// with New.
func Constructors(t testing.TB, dir string) (names []string) {
	t.Helper()
	for _, f := range parse(t, dir) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "New") {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// declared contains the declarations of packages, by name.
type declared struct {
	families map[string]string          // exported ...Option interfaces -> their marker method or embedded interface
	markers  map[string]string          // all other interfaces -> their marker method or embedded interface
	methods  map[string]map[string]bool // methods -> their receivers; receivers of other packages are qualified
	embeds   map[string][]string        // structs -> their embedded types; types of other packages are qualified
}

func (d *declared) add(f *ast.File, prefix string) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				continue
			}
			name := decl.Name.Name
			if d.methods[name] == nil {
				d.methods[name] = map[string]bool{}
			}
			d.methods[name][prefix+receiver(decl)] = true
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok {
					d.addType(ts, prefix)
				}
			}
		}
	}
}

func (d *declared) addType(ts *ast.TypeSpec, prefix string) {
	switch typ := ts.Type.(type) {
	case *ast.InterfaceType:
		if name := ts.Name.Name; ts.Name.IsExported() && strings.HasSuffix(name, "Option") {
			d.families[prefix+name] = marker(typ)
		} else {
			d.markers[name] = marker(typ)
		}
	case *ast.StructType:
		for _, f := range typ.Fields.List {
			if len(f.Names) == 0 {
				d.embeds[prefix+ts.Name.Name] = append(d.embeds[prefix+ts.Name.Name], qualified(f.Type, prefix))
			}
		}
	}
}

// marker returns the name of the unexported method that identifies the options of an
// interface. If the interface only embeds another interface, marker returns the name of
// the embedded interface.
func marker(i *ast.InterfaceType) (name string) {
	for _, m := range i.Methods.List {
		if len(m.Names) == 0 {
			name = lastName(m.Type)
		} else if name = m.Names[0].Name; !ast.IsExported(name) {
			return name
		}
	}
	return name
}

// with returns the types that have a method, either their own or from an embedded type.
// It leaves out the embedded types, and unexported types if the method is exported.
func (d *declared) with(method string) []string {
	all := map[string]bool{}
	for name := range d.methods[method] {
		if ast.IsExported(unqualified(name)) || !ast.IsExported(method) {
			all[name] = true
		}
	}
	for outer, embedded := range d.embeds {
		for _, e := range embedded {
			if d.methods[method][e] && ast.IsExported(unqualified(outer)) {
				all[outer] = true
				delete(all, e)
			}
		}
	}
	names := map[string]bool{}
	for name := range all {
		names[unqualified(name)] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// qualified returns the name of a type with its package. For a type of the file's own
// package, prefix stands for the package.
func qualified(e ast.Expr, prefix string) string {
	if star, ok := e.(*ast.StarExpr); ok {
		return qualified(star.X, prefix)
	}
	if sel, ok := e.(*ast.SelectorExpr); ok {
		return lastName(sel.X) + "." + sel.Sel.Name
	}
	return prefix + lastName(e)
}

func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// familyOf returns the family of an exported function whose last parameter is a list of
// options, or "".
func familyOf(t testing.TB, fn *ast.FuncDecl) string {
	params := fn.Type.Params.List
	if len(params) == 0 || !fn.Name.IsExported() || fn.Recv != nil && !ast.IsExported(receiver(fn)) {
		return ""
	}
	e, ok := params[len(params)-1].Type.(*ast.Ellipsis)
	if !ok {
		return ""
	}
	name := lastName(e.Elt)
	if name == "bool" || name == "MemoryFormat" {
		t.Errorf("%s takes ...%s, where options of a family belong", fn.Name.Name, name)
	}
	if !strings.HasSuffix(name, "Option") {
		return ""
	}
	if sel, ok := e.Elt.(*ast.SelectorExpr); ok {
		return lastName(sel.X) + "." + name
	}
	return name
}

func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	return receiver(fn) + "." + fn.Name.Name
}

func receiver(fn *ast.FuncDecl) string { return lastName(fn.Recv.List[0].Type) }

// lastName returns the name of a type without its package, type arguments and pointer.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return lastName(e.X)
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func parse(t testing.TB, dir string) (files []*ast.File) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}
