package nn_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/standalone"
	"github.com/gotorch/gotorch/internal/thorough"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Tensors are attributed to the program's line, whichever module returned them.
func TestLinesOfModules(t *testing.T) {
	scoped(t, func() {
		for _, m := range members {
			if m.in == nil {
				continue
			}
			p := new(holder)
			p.Init(p)
			module, in := m.make(p), m.in()
			check := memory.StartLeakCheck()
			runModule(module, in)
			leaks := check.Stop()
			for _, made := range leaks.Tensors {
				assert.Contains(t, made.Line(), "_test.go:", m.name)
			}
			for _, block := range leaks.Blocks {
				assert.Contains(t, block.Key, "_test.go:", m.name)
			}
			require.NoError(t, p.Close())
		}
	})
}

// Tensors are attributed to the right line in a separate program too. It calls each
// Forward directly, so the library's closures are inlined and named after the program's
// functions. The calls come from members.
func TestLinesOfModulesInAProgram(t *testing.T) {
	builds := [][]string{nil}
	if thorough.Asked() { // slow: Go compiles the shim again
		builds = append(builds, []string{"-trimpath"})
	}
	main, calls := keepingProgram(t)
	for _, flags := range builds {
		out := standalone.Run(t, "..", main, flags...)
		assert.Equal(t, fmt.Sprintf("%d lines\n", calls), out, "%v", flags)
	}
}

const keepingMain = `
type holder struct{ nn.Base }

var (
	name  string
	in    []*torch.Tensor
	check *memory.LeakCheck
)

// start begins the check of a module with inputs.
func start(member string, inputs []*torch.Tensor) {
	name, in = member, inputs
	check = memory.StartLeakCheck()
}

// keep reports the tensors that have another line than the caller's.
func keep(results ...any) {
	_, _, line, _ := runtime.Caller(1)
	want := fmt.Sprintf("main.go:%d main.main", line)
	for _, t := range memory.LiveTensors() {
		if !strings.HasPrefix(t.Line(), want) {
			fmt.Println(name, "LiveTensors names", t.Line(), "instead of", want)
		}
	}
	leaks := check.Stop()
	for _, g := range slices.Concat(leaks.Lines, leaks.Blocks) {
		if g.BytesDelta > 0 && !strings.HasPrefix(g.Key, want) {
			fmt.Println(name, "LeakCheck names", g.Key, "instead of", want)
		}
	}
	if _, same := results[0].(*torch.Tensor); len(leaks.Tensors) == 0 && !(same && results[0] == any(in[0])) {
		fmt.Println(name, "is not checked")
	}
	runtime.KeepAlive(results)
}
`

// special holds the arguments of Forward for modules that do not take the inputs in
// order.
var special = map[string]string{
	"*nn.MultiheadAttention(1)": "in[0], in[0], in[0]",
	"*nn.Transformer(2)":        "in[1], in[0]",
	"*nn.LSTMCell(2)":           "in[0], nil, nil",
	"*nn.CTCLoss(2)":            "in[0], in[1], []int64{5, 4}, []int{2, int(in[1].Size(1))}",
}

