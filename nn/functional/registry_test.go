package functional_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// A variant is an option, another value of it, and what a function returns with
// the first.
type variant[O any] struct {
	given, other O
	want         func() *torch.Tensor
}

// A member is a function with options as the tests of all families see it.
type member struct {
	options map[string]bool // the types that its variants are of
	check   func(t *testing.T)
}

// of makes a member of a call with the options of one family.
func of[O any](call func(...O) *torch.Tensor, variants ...variant[O]) member {
	options := map[string]bool{}
	for _, v := range variants {
		options[reflect.TypeOf(v.given).Name()] = true
	}
	return member{options: options, check: func(t *testing.T) {
		for _, v := range variants {
			scoped(t, func() {
				name := reflect.TypeOf(v.given).Name()
				want := v.want()
				same(t, want, call(v.given), "%s alone: %v", name, v.given)
				same(t, want, call(v.other, v.given), "%s: the last of %v, %v counts", name, v.other, v.given)
				var none O
				err := torch.Try(func() { call(v.given, none) })
				require.ErrorIs(t, err, torch.ErrNil, "a nil option after %s", name)
			})
		}
	}}
}

func same(t *testing.T, want, got *torch.Tensor, message string, args ...any) {
	t.Helper()
	args = append([]any{message}, args...)
	require.Equal(t, want.Shape(), got.Shape(), args...)
	require.Equal(t, want.DType(), got.DType(), args...)
	require.True(t, want.Equal(got), args...)
}

// Each option alone, twice, and after a nil one.
func TestOptions(t *testing.T) {
	torch.Scope(func() {
		members := members()
		for name, m := range members {
			t.Run(name, m.check)
		}
	})
}

// A function with options that is missing from the table, or from that of the
// allocations, fails here, as does an option of its family.
func TestRegistryIsComplete(t *testing.T) {
	functions, families := declared(t)
	markers := markers(t)
	torch.Scope(func() {
		table, costs := members(), allocations()
		require.NotEmpty(t, functions)
		for name, family := range functions {
			m, ok := table[name]
			if !assert.True(t, ok, "%s is not in the table of members", name) {
				continue
			}
			assert.Contains(t, costs, name, "%s is not in the table of allocations", name)
			assert.Equal(t, markers[families[family]], m.options, "the options of %s", name)
		}
		for name := range table {
			assert.Contains(t, functions, name)
		}
	})
}

// declared returns the exported functions of the package that end in options, by
// their family, and the marker of each family.
func declared(t *testing.T) (functions, families map[string]string) {
	functions, families = map[string]string{}, map[string]string{}
	for _, f := range parse(t, ".") {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				params := d.Type.Params.List
				if d.Recv != nil || !d.Name.IsExported() || len(params) == 0 {
					continue
				}
				if e, ok := params[len(params)-1].Type.(*ast.Ellipsis); ok {
					functions[d.Name.Name] = e.Elt.(*ast.Ident).Name
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					ts, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					if i, ok := ts.Type.(*ast.InterfaceType); ok {
						families[ts.Name.Name] = i.Methods.List[0].Type.(*ast.SelectorExpr).Sel.Name
					}
				}
			}
		}
	}
	return functions, families
}

// markers returns the types of internal/opt that have each marker.
func markers(t *testing.T) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range parse(t, "../../internal/opt") {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !strings.HasSuffix(fn.Name.Name, "Func") {
				continue
			}
			if all[fn.Name.Name] == nil {
				all[fn.Name.Name] = map[string]bool{}
			}
			all[fn.Name.Name][fn.Recv.List[0].Type.(*ast.Ident).Name] = true
		}
	}
	return all
}

func parse(t *testing.T, dir string) (files []*ast.File) {
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

// sanitized says that the race detector or AddressSanitizer is in the program.
var sanitized bool

// Options cost no allocation: they stay on the caller's stack.
func TestOptionsDoNotAllocate(t *testing.T) {
	if sanitized {
		t.Skip("under a sanitizer more values escape and pools drop what they hold, so counts say nothing")
	}
	scoped(t, func() {
		for name, c := range allocations() {
			without, with := testing.AllocsPerRun(50, c.without), testing.AllocsPerRun(50, c.with)
			assert.LessOrEqual(t, with, without, name)
		}
	})
}

// join makes one member of several calls.
func join(parts ...member) member {
	all := member{options: map[string]bool{}}
	for _, p := range parts {
		for o := range p.options {
			all.options[o] = true
		}
	}
	all.check = func(t *testing.T) {
		for _, p := range parts {
			p.check(t)
		}
	}
	return all
}
