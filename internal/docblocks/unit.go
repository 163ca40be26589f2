package docblocks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// A unit is a block together with the blocks that continue it.
type unit struct {
	blocks []Block
	decls  string // declarations of functions and types, with line directives
	body   string
	whole  bool     // whether the unit is a whole program
	names  []string // the names that decls declares
	free   []string // the names that the unit uses but does not declare
}

// unitsOf groups a page's Go blocks into units.
func unitsOf(blocks []Block) ([]*unit, error) {
	var units []*unit
	for _, b := range blocks {
		if _, ok := b.Mark("continues"); ok {
			if len(units) == 0 {
				return nil, fmt.Errorf("%s: continues nothing", b.Place())
			}
			last := units[len(units)-1]
			last.blocks = append(last.blocks, b)
			continue
		}
		units = append(units, &unit{blocks: []Block{b}})
	}
	for _, u := range units {
		if err := u.read(); err != nil {
			return nil, err
		}
	}
	return units, nil
}

func (u *unit) place() string { return u.blocks[0].Place() }

// tests returns the test functions among the declarations.
func (u *unit) tests() []string {
	var tests []string
	for _, n := range u.names {
		if strings.HasPrefix(n, "Test") {
			tests = append(tests, n)
		}
	}
	return tests
}

// alone reports whether the unit must run in its own process.
func (u *unit) alone() bool { return u.whole || len(u.tests()) > 0 }

// mark returns the text of the first mark of this kind in the unit's blocks.
func (u *unit) mark(kind string) (string, bool) {
	for _, b := range u.blocks {
		if text, ok := b.Mark(kind); ok {
			return text, true
		}
	}
	return "", false
}

func (u *unit) read() error {
	first := u.blocks[0]
	if strings.HasPrefix(first.Source, "package ") {
		u.whole = true
		u.decls = fmt.Sprintf("//line %s\n%s", first.Place(), first.Source)
		_, err := parser.ParseFile(token.NewFileSet(), "", u.decls, parser.SkipObjectResolution)
		return err
	}
	var decls strings.Builder
	var parts []string // parts of the body; the names in a part are visible in all later parts
	add := func(page string, line int, src string) {
		parts = append(parts, divide(&decls, page, line, src))
	}
	for i, b := range u.blocks {
		if i > 0 {
			parts = append(parts, "blockrun.Next()\n")
		}
		var then []Mark
		for _, m := range b.Marks {
			switch m.Kind {
			case "given":
				add(b.Page, m.Line, m.Text+"\n")
			case "then":
				then = append(then, m)
			}
		}
		add(b.Page, b.Line, shown(b))
		for _, m := range then {
			add(b.Page, m.Line, m.Text+"\n")
		}
	}
	var body strings.Builder
	for _, p := range parts {
		used, err := use(p)
		if err != nil {
			return err
		}
		body.WriteString("{\n" + used)
	}
	body.WriteString(strings.Repeat("}\n", len(parts)))
	u.decls, u.body = decls.String(), body.String()
	return u.resolve()
}

// divide appends declarations of functions and types to decls, and returns the remaining
// code. If the code consists only of declarations, all of it is appended to decls.
func divide(decls *strings.Builder, page string, line int, src string) string {
	_, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+src, parser.SkipObjectResolution)
	all := err == nil
	inside, wasInside := all, !all
	body := new(strings.Builder)
	for text := range strings.Lines(src) {
		if starts.MatchString(text) {
			inside = true
		}
		out := body
		if inside {
			out = decls
		}
		if inside != wasInside {
			fmt.Fprintf(out, "//line %s:%d\n", page, line)
		}
		wasInside = inside
		out.WriteString(text)
		if !all && (text == "}\n" || inside && oneLine.MatchString(text)) {
			inside = false
		}
		line++
	}
	return body.String()
}

var (
	starts  = regexp.MustCompile(`^(func \w+[(\[]|func \(|type |import )`)
	oneLine = regexp.MustCompile(`^(func|type|import) .*[^{(]\n$`)
	// printed matches a fmt.Println whose comment shows a value, not prose.
	printed = regexp.MustCompile(
		`^(\s*)fmt\.Println\((.*)\) *// (([-+]?\d|\[|\(|"|tensor\(|true$|false$|<nil>$|map\[|torch\.).*)$`)
)

// shown replaces each fmt.Println whose comment shows its output. The new code compares
// the output with the comment.
func shown(b Block) string {
	var src strings.Builder
	n := b.Line
	for line := range strings.Lines(b.Source) {
		if m := printed.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			line = fmt.Sprintf("%sblockrun.Println(%q, %q, %s)\n", m[1], fmt.Sprintf("%s:%d", b.Page, n), m[3], m[2])
		}
		src.WriteString(line)
		n++
	}
	return src.String()
}

// resolve finds the names that the unit declares, and the names that it uses but does not
// declare.
func (u *unit) resolve() error {
	src := "package p\n" + u.decls + "\nfunc _() {\n" + u.body + "\n}\n"
	f, err := parser.ParseFile(token.NewFileSet(), u.blocks[0].Page, src, 0)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, id := range f.Unresolved {
		if !seen[id.Name] {
			seen[id.Name] = true
			u.free = append(u.free, id.Name)
		}
	}
	for _, d := range f.Decls {
		u.names = append(u.names, declared(d)...)
	}
	return nil
}

// declared returns the names that d declares. For a method, this is the name of its type.
func declared(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Name.Name != "_" {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names = append(names, s.Name.Name)
			case *ast.ValueSpec:
				for _, id := range s.Names {
					names = append(names, id.Name)
				}
			}
		}
		return names
	}
	return nil
}

// use adds code to body that uses the variables of body, so that it compiles. The code
// also checks err when the function returns.
func use(body string) (string, error) {
	const head = "package p\nfunc _() {\n"
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", head+body+"\n}\n", parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	var uses strings.Builder
	checkAt := -1
	for _, s := range f.Decls[0].(*ast.FuncDecl).Body.List {
		for _, name := range variables(s) {
			if name == "_" {
				continue
			}
			fmt.Fprintf(&uses, "_ = %s\n", name)
			if name == "err" && checkAt < 0 {
				checkAt = fset.PositionFor(s.End(), false).Offset - len(head)
			}
		}
	}
	if checkAt >= 0 {
		body = body[:checkAt] + "; defer blockrun.Check(&err)" + body[checkAt:]
	}
	return body + uses.String(), nil
}

// variables returns the names of variables that a statement declares.
func variables(s ast.Stmt) []string {
	var names []string
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			for _, l := range s.Lhs {
				names = append(names, l.(*ast.Ident).Name)
			}
		}
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			return declared(g)
		}
	}
	return names
}
