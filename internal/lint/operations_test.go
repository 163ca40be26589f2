package lint_test

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// qualified are the packages whose error messages begin with the called function as its
// caller writes it, such as data.NewLoader or data.Loader.Len.
var qualified = []string{
	"torch/amp", "torch/aoti", "torch/batching", "torch/checkpoint", "torch/data", "torch/distributed",
	"torch/distributed/join", "torch/distributed/zero", "torch/distributed/dcp", "nn/parallel", "torch/distributions",
	"torch/distributions/constraints", "torch/dlpack", "torch/export",
	"torch/autograd", "torch/functorch", "torch/recompute", "vision/datasets", "vision/metrics", "vision/models",
	"vision/models/segmentation", "vision/ops", "vision/transforms", "torch/gonum", "torch/jit",
	"torch/numpy", "torch/ops", "torch/profiler",
	"torch/safetensors", "torch/serialization", "torch/tensorboard",
}

// takesOperation are functions whose first argument is the function name for the error
// message.
var takesOperation = strings.Fields("NewError WrapError BadOption NilFunc BeginRaw Handles Read Read2 Read3 Read4")

func TestErrorsNameWhatWasCalled(t *testing.T) {
	seen := 0
	for _, folder := range qualified {
		files := parsed(t, folder)
		names := map[string]bool{} // "NewLoader", "Loader.", "Loader.Len"
		index := map[string]int{}  // the index of the parameter op, for each function of the package that has one
		for _, file := range files {
			for _, d := range file.Decls {
				declared(d, names, index)
			}
		}
		pkg := filepath.Base(folder)
		check := func(x ast.Expr) {
			part := false
			for {
				b, ok := x.(*ast.BinaryExpr)
				if !ok {
					break
				}
				x, part = b.X, true
			}
			lit, ok := x.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return
			}
			text, err := strconv.Unquote(lit.Value)
			require.NoError(t, err)
			seen++
			text = strings.TrimSuffix(regexp.MustCompile(`\(.*`).ReplaceAllString(text, ""), "(")
			name, ok := strings.CutPrefix(text, pkg+".")
			assert.True(t, ok && (names[name] || part && name == ""), "%s: an operation is called %q; expected one "+
				"that package %s has: its functions, or a type and its method", folder, text, pkg)
		}
		for _, file := range files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					at, name := 0, ""
					switch f := n.Fun.(type) {
					case *ast.SelectorExpr:
						name = f.Sel.Name
					case *ast.Ident:
						name = f.Name
					}
					i, ours := index[name]
					if ours {
						at = i
					} else if !slices.Contains(takesOperation, name) {
						return true
					}
					if at < len(n.Args) {
						check(n.Args[at])
					}
				case *ast.KeyValueExpr:
					if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Op" {
						check(n.Value)
					}
				case *ast.ValueSpec:
					if len(n.Values) == 1 && n.Names[0].Name == "op" {
						check(n.Values[0])
					}
				}
				return true
			})
		}
	}
	assert.Greater(t, seen, 100)
}

// declared adds the names that d declares to names. For a function with a parameter op,
// it adds the position of op to index.
func declared(d ast.Decl, names map[string]bool, index map[string]int) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				names[s.Name.Name], names[s.Name.Name+"."] = true, true
			}
		}
	case *ast.FuncDecl:
		at := 0
		for _, p := range d.Type.Params.List {
			for _, id := range p.Names {
				if id.Name == "op" {
					index[d.Name.Name] = at
				}
				at++
			}
		}
		if d.Recv == nil {
			names[d.Name.Name] = true
			return
		}
		of := d.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		if id, ok := of.(*ast.Ident); ok {
			names[id.Name+"."+d.Name.Name] = true
		}
	}
}
