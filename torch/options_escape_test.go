package torch_test

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
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
)

// Options whose value is a variable stay on the caller's stack. The test compiles a call of every
// function with each of its options and reads the compiler's escape analysis.
func TestOptionsDoNotEscape(t *testing.T) {
	source := optiontest.Read(t, ".")
	made := optionMakers(source.Files)
	src := strings.Builder{}
	src.WriteString(`package snippet

import "github.com/gotorch/gotorch/torch"

func calls(x *torch.Tensor, g *torch.Generator, list []*torch.Tensor, any0 any, i int64, f float64, b bool, s string,
	shape torch.Shape) {
`)
	line := strings.Count(src.String(), "\n")
	calls := map[int]string{}
	for _, name := range slices.Sorted(maps.Keys(source.Functions)) {
		if strings.HasSuffix(name, "NewTensor") || name == "AsTensor" {
			continue // they use reflection and pass options to other functions
		}
		if name == "Capture" || name == "CaptureByShape" {
			continue // called once per program, so allocations do not matter
		}
		for _, option := range source.Families[source.Functions[name]] {
			text := callText(name, source.Declarations[name]) + made[option] + ")"
			fmt.Fprintf(&src, "\t%s\n", text)
			line++
			calls[line] = text
		}
	}
	src.WriteString("}\n")
	file := filepath.Join(t.TempDir(), "snippet.go")
	require.NoError(t, os.WriteFile(file, []byte(src.String()), 0o600))
	out, err := exec.Command("go", "build", "-o", os.DevNull, "-gcflags=-m", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "does not escape")
	for _, m := range regexp.MustCompile(`(?m)snippet\.go:(\d+):\d+: (.*escapes to heap.*)$`).
		FindAllStringSubmatch(string(out), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		assert.Fail(t, "an option that allocates", "%s: %s", calls[n], m[2])
	}
}

// callText returns the start of a call of the function, up to its options.
func callText(name string, d *ast.FuncDecl) string {
	name = "torch." + name
	if d.Recv != nil {
		name = "x." + d.Name.Name
	}
	var text strings.Builder
	text.WriteString(name + "(")
	for _, p := range d.Type.Params.List[:len(d.Type.Params.List)-1] {
		arg := map[string]string{
			"*Tensor": "x", "[]*Tensor": "list", "[]int64": "shape", "any": "any0", "int64": "i", "float64": "f",
			"bool": "b", "string": "s", "Shape": "shape",
			"Layout": "torch.SparseCSR", "BlockSize": "torch.BlockSize{i, i}", "Upper": "torch.Upper(b)",
			"Reduce": "torch.Reduce(s)",
		}[types.ExprString(p.Type)]
		text.WriteString(strings.Repeat(arg+", ", len(p.Names)))
	}
	return text.String()
}

// optionMakers maps each option type to an expression that makes an option from a variable, such as
// torch.Dim(i). For an unexported type it calls the function that returns the type.
func optionMakers(files []*ast.File) map[string]string {
	made := map[string]string{"Generator": "g"}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil || d.Body == nil || len(d.Body.List) != 1 {
					continue
				}
				ret, ok := d.Body.List[0].(*ast.ReturnStmt)
				if !ok || len(ret.Results) != 1 {
					continue
				}
				if lit, ok := ret.Results[0].(*ast.CompositeLit); ok {
					if id, ok := lit.Type.(*ast.Ident); ok && d.Name.IsExported() {
						made[id.Name] = "torch." + d.Name.Name + "(x)"
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					ts, ok := s.(*ast.TypeSpec)
					if !ok || !ts.Name.IsExported() {
						continue
					}
					name := "torch." + ts.Name.Name
					switch under := types.ExprString(ts.Type); under {
					case "int64", "int", "int32", "int8":
						made[ts.Name.Name] = name + "(i)"
					case "float64":
						made[ts.Name.Name] = name + "(f)"
					case "bool":
						made[ts.Name.Name] = name + "(b)"
					case "string":
						made[ts.Name.Name] = name + "(s)"
					case "[]int64":
						made[ts.Name.Name] = name + "{i, i}"
					case "[]*Tensor":
						made[ts.Name.Name] = name + "{x, x}"
					}
				}
			}
		}
	}
	return made
}