// keepingProgram returns a program that keeps each member's results, and the number of its calls.
func keepingProgram(t *testing.T) (text string, calls int) {
	d := readDecls(t)
	var body, helpers strings.Builder
	entries := map[string]*ast.CompositeLit{}
	for name, decl := range d.decls {
		if strings.HasSuffix(name, "Members") || strings.HasPrefix(name, "_") {
			ast.Inspect(decl, func(n ast.Node) bool {
				c, ok := n.(*ast.CompositeLit)
				if !ok || len(c.Elts) != 4 {
					return true
				}
				if lit, ok := c.Elts[0].(*ast.BasicLit); ok {
					entries[unquote(lit.Value)] = c
				}
				return true
			})
		}
	}
	for _, m := range members {
		if m.in == nil {
			continue
		}
		c := entries[m.name]
		require.NotNil(t, c, m.name)
		torch.Scope(func() {
			p := new(holder)
			p.Init(p)
			defer p.Close()
			module := m.make(p)
			d.need(c)
			fmt.Fprintf(&body, "\tfunc() {\n\t\tp := new(holder)\n\t\tp.Init(p)\n\t\tm := "+
				"(%s)(p).(%T)\n\t\tstart(%q, (%s)())\n\t\tkeep(m.Forward(%s))\n\t}()\n",
				d.print(c.Elts[2]), module, m.name, d.print(c.Elts[3]), arguments(module, len(m.in())))
			calls++
		})
	}
	for _, name := range slices.Sorted(maps.Keys(d.needed)) {
		helpers.WriteString(d.print(d.decls[name]) + "\n\n")
		for _, m := range d.methods[name] {
			helpers.WriteString(d.print(m) + "\n\n")
		}
	}
	imports := map[string]string{
		"nn": "github.com/gotorch/gotorch/nn", "torch": "github.com/gotorch/gotorch/torch",
		"memory": "github.com/gotorch/gotorch/memory",
		"fmt":    "fmt", "runtime": "runtime", "slices": "slices", "strings": "strings",
	}
	maps.Copy(imports, d.imports)
	var all strings.Builder
	all.WriteString("package main\n\nimport (\n")
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&all, "\t%s %q\n", name, imports[name])
	}
	fmt.Fprintf(&all, ")\n%s\n%sfunc main() {\n%s\tfmt.Println(%d, \"lines\")\n}\n", keepingMain, helpers.String(),
		body.String(), calls)
	return all.String(), calls
}

// arguments returns the arguments of a Forward as Go code: the inputs, then nil.
func arguments(m nn.Module, inputs int) string {
	if args, ok := special[fmt.Sprintf("%T(%d)", m, inputs)]; ok {
		return args
	}
	forward, _ := reflect.TypeOf(m).MethodByName("Forward")
	var args []string
	for i := 1; i < forward.Type.NumIn() && (i < forward.Type.NumIn()-1 || !forward.Type.IsVariadic()); i++ {
		if i <= inputs {
			args = append(args, "in["+strconv.Itoa(i-1)+"]")
		} else {
			args = append(args, "nil")
		}
	}
	return strings.Join(args, ", ")
}

// decls holds the declarations in the package's tests by name, and records which of them
// a program needs.
type decls struct {
	fset    *token.FileSet
	decls   map[string]ast.Decl
	methods map[string][]*ast.FuncDecl // by the name of the receiver's type
	needed  map[string]bool
	imports map[string]string
}

func readDecls(t *testing.T) *decls {
	d := &decls{
		fset: token.NewFileSet(), decls: map[string]ast.Decl{}, methods: map[string][]*ast.FuncDecl{},
		needed: map[string]bool{}, imports: map[string]string{},
	}
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(d.fset, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					d.decls[decl.Name.Name] = decl
					break
				}
				of := decl.Recv.List[0].Type
				if star, ok := of.(*ast.StarExpr); ok {
					of = star.X
				}
				if name, ok := of.(*ast.Ident); ok {
					d.methods[name.Name] = append(d.methods[name.Name], decl)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					one := &ast.GenDecl{Tok: decl.Tok, Specs: []ast.Spec{spec}}
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, n := range spec.Names {
							if n.Name == "_" { // a file may have many declarations of _
								n = ast.NewIdent("_" + strconv.Itoa(int(spec.Pos())))
							}
							d.decls[n.Name] = one
						}
					case *ast.TypeSpec:
						d.decls[spec.Name.Name] = one
					}
				}
			}
		}
	}
	return d
}

// need adds the declarations and imports that a piece of code uses.
func (d *decls) need(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			d.need(n.X)
			return false
		case *ast.KeyValueExpr:
			d.need(n.Value)
			return false
		case *ast.Ident:
			if n.Name == "F" {
				d.imports["F"] = "github.com/gotorch/gotorch/nn/functional"
			}
			if n.Name == "math" {
				d.imports["math"] = "math"
			}
			if decl := d.decls[n.Name]; decl != nil && n.Name != "holder" && !d.needed[n.Name] {
				d.needed[n.Name] = true
				d.need(decl)
				for _, m := range d.methods[n.Name] {
					d.need(m)
				}
			}
		}
		return true
	})
}

func (d *decls) print(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, d.fset, n)
	return b.String()
}

func unquote(s string) string {
	u, _ := strconv.Unquote(s)
	return u
}
