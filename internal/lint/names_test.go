package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publicFunc is an exported function or method. beside are the other exported names of
// its package or, for a method, the other methods of its type.
type publicFunc struct {
	pkg, receiver string
	decl          *ast.FuncDecl
	beside        map[string]bool
}

func (d publicFunc) String() string {
	if d.receiver == "" {
		return d.pkg + "." + d.decl.Name.Name
	}
	return d.pkg + "." + d.receiver + "." + d.decl.Name.Name
}

// params returns the names and types of the parameters, except variadic ones such as
// options.
func (d publicFunc) params() (names, types []string) {
	for _, f := range d.decl.Type.Params.List {
		if _, variadic := f.Type.(*ast.Ellipsis); variadic {
			continue
		}
		for _, n := range f.Names {
			names, types = append(names, n.Name), append(types, typeName(f.Type))
		}
	}
	return names, types
}

// savesVariadic reports whether the last parameter is variadic and does not take options.
func (d publicFunc) savesVariadic() bool {
	list := d.decl.Type.Params.List
	last, variadic := list[len(list)-1].Type.(*ast.Ellipsis)
	return variadic && !strings.HasSuffix(typeName(last.Elt), "Option")
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	case *ast.MapType:
		return "map"
	case *ast.FuncType:
		return "func"
	}
	return ""
}

// publicFuncs returns the exported functions and the methods of exported types that users
// may call.
func publicFuncs(t *testing.T) []publicFunc {
	t.Helper()
	// the exported names of each package by its path, and the methods of each type by
	// package.Type
	names := map[string]map[string]bool{}
	var all []publicFunc
	private := []string{"testdata", "internal", "cmd", "bench", "examples", "tools", "vet", "cgotorch"}
	eachFile(t, "", private, func(file string) {
		if !isCode(file) {
			return
		}
		parsed, pkg := parse(t, file), path.Dir(file)
		if parsed.Name.Name == "main" {
			return
		}
		note := func(of, name string) {
			if names[of] == nil {
				names[of] = map[string]bool{}
			}
			names[of][name] = true
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				receiver := ""
				if d.Recv != nil {
					receiver = strings.TrimPrefix(typeName(d.Recv.List[0].Type), "*")
				}
				if !d.Name.IsExported() || receiver != "" && !ast.IsExported(receiver) {
					continue
				}
				of := pkg
				if receiver != "" {
					of += "." + receiver
				}
				note(of, d.Name.Name)
				all = append(all, publicFunc{pkg: pkg, receiver: receiver, decl: d})
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						note(pkg, s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							note(pkg, n.Name)
						}
					}
				}
			}
		}
	})
	for i, d := range all {
		of := d.pkg
		if d.receiver != "" {
			of += "." + d.receiver
		}
		all[i].beside = names[of]
	}
	require.Greater(t, len(all), 3000, "the walk has seen the packages")
	return all
}

// Exported names follow the rules in docs/conventions.md.
func TestNamesKeepTheRules(t *testing.T) {
	var wrong []string
	for _, d := range publicFuncs(t) {
		wrong = append(wrong, brokenRules(d)...)
	}
	assert.Empty(t, wrong)
}

// lengths are parameters that must be int64, because they are dimensions of tensors.
// counts are parameters that must be int, because they count something else.
var (
	lengths = map[string]bool{"dim": true, "dim0": true, "dim1": true, "dims": true}
	counts  = map[string]bool{
		"epoch": true, "epochs": true, "rank": true, "world": true, "workers": true, "batches": true, "n_epochs": true,
	}
)

// brokenRules describes each naming rule that a function breaks.
func brokenRules(d publicFunc) (wrong []string) {
	says := func(rule string) { wrong = append(wrong, d.String()+": "+rule) }
	name := d.decl.Name.Name
	params, types := d.params()
	short, get := strings.CutPrefix(name, "Get")
	if get && short != "" && len(params) == 0 && !d.beside[short] {
		says("a getter without arguments drops Get, unless the rest of its name is taken")
	}
	if short, with := strings.CutPrefix(name, "With"); with && d.receiver == "" && short != "" {
		scope := len(types) > 0 && types[len(types)-1] == "func"
		if !scope && !d.beside[short] {
			says("With begins the names of functions that run another one, and of options whose name is taken")
		}
	}
	for i, p := range params {
		switch {
		case lengths[p] && (types[i] == "int" || types[i] == "[]int"):
			says(p + " has to be an int64, which counts what tensors count")
		case counts[p] && types[i] == "int64":
			says(p + " has to be an int, which counts things of Go")
		}
	}
	place := slices.IndexFunc(params, func(p string) bool { return p == "path" || p == "dir" })
	if !strings.HasPrefix(name, "Save") && !strings.HasPrefix(name, "Write") {
		return wrong
	}
	if place >= 0 && place != len(params)-1 && !d.savesVariadic() {
		says("the place comes last, after what is saved, as in torch.save")
	}
	if slices.Index(types, "io.Writer") > 0 {
		says("an io.Writer comes first, as in Go")
	}
	return wrong
}

// brokenRules finds a violation of each rule, and accepts names that follow the rule.
func TestBrokenRules(t *testing.T) {
	cases := map[string]string{
		"func GetRank() int { return 0 }":                          "drops Get",
		"func GetModel(name string) {}":                            "",
		"func GetTaken() int { return 0 }":                         "",
		"func (s *Store) GetKeys() {}":                             "drops Get",
		"func WithLayers(n int64) Option { return nil }":           "With begins",
		"func WithTaken(n int64) Option { return nil }":            "",
		"func WithDevice(d Device, fn func()) {}":                  "",
		"func Narrow(x *Tensor, dim int) {}":                       "int64",
		"func Narrow(x *Tensor, dim int64) {}":                     "",
		"func Permute(dims []int) {}":                              "int64",
		"func Begin(epoch int64) {}":                               "has to be an int,",
		"func Save(path string, x *Tensor) {}":                     "the place comes last",
		"func SaveFile(x *Tensor, path string, o ...Option) {}":    "",
		"func Save(path, label string, panels ...Panel) {}":        "",
		"func WritePNG(path string, x *Tensor, o ...Option) {}":    "the place comes last",
		"func WritePNG(x *Tensor, path string, o ...Option) {}":    "",
		"func SaveTo(x *Tensor, w io.Writer) {}":                   "an io.Writer comes first",
		"func SaveTo(w io.Writer, x *Tensor) {}":                   "",
		"func Load(path string, state map[string]any) error {}":    "",
		"func Save(ctx Context, dir string, state State) error {}": "the place comes last",
	}
	for _, src := range slices.Sorted(maps.Keys(cases)) {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n\n"+src, parser.SkipObjectResolution)
		require.NoError(t, err)
		fn := file.Decls[0].(*ast.FuncDecl)
		d := publicFunc{pkg: "a", decl: fn, beside: map[string]bool{"Taken": true}}
		if fn.Recv != nil {
			d.receiver = "Store"
		}
		wrong := strings.Join(brokenRules(d), "\n")
		if cases[src] == "" {
			assert.Empty(t, wrong, src)
		} else {
			assert.Contains(t, wrong, cases[src], src)
		}
	}
}
