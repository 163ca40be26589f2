package optiontest

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// values maps the types of parameters and options to variables of these types.
var values = map[string]string{
	"*Tensor": "x", "[]*Tensor": "list", "any": "any0", "int64": "i", "int": "int(i)", "float64": "f", "bool": "b",
	"string": "s", "[]int64": "shape", "Shape": "shape",
}

// DoNotEscape fails the test if an option whose value is a variable moves to the heap. It
// compiles a call of every function with each of its options and reads the compiler's
// escape analysis. The package is imported with the given name and path. special are
// expressions for types of arguments and options for which a variable does not do.
// It leaves out the functions for which skip returns true.
func (s Source) DoNotEscape(t testing.TB, name, path string, special map[string]string,
	skip func(function string) bool,
) {
	t.Helper()
	made := s.makers(name)
	maps.Copy(made, special)
	src := strings.Builder{}
	src.WriteString("package snippet\n\nimport \"github.com/gotorch/gotorch/torch\"\n")
	if name != "torch" {
		fmt.Fprintf(&src, "import %s %q\n", name, path)
	}
	src.WriteString(`
func calls(x *torch.Tensor, g *torch.Generator, list []*torch.Tensor, any0 any, i int64, f float64, b bool, s string,
	shape torch.Shape) {
`)
	line := strings.Count(src.String(), "\n")
	calls := map[int]string{}
	for _, function := range slices.Sorted(maps.Keys(s.Functions)) {
		if skip(function) {
			continue
		}
		for _, option := range s.Families[s.Functions[function]] {
			require.NotEmpty(t, made[option], "no value for %s", option)
			text := callText(name+"."+function, s.Declarations[function], special) + made[option] + ")"
			fmt.Fprintf(&src, "\t%s\n", text)
			line++
			calls[line] = text
		}
	}
	src.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "snippet.go")
	require.NoError(t, os.WriteFile(file, []byte(src.String()), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, "-gcflags=-m", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "does not escape")
	for _, m := range regexp.MustCompile(`(?m)snippet\.go:(\d+):\d+: (.*escapes to heap.*)$`).
		FindAllStringSubmatch(string(out), -1) {
		assert.Fail(t, "an option that allocates", "%s: %s", calls[atoi(m[1])], m[2])
	}
}

func atoi(digits string) (n int) {
	for _, d := range digits {
		n = 10*n + int(d-'0')
	}
	return n
}

// callText returns the start of a call of the function, up to its options.
func callText(name string, d *ast.FuncDecl, special map[string]string) string {
	if d.Recv != nil {
		name = "x." + d.Name.Name
	}
	var text strings.Builder
	text.WriteString(name + "(")
	for _, p := range d.Type.Params.List[:len(d.Type.Params.List)-1] {
		typ := strings.ReplaceAll(types.ExprString(p.Type), "torch.", "")
		arg := special[typ]
		if arg == "" {
			arg = values[typ]
		}
		text.WriteString(strings.Repeat(arg+", ", len(p.Names)))
	}
	return text.String()
}

// makers maps each option type to an expression that makes an option from a variable, such
// as torch.Dim(i). For a struct it calls the function that returns the type, or has its name.
func (s Source) makers(name string) map[string]string {
	made := map[string]string{}
	for _, f := range s.all {
		ours := slices.Contains(s.Files, f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !ours || d.Recv != nil || !d.Name.IsExported() || len(d.Type.Params.List) != 1 {
					continue
				}
				call := name + "." + d.Name.Name + "(" + values["*Tensor"] + ")"
				if made[d.Name.Name] == "" {
					made[d.Name.Name] = call
				}
				if lit, ok := returned(d).(*ast.CompositeLit); ok {
					made[types.ExprString(lit.Type)] = call
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() {
						made[ts.Name.Name] = maker(name+"."+ts.Name.Name, types.ExprString(ts.Type), made[ts.Name.Name])
					}
				}
			}
		}
	}
	return made
}

// returned returns the result if this is all that a function returns.
func returned(d *ast.FuncDecl) ast.Expr {
	if d.Body != nil && len(d.Body.List) == 1 {
		if ret, ok := d.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
			return ret.Results[0]
		}
	}
	return nil
}

// maker returns an expression for a value of an option type, or old if it has none.
func maker(name, under, old string) string {
	switch under {
	case "int32", "int8":
		return name + "(i)"
	case "[]int64":
		return name + "{i, i}"
	case "[]float64":
		return name + "{f, f}"
	case "[]*Tensor":
		return name + "{x, x}"
	case "int64", "int", "float64", "bool", "string":
		return name + "(" + values[under] + ")"
	}
	return old
}
